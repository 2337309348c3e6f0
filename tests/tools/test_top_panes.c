/* SPDX-License-Identifier: MIT
 * The screens of ali3-top, drawn without a terminal: the required content at any size. */
#include "check.h"
#include "panes/panes.h"
#include "tools/canvas_text.h"

#include "telemetry/fields.h"
#include "tools/fake_picture.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static struct picture picture;
static struct view view;
static struct canvas canvas;
static char text[65536];

static int start(void **state)
{
  (void)state;
  fake_picture(&picture);
  view = (struct view){0};
  return 0;
}

static int finish(void **state)
{
  (void)state;
  canvas_free(&canvas);
  return 0;
}

/* Leaves the rows in `text`, one line each. */
static void render(int columns, int rows)
{
  assert_true(canvas_resize(&canvas, columns, rows));
  frame_draw(&picture, &view, &canvas);
  size_t used = 0;
  for (int row = 0; row < rows; row++) {
    canvas_text(&canvas, row, text + used, sizeof text - used - 1);
    used += strlen(text + used);
    text[used++] = '\n';
  }
  text[used] = '\0';
}

static void assert_shows(const char *part)
{
  if (!strstr(text, part)) fail_msg("\"%s\" is missing in:\n%s", part, text);
}

static void assert_hides(const char *part)
{
  if (strstr(text, part)) fail_msg("\"%s\" should not be in:\n%s", part, text);
}

/* The style of the first character of a text on the screen. */
static enum style style_of(const char *part)
{
  const char *at = strstr(text, part);
  if (!at) fail_msg("\"%s\" is missing in:\n%s", part, text);
  int row = 0;
  const char *line = text;
  for (const char *c = text; c < at; c++) {
    row += *c == '\n';
    if (*c == '\n') line = c + 1;
  }
  return canvas.cell[row * canvas.columns + (int)(at - line)].style; /* ASCII: a byte is a column */
}

TEST(a_small_terminal_has_the_main_figures)
{
  render(80, 24);
  assert_shows("bench_1   RUNNING   healthy   cycle 30000   t 298.500 s   up 5 min\n");
  assert_shows("10 ms by timer, overrun skip   SCHED_FIFO 80, CPU 3   2 workers   avx2\n");
  assert_shows("load 1 s 3.1 %, 10 s 2.9 %, 60 s 2.8 %   four-bar: 3 bodies, 20 rows\n");
  assert_shows("misses 0 (95 % sure: below 3.0e-04 per cycle)   grace 0   skipped 0   late 0\n");
  assert_shows("wakeup  m 81.0  p 130.0  M 2000.0");
  assert_shows("cycle  m 112.0");
  for (int i = 0; i < BOOK_ROWS; i++) {
    char line[16];
    if (i == BOOK_ROW_platform) continue; /* there is no platform */
    snprintf(line, sizeof line, "\n%-9s", book_row_name(i));
    assert_shows(line);
  }
  assert_shows("phase, us     last   median      p99    p99.9      max  at cycle\n");
  assert_shows("wakeup       129.0     81.0    130.0    130.0   2000.0     29900   1 s ago\n");
  assert_shows("q quit  v overview  h bars  s listed  r reset  p hold  n next  i list  ? help");
  assert_hides("NOT REAL-TIME");
  assert_hides("misses, newest first");
  assert_int_equal(style_of("RUNNING"), STYLE_GOOD);
  assert_int_equal(style_of("2000.0     29900"), STYLE_MARK); /* new */
  assert_int_equal(style_of("9.0      9.0     20100"), STYLE_PLAIN);
}

TEST(figures_are_all_there)
{
  picture.block.live.fault = FAULT_STALE;
  snprintf(picture.block.live.violated_at, sizeof picture.block.live.violated_at, "joint knee");
  view.kind = VIEW_FIGURES;
  render(120, 80);
  for (int i = 0; i < telemetry_fields; i++) {
    char line[32];
    snprintf(line, sizeof line, "\n%s ",
             *telemetry_field[i].key ? telemetry_field[i].key : telemetry_field[i].metric);
    assert_shows(line);
  }
  assert_shows("\ntime_s                           298.5 s   simulated time\n");
  assert_shows(
      "\nrealtime                           yes     1 if the host granted SCHED_FIFO and locked memory\n");
  assert_shows("\nviolated_cycle                       -     cycle of the last violated step\n");
  assert_shows("\nfault                                3     an input has not come for too long\n");
  assert_shows("\nviolated_at            joint knee\n");
}

TEST(large_terminal_has_everything)
{
  fake_miss(&picture, 1, 29000);
  render(200, 60);
  assert_shows("step, us  m median 12.0  p 99.9 % 12.0  M max 12.0  of 10000");
  assert_shows("level, us nodes  share    wait     max    busy    mean     max  at cycle");
  assert_shows("bodies          23.8 %     2.5     2.5     5.0     5.0     5.0     20100  99 s ago");
  assert_shows("level 1      16 42.9 %       -       -     9.0     9.0     9.0     20100  99 s ago");
  assert_shows("    10 s  miss 1 at cycle 29000: woke 12.0 ms late, then took 300 us; 1 start skipped\n");
  assert_shows("push                         12 ms     50 ms      ramp");
  assert_shows("pull                         70 ms     50 ms      safe  STALE");
  assert_shows("twist                         none     50 ms      hold");
  assert_int_equal(style_of("STALE"), STYLE_BAD);
  assert_hides("STALE clamped");
  atomic_store(&picture.block.input[1].state, INPUT_RECOVERING);
  atomic_store(&picture.block.input[1].limits, INPUT_CLAMPED | INPUT_SLOWED);
  render(200, 60);
  assert_shows("safe  RECOVERING clamped slowed");
  assert_shows("\n           2  OSC targets and subscribers now");
  assert_shows("\n           0  Modbus clients connected now");
  assert_shows("\n           5  Modbus connections closed in mid-frame");
  assert_shows("0 degraded steps   increment 1.0e-12   violation 3.0e-13   clamped 0");
}

TEST(owners_of_inputs_are_named)
{
  view.kind = VIEW_INPUTS;
  render(120, 24);
  assert_hides("from ");
  client_name_write(&picture.block.input[0].owner_name, 1, "osc 10.0.0.2:9000");
  client_name_write(&picture.block.input[1].owner_name, 1, "modbus 10.0.0.3:502");
  render(120, 24);
  assert_shows("push                         12 ms     50 ms      ramp  from osc 10.0.0.2:9000\n");
  assert_shows("safe  STALE from modbus 10.0.0.3:502\n");
}

TEST(devices_are_listed)
{
  render(200, 60);
  assert_hides("device ");
  fake_device(&picture.block, "plc", DEVICE_UP, FAKE_NOW - 20000000);
  fake_device(&picture.block, "drive", DEVICE_FAILING, FAKE_NOW - 3000000000);
  fake_device(&picture.block, "late", DEVICE_CONNECTING, 0);
  view.kind = VIEW_DEVICES;
  render(120, 24);
  assert_shows("device                      polled     polls    late  errors  state\n");
  assert_shows("plc                          20 ms       12k       3       9  up\n");
  assert_shows("drive                      3000 ms       12k       3       9  failing: read holding 100-119: "
               "no answer");
  assert_shows("late                          none       12k       3       9  connecting: ");
  assert_int_equal(style_of("up\n"), STYLE_GOOD);
  assert_int_equal(style_of("failing"), STYLE_BAD);
  assert_int_equal(style_of("connecting"), STYLE_BAD);
  view.kind = VIEW_OVERVIEW;
  render(200, 60);
  assert_shows("plc                          20 ms");
}

TEST(trouble_is_in_the_header)
{
  struct telemetry *t = &picture.block;
  t->realtime = 0;
  t->priority = t->cpu = -1;
  snprintf(t->reason, sizeof t->reason, "SCHED_FIFO 80: Operation not permitted");
  t->live.state = STATE_SAFE;
  t->live.misses = 3;
  t->live.grace_misses = 2;
  t->live.skipped = 4;
  t->live.late_starts = 7;
  t->live.slipped_ns = 20000000;
  t->live.degraded = 9;
  t->live.load[0] = 0.93;
  t->overrun = OVERRUN_CATCH_UP;
  t->catch_up = 5;
  t->max_misses = 8;
  picture.sample.verdict = VERDICT_DEGRADED;
  picture.sample.reasons = 2;
  snprintf(picture.sample.reason[0], sizeof picture.sample.reason[0], "state SAFE: e-stop requested");
  snprintf(picture.sample.reason[1], sizeof picture.sample.reason[1], "3 deadlines missed, the last 4 s ago");
  render(100, 40);
  assert_shows("bench_1   SAFE   DEGRADED");
  assert_shows("\nstate SAFE: e-stop requested\n3 deadlines missed, the last 4 s ago\n");
  assert_shows("\nNOT REAL-TIME, figures unrepresentative: SCHED_FIFO 80: Operation not permitted\n");
  assert_shows("overrun catch_up 5, SAFE after 8   no priority, any CPU");
  assert_shows("\nmisses 3   grace 2   skipped 4   late 7   slipped 0.020 s\n");
  assert_shows("\n9 degraded steps");
  assert_int_equal(style_of("SAFE"), STYLE_BAD);
  assert_int_equal(style_of("NOT REAL"), STYLE_BAD);
  assert_int_equal(style_of("misses 3"), STYLE_WARN);
  assert_int_equal(style_of("load 1 s 93.0 %"), STYLE_WARN);
}

/* A long reason must not displace the figures on a small screen. */
TEST(long_reasons_are_cut)
{
  picture.block.realtime = 0;
  for (size_t i = 0; i + 5 < sizeof picture.block.reason; i += 4) memcpy(picture.block.reason + i, "why ", 5);
  render(80, 24);
  assert_shows("\nNOT REAL-TIME, figures unrepresentative: why why");
  assert_shows("why\n10 ms by timer");
  assert_shows("\ncycle    ");
  const char *begin = strstr(text, "NOT REAL"), *end = strstr(text, "\n10 ms");
  assert_true(end - begin < 2 * 81);
  render(80, 50);
  assert_true(strstr(text, "\n10 ms") - strstr(text, "NOT REAL") > 256);
}

TEST(beats_are_shown_where_they_pace)
{
  render(80, 24);
  assert_hides("beats");
  picture.block.clocking = CLOCKING_INPUT;
  picture.block.live.beats = 77;
  picture.block.live.beats_lost = 1;
  picture.block.live.beat_error_ns = -1500;
  picture.block.live.waiting = 1;
  render(80, 24);
  assert_shows("RUNNING (waits)");
  assert_shows("10 ms by input");
  assert_shows("\nbeats 77   lost 1   off by -1.5 us   pulled +0.000000 s\n");
}

/* A daemon that is gone leaves its last figures; without any daemon there is a message. */
TEST(gone_daemons)
{
  picture.sample = (struct sample){.verdict = VERDICT_GONE, .reasons = 1};
  snprintf(picture.sample.reason[0], sizeof picture.sample.reason[0], "\"bench_1\" is gone");
  render(80, 24);
  assert_shows("bench_1   GONE   cycle 30000");
  assert_shows("\n\"bench_1\" is gone\n");
  assert_shows("waiting for it to come back");
  assert_shows("wakeup       129.0");
  assert_hides("RUNNING");

  picture.seen = false;
  snprintf(picture.sample.reason[0], sizeof picture.sample.reason[0], "no daemon is running");
  render(80, 24);
  assert_shows("GONE\nno daemon is running\nWaiting for a daemon.\n");
  assert_hides("wakeup");
}

TEST(the_platform_is_shown_if_there_is_one)
{
  render(80, 60);
  assert_hides("platform");
  fake_platform(&picture);
  render(80, 60);
  assert_shows("\nplatform ");
  assert_shows("\nrun  washout  engaged, rate_limited\n");
  assert_shows("\nsurge         12.3 mm       20.0 mm     1 ");
  assert_shows("\npitch         5.73 deg      0.00 deg    5 ");
  assert_shows("   0.8500 m\n");
  assert_shows("   0.7000 m\n");
  assert_int_equal(style_of("run  washout"), STYLE_GOOD);
  view.kind = VIEW_PLATFORM;
  render(120, 24);
  assert_shows("5 |-------------------+-------------------#   1.0150 m\n");
  assert_shows("3 #-------------------+-------------------|   0.7000 m\n");
  assert_shows("1 |-------------------#-------------------|   0.8500 m\n");
  struct platform_live *l = &picture.block.live.platform;
  const struct platform_live known = *l;
  *l = (struct platform_live){.state = PLATFORM_UNKNOWN, .mode = PLATFORM_WASHOUT};
  for (int k = 0; k < 6; k++) l->pose[k] = l->target[k] = l->legs[k] = (double)NAN;
  render(120, 24); /* no mark without a known place */
  assert_shows("\nunknown  washout  outputs withheld until arm\n");
  assert_shows("3 |-------------------+-------------------|      nan m\n");
  *l = known;
  picture.block.cranks = 1;
  render(60, 24); /* no room for bars */
  assert_shows("1    0.8500 rad\n");
}

TEST(the_rig_is_shown_if_there_is_one)
{
  struct telemetry *t = &picture.block;
  render(80, 60);
  assert_hides("permissives");
  fake_platform(&picture);
  t->rig = 1;
  t->permissives = 2;
  strcpy(t->permissive[0], "chain");
  strcpy(t->permissive[1], "door");
  t->live.rig = (struct rig_output){.pose = {0.0123, 0, 0, 0, 0.1, 0},
                                    .pose_error = {-0.002, 0, 0, 0, 0, 0},
                                    .legs = {0.85, 0.8, 0.8, 0.8, 0.8, 0.8},
                                    .leg_error = {0.0015, 0, 0, 0, 0, -0.03},
                                    .permissives = {1},
                                    .flags = {RIG_REPORTS | RIG_TRIPS}};
  view.kind = VIEW_RIG;
  render(80, 24);
  assert_shows("reports, trips\n");
  assert_shows("permissives  chain  NO door\n");
  assert_shows("surge         12.3 mm       -2.0 mm");
  assert_shows("0.8500      0.0015 m\n");
  assert_shows("     -0.0300 m\n");
  assert_int_equal(style_of("reports, trips"), STYLE_BAD);
  assert_int_equal(style_of("NO door"), STYLE_BAD);
  t->live.rig.flags[0] = (double)NAN; /* a block from outside */
  render(80, 24);
  assert_shows("no report\n");
}

TEST(tables_are_sorted)
{
  view.kind = VIEW_LEVELS;
  render(80, 24);
  assert_true(strstr(text, "\npredict") < strstr(text, "\nlevel 4"));
  view.sort = SORT_MAX;
  render(80, 24);
  assert_true(strstr(text, "\npredict") > strstr(text, "\nlevel 4"));
  assert_shows("s max");
  view.kind = VIEW_PHASES;
  render(80, 24);
  assert_true(strstr(text, "\ncycle    ") < strstr(text, "\nwakeup   "));
  view.sort = SORT_LAST;
  render(80, 24);
  assert_true(strstr(text, "\ncycle    ") < strstr(text, "\nwakeup   "));
  assert_true(strstr(text, "\nlatch    ") > strstr(text, "\nprepare  "));
}

/* A view fills the screen, and scrolls as far as it has rows. */
TEST(views_scroll)
{
  for (uint64_t i = 1; i <= 40; i++) fake_miss(&picture, i, 20000 + i);
  view.kind = VIEW_MISSES;
  render(120, 24);
  assert_shows("misses, newest first");
  assert_shows("miss 40 at cycle 20040");
  assert_shows(" 18 of 32\n");
  assert_hides("miss 22 at");
  view.scroll = 1000;
  render(120, 24);
  assert_int_equal(view.scroll, 14);
  assert_hides("miss 40 at");
  assert_shows("miss 9 at cycle 20009"); /* the 32nd */
  assert_shows("misses, newest first");
  fake_picture(&picture);
  render(120, 24);
  assert_int_equal(view.scroll, 0);
  assert_shows("\nnone\n");
}

TEST(misses_are_wrapped_and_distinct)
{
  fake_miss(&picture, 1, 20000);
  fake_miss(&picture, 2, 29000);
  atomic_store(&picture.block.misses.lost, 6);
  picture.miss[1].grace = 1;
  view.kind = VIEW_MISSES;
  render(60, 24);
  assert_shows(
      "    10 s  miss 2 at cycle 29000: woke 12.0 ms late, then\n          took 300 us; 1 start skipped\n");
  assert_shows("   100 s  miss 1 in the grace at cycle 20000:");
  assert_shows("          6 not recorded: too many at a time\n");
  assert_int_equal(style_of("miss 1 in"), STYLE_FAINT);
  assert_int_equal(style_of("miss 2 at"), STYLE_PLAIN);
}

TEST(bars_reach_from_least_to_greatest)
{
  view.kind = VIEW_HISTOGRAMS;
  view.histograms = HISTOGRAM_SETS + BOOK_ROW_wakeup;
  render(100, 24);
  assert_shows("wakeup, us  m median 81.0  p 99.9 % 130.0  M max 2000.0  of 10000\n");
  assert_shows("\n      20us ");
  assert_shows(" 1ms ");
  assert_shows(" 2ms\n");
  const char *axis = strchr(strstr(text, "+-"), '\n');
  assert_non_null(axis);
  assert_int_equal(axis[-1], 'M'); /* at the end of the axis */
  assert_shows("m");
  assert_shows("#");
  /* The bars are marked for a time beyond the period. */
  histogram_add(&picture.block.histograms.wakeup, 50000000, 29950);
  render(100, 24);
  assert_shows("T");
  bool marked = false;
  for (int i = 0; i < 100 * 24; i++) marked |= canvas.cell[i].style == STYLE_BAD && canvas.cell[i].c != L'T';
  assert_true(marked);
  histogram_clear(&picture.block.histograms.wakeup);
  render(100, 24);
  assert_shows("wakeup, us: none yet");
}

TEST(overlays)
{
  view.overlay = OVERLAY_HELP;
  render(80, 24);
  assert_shows("q        quit; the last refresh gives the exit status");
  assert_shows("Any key closes this.");
  view.overlay = OVERLAY_INSTANCES;
  render(80, 24);
  assert_shows("no daemon is present");
  view.instances = 40;
  for (int i = 0; i < 40; i++) snprintf(view.instance[i], sizeof view.instance[i], "bench_%d", i);
  view.chosen = 35;
  render(80, 24);
  assert_shows("bench_35 ");
  assert_hides("bench_36 ");
  assert_int_equal(style_of("bench_35 "), STYLE_INVERSE);
  view.chosen = 1;
  render(80, 24);
  assert_shows("bench_1 (shown)");
}

TEST(the_status_line_speaks)
{
  view.held = true;
  render(80, 24);
  assert_shows("HELD  q quit");
  view_say(&view, 1, "process 4711 asked");
  render(80, 24);
  assert_shows("\n process 4711 asked\n");
  assert_hides("q quit");
}

/* For any size and view: nothing beyond the canvas (address sanitizer), no character that the terminal does not know,
 * keys in the last row. */
TEST(any_size)
{
  static const int size[][2] = {{80, 24}, {120, 40},  {200, 60}, {20, 5},  {1, 1},   {2, 3},
                                {5, 80},  {300, 3},   {119, 7},  {150, 9}, {40, 12}, {7, 4},
                                {0, 10},  {640, 200}, {61, 30},  {80, 6}};
  for (uint64_t i = 1; i <= 5; i++) fake_miss(&picture, i, 20000 + i);
  for (int i = 0; i < DEVICES_MAX; i++) fake_device(&picture.block, "plc", DEVICE_FAILING, 0);
  view.instances = 3;
  for (int utf8 = 0; utf8 < 2; utf8++) {
    canvas.utf8 = utf8;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
      for (int kind = 0; kind < VIEWS; kind++)
        for (int overlay = 0; overlay <= OVERLAY_INSTANCES; overlay++) {
          view.kind = (enum view_kind)kind;
          view.overlay = (enum overlay)overlay;
          view.histograms = (view.histograms + 1) % HISTOGRAM_CHOICES;
          assert_true(canvas_resize(&canvas, size[i][0], size[i][1]));
          frame_draw(&picture, &view, &canvas);
          const int cells = size[i][0] * size[i][1];
          for (int k = 0; k < cells; k++) {
            const wchar_t c = canvas.cell[k].c;
            assert_true(c >= L' ' && (utf8 || c < 0x7f));
            if (k >= cells - size[i][0]) assert_int_equal(canvas.cell[k].style, STYLE_INVERSE);
          }
        }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_small_terminal_has_the_main_figures, start, finish),
      cmocka_unit_test_setup_teardown(figures_are_all_there, start, finish),
      cmocka_unit_test_setup_teardown(large_terminal_has_everything, start, finish),
      cmocka_unit_test_setup_teardown(owners_of_inputs_are_named, start, finish),
      cmocka_unit_test_setup_teardown(devices_are_listed, start, finish),
      cmocka_unit_test_setup_teardown(trouble_is_in_the_header, start, finish),
      cmocka_unit_test_setup_teardown(long_reasons_are_cut, start, finish),
      cmocka_unit_test_setup_teardown(beats_are_shown_where_they_pace, start, finish),
      cmocka_unit_test_setup_teardown(gone_daemons, start, finish),
      cmocka_unit_test_setup_teardown(the_platform_is_shown_if_there_is_one, start, finish),
      cmocka_unit_test_setup_teardown(the_rig_is_shown_if_there_is_one, start, finish),
      cmocka_unit_test_setup_teardown(tables_are_sorted, start, finish),
      cmocka_unit_test_setup_teardown(views_scroll, start, finish),
      cmocka_unit_test_setup_teardown(misses_are_wrapped_and_distinct, start, finish),
      cmocka_unit_test_setup_teardown(bars_reach_from_least_to_greatest, start, finish),
      cmocka_unit_test_setup_teardown(overlays, start, finish),
      cmocka_unit_test_setup_teardown(the_status_line_speaks, start, finish),
      cmocka_unit_test_setup_teardown(any_size, start, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
