/* SPDX-License-Identifier: MIT
 * The terminal: shows the canvas and reads keys by ncurses. Signals are unblocked only while it waits, so that none is
 * lost. */
#include "screen.h"

#include "panes/panes.h"
#include "reset.h"
#include "rt/clock.h"

#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAIR_GOOD = 1, PAIR_WARN, PAIR_BAD, PAIR_BAR, PAIR_MARK, CONTROL_L = 0x0c };

struct appearance {
  attr_t attributes;
  short pair;
};

struct screen {
  SCREEN *terminal;
  struct appearance appearance[STYLES];
  struct canvas canvas;
  struct picture picture;
  struct view view;
  struct watch watch;
  struct values values;
  char wanted[64];  /* instance chosen by a key; "" */
  uint64_t cleared; /* last clear of the histograms at the last look */
  sigset_t outside; /* signal mask before the start, and while waiting */
};

static void choose_appearances(struct screen *s)
{
  const char *no_color = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe): one thread */
  struct appearance *appearance = s->appearance;
  appearance[STYLE_TITLE].attributes = appearance[STYLE_MARK].attributes = appearance[STYLE_WARN].attributes =
      A_BOLD;
  appearance[STYLE_BAD].attributes = A_BOLD | A_REVERSE;
  appearance[STYLE_INVERSE].attributes = A_REVERSE;
  if (!has_colors() || (no_color && *no_color)) return;
  start_color();
  use_default_colors();
  static const struct {
    enum style style;
    short pair, colour;
    attr_t attributes;
  } coloured[] = {{STYLE_GOOD, PAIR_GOOD, COLOR_GREEN, A_BOLD},
                  {STYLE_WARN, PAIR_WARN, COLOR_YELLOW, A_BOLD},
                  {STYLE_BAD, PAIR_BAD, COLOR_RED, A_BOLD},
                  {STYLE_BAR, PAIR_BAR, COLOR_CYAN, A_NORMAL},
                  {STYLE_MARK, PAIR_MARK, COLOR_YELLOW, A_BOLD}};
  for (size_t i = 0; i < sizeof coloured / sizeof *coloured; i++) {
    init_pair(coloured[i].pair, coloured[i].colour, -1);
    appearance[coloured[i].style] = (struct appearance){coloured[i].attributes, coloured[i].pair};
  }
  appearance[STYLE_FAINT].attributes = A_DIM;
}

static bool open_terminal(struct screen *s)
{
  setlocale(LC_CTYPE, "");
  s->canvas.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0; /* NOLINT(concurrency-mt-unsafe): one thread */
  s->terminal = newterm(NULL, stdout, stdin);
  if (!s->terminal) return false;
  const char *place = tigetstr("cup"); /* NOLINT(concurrency-mt-unsafe): one thread */
  if (!place || place == (const char *)-1) {
    endwin();
    return false;
  }
  choose_appearances(s);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(50);
  curs_set(0);
  return true;
}

static void close_terminal(struct screen *s)
{
  endwin();
  delscreen(s->terminal);
  canvas_free(&s->canvas);
}

static void put_cell(const struct screen *s, int x, int y, const struct cell *cell)
{
  const wchar_t text[2] = {cell->c, L'\0'};
  const struct appearance *appearance = &s->appearance[cell->style];
  cchar_t c;
  setcchar(&c, text, appearance->attributes, appearance->pair, NULL);
  mvadd_wch(y, x, &c);
}

static void draw_screen(struct screen *s)
{
  int rows, columns;
  getmaxyx(stdscr, rows, columns);
  if ((columns != s->canvas.columns || rows != s->canvas.rows) && !canvas_resize(&s->canvas, columns, rows))
    return;
  if (clock_now_ns() >= s->view.message_until_ns) s->view.message[0] = '\0';
  frame_draw(&s->picture, &s->view, &s->canvas);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++)
      put_cell(s, x, y, &s->canvas.cell[(size_t)y * (size_t)columns + (size_t)x]);
  refresh();
}

static void look_at_daemon(struct screen *s)
{
  picture_take(&s->picture, &s->watch);
  if (!s->picture.sample.t) return;
  const uint64_t cleared = counter_get(&s->picture.block.histograms.cleared);
  if (s->cleared && cleared > s->cleared)
    view_say(&s->view, s->picture.now_ns, "maxima and distributions start at cycle %" PRIu64, cleared);
  s->cleared = cleared;
}

/* The name of one that is gone leaves the mark at its place. */
static void mark_instance(struct view *v, const char *name)
{
  for (int i = 0; i < v->instances; i++)
    if (strcmp(v->instance[i], name) == 0) v->chosen = i;
}

static void follow_instance(struct screen *s, const char *name)
{
  if (!name) {
    view_say(&s->view, clock_now_ns(), "there is no other instance");
    return;
  }
  watch_close(&s->watch);
  snprintf(s->wanted, sizeof s->wanted, "%.63s", name);
  s->watch = (struct watch){.wanted = s->wanted};
  s->picture.seen = s->view.held = false;
  s->cleared = 0;
  mark_instance(&s->view, s->wanted);
  look_at_daemon(s);
}

static void reset_daemon(struct screen *s)
{
  char text[sizeof s->view.message] = "not reset: there is no daemon";
  if (s->picture.sample.t) reset_send(s->picture.sample.t, text, sizeof text);
  view_say(&s->view, clock_now_ns(), "%s", text);
}

static const char *current_instance(const struct screen *s)
{
  return s->picture.seen ? s->picture.block.instance : s->wanted;
}

static void refresh_list(struct screen *s)
{
  struct view *v = &s->view;
  v->instances = telemetry_list(v->instance, INSTANCES_MAX);
  if (v->chosen >= v->instances) v->chosen = v->instances > 0 ? v->instances - 1 : 0;
  mark_instance(v, current_instance(s));
}

/* Returns true to go on. */
static bool do_action(struct screen *s, enum key_action action)
{
  switch (action) {
  case ACTION_QUIT:
    return false;
  case ACTION_RESET:
    reset_daemon(s);
    break;
  /* The list may have changed since it was made. */
  case ACTION_NEXT:
  case ACTION_PREVIOUS:
    refresh_list(s);
    follow_instance(s, view_neighbour(&s->view, current_instance(s), action == ACTION_NEXT ? 1 : -1));
    break;
  case ACTION_LIST:
    refresh_list(s);
    break;
  case ACTION_CHOSEN:
    follow_instance(s, s->view.instance[s->view.chosen]);
    break;
  case ACTION_PROMPT:
    snprintf(s->view.typed, sizeof s->view.typed, "%s", s->values.globs ? s->values.globs : "");
    break;
  case ACTION_VALUES:
    values_choose(&s->values, s->view.typed);
    s->view.held = false;
    look_at_daemon(s);
    break;
  case ACTION_NONE:
    break;
  }
  return true;
}

static int key_of(int c)
{
  switch (c) {
  case KEY_UP:
    return KEYS_UP;
  case KEY_DOWN:
    return KEYS_DOWN;
  case KEY_PPAGE:
    return KEYS_PAGE_UP;
  case KEY_NPAGE:
    return KEYS_PAGE_DOWN;
  case KEY_HOME:
    return KEYS_HOME;
  case KEY_BTAB:
    return KEYS_BACK_TAB;
  case KEY_BACKSPACE:
  case '\b':
  case 0x7f:
    return KEYS_BACKSPACE;
  /* Terminals send Enter and Escape as characters. */
  case KEY_ENTER:
  case '\r':
  case '\n':
    return KEYS_ENTER;
  case '\033':
    return KEYS_ESCAPE;
  default:
    return c;
  }
}

/* Handles all waiting keys. Returns true to go on. A change of size comes as a key, too. */
static bool take_keys(struct screen *s)
{
  for (int c; (c = getch()) != ERR;) {
    if (c == KEY_RESIZE || c == CONTROL_L)
      clearok(curscr, TRUE);
    else if (!do_action(s, view_key(&s->view, key_of(c))))
      return false;
  }
  return true;
}

/* Waits until t_ns, a key or a signal. Returns false if the terminal is gone. */
static bool wait_for_keys(const struct screen *s, uint64_t t_ns)
{
  const uint64_t now = clock_now_ns();
  const struct timespec left = clock_timespec(t_ns > now ? t_ns - now : 0);
  struct pollfd in = {.fd = isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN};
  ppoll(&in, 1, &left, &s->outside);
  return !(in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void run_refreshes(struct screen *s, const struct options *o, const volatile sig_atomic_t *interrupted)
{
  const uint64_t interval = (uint64_t)(o->interval * 1e9), begin = clock_now_ns();
  const uint64_t end = o->seconds > 0.0 ? begin + (uint64_t)(o->seconds * 1e9) : UINT64_MAX;
  uint64_t next = begin;
  for (bool on = true; on;) {
    const uint64_t now = clock_now_ns();
    if (now >= next) {
      if (!s->view.held) look_at_daemon(s);
      next = now + interval < end ? now + interval : end;
    }
    draw_screen(s);
    if (now >= end) break;
    on = wait_for_keys(s, next) && !*interrupted && take_keys(s);
  }
}

int screen_run(const struct options *o, const volatile sig_atomic_t *interrupted)
{
  static struct screen s;
  s.watch.wanted = o->instance;
  s.picture.values = &s.values;
  values_choose(&s.values, o->globs);
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  sigaddset(&held, SIGWINCH);
  sigprocmask(SIG_BLOCK, &held, &s.outside);
  if (!open_terminal(&s)) {
    fprintf(stderr,
            "ali3-top: terminal type \"%s\" is unknown or cannot position the cursor; set TERM, or use "
            "--line or --once\n",
            getenv("TERM") ? getenv("TERM") : ""); /* NOLINT(concurrency-mt-unsafe): one thread */
    return EXIT_USAGE;
  }
  run_refreshes(&s, o, interrupted);
  close_terminal(&s);
  watch_close(&s.watch);
  values_choose(&s.values, NULL);
  return (int)s.picture.sample.verdict;
}
