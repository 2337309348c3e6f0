/* SPDX-License-Identifier: MIT */
#include "view.h"

#include "rt/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 10, DIGITS = 10, CONTROL_U = 0x15 };
_Static_assert(VIEWS == DIGITS + 2, "each view has a digit, except the values and the rig");
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
  if (at == v->instances) { /* it is gone, and the next one has its place */
    at = (v->chosen - (step < 0)) % v->instances;
    return v->instance[at < 0 ? at + v->instances : at];
  }
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

static void scroll_rows(struct view *v, int by)
{
  v->scroll += by;
  if (v->scroll < 0) v->scroll = 0;
}

static void turn_view(struct view *v, int by)
{
  v->kind = (enum view_kind)(((int)v->kind + by + VIEWS) % VIEWS);
  v->scroll = 0;
}

static enum key_action instances_key(struct view *v, int key)
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
  /* Keys that close the list. */
  case KEYS_ENTER:
    v->overlay = OVERLAY_NONE;
    return v->instances ? ACTION_CHOSEN : ACTION_NONE;
  case KEYS_ESCAPE:
  case 'i':
  case 'q':
    v->overlay = OVERLAY_NONE;
    break;
  default:
    break;
  }
  return ACTION_NONE;
}

/* Keys are text here. */
static enum key_action prompt_key(struct view *v, int key)
{
  const size_t length = strlen(v->typed);
  switch (key) {
  case KEYS_ENTER:
    v->overlay = OVERLAY_NONE;
    v->kind = VIEW_VALUES;
    v->scroll = 0;
    return ACTION_VALUES;
  case KEYS_ESCAPE:
    v->overlay = OVERLAY_NONE;
    break;
  /* Deleting. */
  case KEYS_BACKSPACE:
    if (length) v->typed[length - 1] = '\0';
    break;
  case CONTROL_U:
    v->typed[0] = '\0';
    break;
  default:
    if (key < ' ' || key > '~' || length + 1 >= sizeof v->typed) break;
    v->typed[length] = (char)key;
    v->typed[length + 1] = '\0';
  }
  return ACTION_NONE;
}

enum key_action view_key(struct view *v, int key)
{
  if (v->overlay == OVERLAY_PROMPT) return prompt_key(v, key);
  if (v->overlay == OVERLAY_INSTANCES) return instances_key(v, key);
  if (v->overlay == OVERLAY_HELP) {
    v->overlay = OVERLAY_NONE; /* any key */
    return ACTION_NONE;
  }
  switch (key) {
  /* Keys that need the terminal or the daemons. */
  case 'q':
    return ACTION_QUIT;
  case 'r':
    return ACTION_RESET;
  case 'n':
  case '\t':
    return ACTION_NEXT;
  case 'N':
  case KEYS_BACK_TAB:
    return ACTION_PREVIOUS;
  case 'i':
    v->overlay = OVERLAY_INSTANCES;
    return ACTION_LIST;
  case 'w':
    v->overlay = OVERLAY_PROMPT;
    return ACTION_PROMPT;
  case '?':
    v->overlay = OVERLAY_HELP;
    break;
  /* Contents and order of the view. */
  case 's':
    v->sort = (enum sort)((v->sort + 1) % SORTS);
    break;
  case 'h':
    v->histograms = (v->histograms + 1) % HISTOGRAM_CHOICES;
    break;
  case 'v':
    turn_view(v, 1);
    break;
  case 'V':
    turn_view(v, -1);
    break;
  case 'p':
  case ' ':
    v->held = !v->held;
    break;
  /* Scrolling. */
  case KEYS_UP:
  case 'k':
    scroll_rows(v, -1);
    break;
  case KEYS_DOWN:
  case 'j':
    scroll_rows(v, 1);
    break;
  case KEYS_PAGE_UP:
    scroll_rows(v, -PAGE);
    break;
  case KEYS_PAGE_DOWN:
    scroll_rows(v, PAGE);
    break;
  case KEYS_HOME:
    v->scroll = 0;
    break;
  default:
    if (key >= '0' && key <= '9') {
      v->kind = (enum view_kind)((key - '1' + DIGITS) % DIGITS);
      v->scroll = 0;
    }
  }
  return ACTION_NONE;
}
