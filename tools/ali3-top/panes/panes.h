/* SPDX-License-Identifier: MIT
 * All parts of the screen, drawn into areas of a canvas. */
#ifndef ALI3_TOP_PANES_H
#define ALI3_TOP_PANES_H

#include "canvas.h"
#include "view.h"

/* Instance, state, verdict, mode, deadlines. Returns the number of rows it needs, whatever the room. */
int header_draw(const struct picture *p, const struct area *a);

/* Distributions as bars, side by side. */
void histograms_draw(const struct picture *p, const struct view *v, const struct area *a);

/* A table: its heading, and its rows from row `first` of the body, which may be negative. Returns the number of its
 * rows, whatever the room; 0: nothing to show. */
typedef int pane_draw(const struct picture *p, const struct view *v, const struct area *heading,
                      const struct area *body, int first);
pane_draw phases_draw, levels_draw, misses_draw, inputs_draw, devices_draw, counters_draw, platform_draw,
    rig_draw, figures_draw, values_draw;

/* Boxes over the screen. */
void help_draw(const struct area *a);
void instances_draw(const struct view *v, const char *current, const struct area *a);
/* Asks for globs of signals, and lists the signals that match. */
void prompt_draw(const struct picture *p, const struct view *v, const struct area *a);
/* Draws a centred frame and returns the area inside it, at most columns x rows. */
struct area box_draw(const struct area *a, int columns, int rows);

/* Draws the complete screen; limits the view's scrolling. */
void frame_draw(const struct picture *p, struct view *v, struct canvas *c);

/* Writes pieces one after the other; a piece that does not fit begins a new row. */
struct flow {
  const struct area *area;
  int row, column;
};
__attribute__((format(printf, 3, 4))) void flow_put(struct flow *f, enum style style, const char *format,
                                                    ...);
void flow_line(struct flow *f); /* the next piece begins a new row */

#endif
