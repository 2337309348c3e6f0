/* SPDX-License-Identifier: MIT */
#include "view.h"

#include "rt/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 10 };
_Static_assert(VIEWS == 10, "each view has a digit");
static const uint64_t MESSAGE_NS = 8 * NS_PER_S;

void view_say(struct view *v, uint64_t now_ns, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(v->message, sizeof v->message, format, list);
  va_end(list);
  v->message_until_ns = now_ns + MESSAGE_NS;
}

const char *view_neighbour(const struct view *v, const char *name, int step)
{
  if (v->instances == 0) return NULL;
  int at = 0;
  while (at < v->instances && strcmp(v->instance[at], name) != 0) at++;
  if (at == v->instances) return v->instance[0];
  return v->instances > 1 ? v->instance[(at + step + v->instances) % v->instances] : NULL;
}

int view_histograms(const struct view *v, bool wide, int row[static HISTOGRAMS_MAX])
{
  static const int sets[HISTOGRAM_SETS][HISTOGRAMS_MAX] = {
      {BOOK_ROW_wakeup, BOOK_ROW_cycle, BOOK_ROW_step},
      {BOOK_ROW_wakeup, BOOK_ROW_step, BOOK_ROW_cycle},
      {BOOK_ROW_step, BOOK_ROW_cycle, BOOK_ROW_wakeup},
      {BOOK_ROW_feedback, BOOK_ROW_prepare, BOOK_ROW_step}};
  if (v->histograms >= HISTOGRAM_SETS) {
    row[0] = v->histograms - HISTOGRAM_SETS;
    return 1;
  }
  const int n = wide ? 3 : 2;
  memcpy(row, sets[v->histograms], (size_t)n * sizeof *row);
  return n;
}

static void scroll(struct view *v, int by)
{
  v->scroll += by;
  if (v->scroll < 0) v->scroll = 0;
}

static void turn(struct view *v, int by)
{
  v->kind = (enum view_kind)(((int)v->kind + by + VIEWS) % VIEWS);
  v->scroll = 0;
}

static enum wish instances_key(struct view *v, int key)
{
  switch (key) {
  case KEYS_UP:
  case 'k':
    v->chosen -= v->chosen > 0;
    break;
  case KEYS_DOWN:
  case 'j':
    v->chosen += v->chosen + 1 < v->instances;
    break;
  case KEYS_ENTER:
    v->overlay = OVERLAY_NONE;
    return v->instances ? WISH_CHOSEN : WISH_NONE;
  case KEYS_ESCAPE:
  case 'i':
  case 'q':
    v->overlay = OVERLAY_NONE;
    break;
  default:
    break;
  }
  return WISH_NONE;
}

enum wish view_key(struct view *v, int key)
{
  if (v->overlay == OVERLAY_INSTANCES) return instances_key(v, key);
  if (v->overlay == OVERLAY_HELP) {
    v->overlay = OVERLAY_NONE; /* whatever key */
    return WISH_NONE;
  }
  switch (key) {
  case 'q':
    return WISH_QUIT;
  case 'r':
    return WISH_RESET;
  case 'n':
  case '\t':
    return WISH_NEXT;
  case 'N':
  case KEYS_BACK_TAB:
    return WISH_PREVIOUS;
  case 'i':
    v->overlay = OVERLAY_INSTANCES;
    return WISH_LIST;
  case '?':
    v->overlay = OVERLAY_HELP;
    break;
  case 's':
    v->sort = (enum sort)((v->sort + 1) % SORTS);
    break;
  case 'h':
    v->histograms = (v->histograms + 1) % HISTOGRAM_CHOICES;
    break;
  case 'v':
    turn(v, 1);
    break;
  case 'V':
    turn(v, -1);
    break;
  case 'p':
  case ' ':
    v->held = !v->held;
    break;
  case KEYS_UP:
  case 'k':
    scroll(v, -1);
    break;
  case KEYS_DOWN:
  case 'j':
    scroll(v, 1);
    break;
  case KEYS_PAGE_UP:
    scroll(v, -PAGE);
    break;
  case KEYS_PAGE_DOWN:
    scroll(v, PAGE);
    break;
  case KEYS_HOME:
    v->scroll = 0;
    break;
  default:
    if (key >= '0' && key <= '9') {
      v->kind = (enum view_kind)((key - '1' + VIEWS) % VIEWS);
      v->scroll = 0;
    }
  }
  return WISH_NONE;
}
