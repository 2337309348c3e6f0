/* SPDX-License-Identifier: MIT
 * The user's choice of what to see, and the effects of keys. Knows no terminal. */
#ifndef ALI3_TOP_VIEW_H
#define ALI3_TOP_VIEW_H

#include "collect.h"

enum { INSTANCES_MAX = 64 };

/* The overview, or one kind of pane on the complete screen. */
#define VIEW_LIST(X)                                                                                         \
  X(VIEW_OVERVIEW, "overview")                                                                               \
  X(VIEW_HISTOGRAMS, "histograms")                                                                           \
  X(VIEW_PHASES, "phases")                                                                                   \
  X(VIEW_LEVELS, "levels")                                                                                   \
  X(VIEW_MISSES, "misses")                                                                                   \
  X(VIEW_INPUTS, "inputs")                                                                                   \
  X(VIEW_DEVICES, "devices")                                                                                 \
  X(VIEW_COUNTERS, "counters")                                                                               \
  X(VIEW_PLATFORM, "platform")                                                                               \
  X(VIEW_FIGURES, "figures")                                                                                 \
  X(VIEW_VALUES, "values")                                                                                   \
  X(VIEW_RIG, "rig")
enum view_kind {
#define VIEW_ENUM(id, text) id,
  VIEW_LIST(VIEW_ENUM)
#undef VIEW_ENUM
      VIEWS
};

enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_INSTANCES, OVERLAY_PROMPT };

/* The distributions that are drawn as bars: several side by side, or one alone. */
enum { HISTOGRAM_SETS = 4, HISTOGRAM_CHOICES = HISTOGRAM_SETS + BOOK_ROWS, HISTOGRAMS_MAX = 3 };

struct view {
  enum view_kind kind;
  enum sort sort;
  int histograms; /* 0 .. HISTOGRAM_CHOICES - 1 */
  int scroll;     /* in rows, of a pane on the complete screen */
  bool held;      /* the picture is frozen */
  enum overlay overlay;
  char typed[200];   /* globs of signals, in the overlay for them */
  char message[160]; /* shown instead of the keys; "" */
  uint64_t message_until_ns;
  char instance[INSTANCES_MAX][64]; /* instances that are present */
  int instances, chosen;            /* `chosen`: in the list of the overlay */
};

/* Keys beyond characters. */
enum {
  KEYS_UP = 0x1000,
  KEYS_DOWN,
  KEYS_PAGE_UP,
  KEYS_PAGE_DOWN,
  KEYS_HOME,
  KEYS_ENTER,
  KEYS_ESCAPE,
  KEYS_BACK_TAB,
  KEYS_BACKSPACE
};

/* Actions that need the terminal or the daemons. */
enum key_action {
  ACTION_NONE,
  ACTION_QUIT,
  ACTION_RESET,
  ACTION_NEXT,
  ACTION_PREVIOUS,
  ACTION_LIST,
  ACTION_CHOSEN,
  ACTION_PROMPT,
  ACTION_VALUES
};
enum key_action view_key(struct view *v, int key);

/* Shows a message for some seconds. */
__attribute__((format(printf, 3, 4))) void view_say(struct view *v, uint64_t now_ns, const char *format, ...);
/* The instance before or after `name` in the cyclic list, or before or after its former place `chosen` if it is gone; NULL
 * if there is no other. */
const char *view_neighbour(const struct view *v, const char *name, int step);
/* The distributions to draw as bars. Returns their number. wide: there is room for three. */
int view_histograms(const struct view *v, bool wide, int row[static HISTOGRAMS_MAX]);

#endif
