/* SPDX-License-Identifier: MIT
 * Chosen signals in ali3-top: every cycle of a real frame ring counts, and trouble stands out on the screen and in text. */
#include "check.h"
#include "common/toys.h"
#include "frames/writer.h"
#include "panes/panes.h"
#include "show.h"
#include "telemetry/shm.h"
#include "tools/canvas_text.h"
#include "words.h"

#include "tools/fake_picture.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static struct telemetry *block;
static ali3_model *model;
static struct signals *signals;
static struct frames_writer writer;
static struct picture picture;
static struct values values;
static struct view view;
static struct canvas canvas;
static char name[40], text[65536];
static uint64_t cycle;

static void start_daemon(double seconds)
{
  char error[300];
  const struct input_spec push = {.name = "push", .kind = INPUT_WRENCH, .body = 0};
  block = telemetry_create(name, NULL, error, sizeof error);
  if (!block) fail_msg("%s", error);
  block->inputs = 1;
  block->input[0].policy = INPUT_RAMP;
  snprintf(block->input[0].name, sizeof block->input[0].name, "push");
  block->input[0].channels = INPUT_WRENCH_CHANNELS;
  for (int k = 0; k < INPUT_WRENCH_CHANNELS; k++) {
    struct input_channel_view *ch = &block->input[0].channel[k];
    atomic_store(&ch->written, k == 0 ? 9.0 : k == 1 ? 7.0 : (double)NAN);
    atomic_store(&ch->lower, -7.0);
    atomic_store(&ch->upper, 7.0);
  }
  client_name_write(&block->input[0].owner_name, 1, "osc 10.0.0.2:9000");
  signals = signals_new(model, &push, 1);
  assert_non_null(signals);
  const struct frames_plan plan = {.telemetry = block,
                                   .model = model,
                                   .signals = signals,
                                   .period_ns = 10000000,
                                   .seconds = seconds,
                                   .limit_bytes = 64 << 20,
                                   .version = "ali3d",
                                   .config = "chain.yaml"};
  if (seconds > 0.0 && !frames_create(&writer, &plan, error, sizeof error)) fail_msg("%s", error);
  assert_true(telemetry_ready(block, error, sizeof error));
  counter_set(&block->histograms.cleared, 2);
  cycle = 0;
}

static void stop_daemon(void)
{
  if (writer.head) frames_destroy(&writer, block);
  writer = (struct frames_writer){0};
  telemetry_destroy(block);
  signals_free(signals);
}

static int start(void **state)
{
  (void)state;
  snprintf(name, sizeof name, "values-%d", (int)getpid());
  model = toy_chain(2, true, 0.01);
  fake_picture(&picture);
  view = (struct view){.kind = VIEW_VALUES};
  values = (struct values){0};
  picture.values = &values;
  return 0;
}

static int finish(void **state)
{
  (void)state;
  values_choose(&values, NULL);
  stop_daemon();
  ali3_model_free(model);
  canvas_free(&canvas);
  return 0;
}

/* One cycle: all signals are x, except those of the input, which are 7. */
static void write_cycle(double x, uint32_t input_state)
{
  struct frames_slot *s = frames_begin(&writer);
  s->cycle = ++cycle;
  s->time = 0.01 * (double)cycle;
  frames_slot_inputs(writer.head, s)[0] = (struct frames_input){.age_ms = 12, .state = input_state};
  double *v = frames_slot_values(writer.head, s);
  for (int i = 0; i < signals->count; i++)
    v[i] = i >= signals->input_first && i < signals->input_first + signals->channels ? 7.0 : x;
  frames_commit(&writer);
}

static void look(void)
{
  values_read(&values, block);
  memcpy(picture.block.input, block->input, sizeof block->input);
}

static const struct value_row *row_of(const char *signal)
{
  for (uint32_t i = 0; i < values.rows; i++)
    if (strcmp(value_name(&values, &values.row[i]), signal) == 0) return &values.row[i];
  fail_msg("%s is not chosen", signal);
  return NULL;
}

static void render(int columns, int rows)
{
  size_t used = 0;
  assert_true(canvas_resize(&canvas, columns, rows));
  frame_draw(&picture, &view, &canvas);
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

static bool has_style(enum style style, wchar_t c)
{
  for (int i = 0; i < canvas.columns * canvas.rows; i++)
    if (canvas.cell[i].style == style && canvas.cell[i].c == c) return true;
  return false;
}

static const char *text_of(void (*show)(const struct picture *p, FILE *out))
{
  FILE *out = fmemopen(text, sizeof text, "w");
  assert_non_null(out);
  show(&picture, out);
  fclose(out);
  return text;
}

TEST(every_cycle_counts)
{
  start_daemon(1.0);
  values_choose(&values, "energy.total,body.*.position");
  write_cycle(3.0, INPUT_FRESH);
  write_cycle(-50.0, INPUT_FRESH);
  write_cycle(4.0, INPUT_FRESH);
  look();
  /* The cycles that were there already, a peak between two looks, and the newest value. */
  assert_string_equal(values.problem, "");
  assert_int_equal(values.rows, 7);
  const struct value_row *energy = row_of("energy.total");
  assert_string_equal(value_unit(&values, energy), "J");
  assert_int_equal(energy->input, -1);
  assert_true(energy->value == 4.0 && energy->min == -50.0 && energy->max == 4.0);
  write_cycle(900.0, INPUT_FRESH);
  write_cycle(5.0, INPUT_FRESH);
  look();
  assert_true(energy->value == 5.0 && energy->min == -50.0 && energy->max == 900.0);
  assert_int_equal(values.taken, 5);
  assert_int_equal(values.slot->cycle, 5);
  /* They begin again, with the next cycle. */
  counter_set(&block->histograms.cleared, 3);
  look();
  assert_true(energy->min > energy->max);
  write_cycle(6.0, INPUT_FRESH);
  look();
  assert_true(energy->min == 6.0 && energy->max == 6.0);
}

TEST(a_sparkline_covers_the_ring)
{
  start_daemon(1.0);
  values_choose(&values, "time");
  const uint64_t slots = writer.head->slots, span = slots / VALUES_SPARK;
  double mean;
  write_cycle(1.0, INPUT_FRESH);
  look();
  assert_true(value_spark(&values, &values.row[0], VALUES_SPARK - 1, &mean) && mean == 1.0);
  assert_false(value_spark(&values, &values.row[0], VALUES_SPARK - 2, &mean));
  /* Column n holds the mean of n * span .. n * span + span - 1. */
  while (cycle < span * VALUES_SPARK) {
    write_cycle((double)cycle, INPUT_FRESH);
    look();
  }
  for (int i = 1; i < VALUES_SPARK; i++) {
    assert_true(value_spark(&values, &values.row[0], i, &mean));
    assert_true(fabs(mean - ((double)i * (double)span + 0.5 * ((double)span - 1.0))) < 1e-9);
  }
  /* Nobody looked for longer than the ring: what is gone is counted, and its columns are empty. */
  while (cycle < 5 * slots) write_cycle(2.0, INPUT_FRESH);
  look();
  assert_true(values.lost > 3 * slots && values.taken + values.lost == cycle);
  assert_true(value_spark(&values, &values.row[0], VALUES_SPARK - 1, &mean) && mean == 2.0);
  assert_false(value_spark(&values, &values.row[0], 0, &mean));
  render(100, 30);
  assert_shows("cycles were gone before they could be read");
}

TEST(trouble_stands_out)
{
  start_daemon(1.0);
  values_choose(&values, "energy.total,input.*");
  write_cycle(1.0, INPUT_FRESH);
  write_cycle(NAN, INPUT_STALE | INPUT_CLAMPED << 8);
  look();
  render(120, 40);
  assert_shows("v values");
  assert_shows("\nenergy.total                                      nan J");
  assert_shows("  not finite in 1 of 2 cycles\n");
  assert_shows("\ninput.push.force.x                                  7 N");
  assert_shows("  input push: stale, age 12 ms, then ramp, AT ITS RANGE, from osc 10.0.0.2:9000\n");
  assert_true(has_style(STYLE_BAD, L'n')); /* nan */
  assert_true(has_style(STYLE_BAD, L'!')); /* in the sparkline */
  assert_shows("\n  written 9, range -7 to 7\ninput.push.force.y                                  7 N");
  assert_shows("\n  written 7, range -7 to 7\ninput.push.force.z                                  7 N");
  assert_shows("\ninput.push.torque.x                                 7 N m"); /* never written */
  assert_true(has_style(STYLE_WARN, L'7'));                                    /* the channel */
  assert_true(has_style(STYLE_WARN, L'G'));                                    /* of RANGE */
  /* And in text. */
  assert_non_null(strstr(text_of(show_values), "nan J       "));
  assert_non_null(strstr(text, "1 to 1  NOT FINITE in 1 cycles\n"));
  assert_non_null(strstr(text, "    input push: stale, age 12 ms, then ramp, AT ITS RANGE, from osc"));
  assert_non_null(
      strstr(text_of(show_values_line),
             "  energy.total nan J NOT FINITE  input.push.force.x 7 N AT A LIMIT  input.push.force.y 7 N  "));
  /* A rate acts on the channels that have not arrived. */
  write_cycle(1.0, INPUT_FRESH | INPUT_SLOWED << 8);
  atomic_store(&block->input[0].channel[1].written, -3.0);
  look();
  assert_false(words_channel(&picture, row_of("input.push.force.x")).trouble);
  assert_true(words_channel(&picture, row_of("input.push.force.y")).trouble);
  assert_false(words_channel(&picture, row_of("input.push.force.z")).trouble);
  json_t *o = values_json(&values);
  json_t *energy = json_array_get(json_object_get(o, "signals"), 0);
  assert_true(json_is_real(json_object_get(energy, "value")));
  assert_int_equal(json_integer_value(json_object_get(energy, "nonfinite_cycles")), 1);
  assert_int_equal(json_integer_value(json_object_get(o, "cycle")), 3);
  json_decref(o);
  /* An input that works, and a finite value, do not. */
  write_cycle(1.0, INPUT_FRESH);
  look();
  render(120, 40);
  assert_shows("  input push: fresh, age 12 ms, then ramp, from osc 10.0.0.2:9000\n");
  assert_false(has_style(STYLE_WARN, L'7'));
}

TEST(reasons_are_given)
{
  start_daemon(0.0);
  render(80, 30);
  assert_shows("no signal is chosen: w chooses signals by name");
  values_choose(&values, "time");
  look();
  render(80, 30);
  assert_shows("keeps no frames: telemetry.frames is 0");
  stop_daemon();
  /* The daemon comes back with a ring. */
  start_daemon(1.0);
  write_cycle(1.0, INPUT_FRESH);
  look();
  assert_string_equal(values.problem, "");
  assert_true(row_of("time")->value == 1.0);
  values_choose(&values, "time, nix*");
  look();
  assert_int_equal(values.rows, 1);
  render(120, 30);
  assert_shows("matches \"nix*\"");
}

TEST(the_prompt_lists_signals)
{
  start_daemon(1.0);
  look();
  view.overlay = OVERLAY_PROMPT;
  snprintf(view.typed, sizeof view.typed, "time,energy.");
  render(100, 40);
  assert_shows("> time,energy.");
  assert_shows("1 of ");
  assert_shows(" time ");
  assert_shows(" energy.kinetic ");
  assert_true(has_style(STYLE_GOOD, L't'));
  memset(view.typed, 'x', sizeof view.typed - 2);
  snprintf(view.typed + sizeof view.typed - 2, 2, "y");
  render(60, 20);
  assert_shows("xxxxxy");
  for (int columns = 1; columns < 130; columns += 7)
    for (int rows = 1; rows < 30; rows += 3) render(columns, rows);
}

TEST(any_width)
{
  start_daemon(1.0);
  values_choose(&values, "*");
  for (int i = 0; i < 30; i++) write_cycle(i % 2 ? 1e308 : -1e308, INPUT_FRESH);
  look();
  for (int kind = 0; kind < 2; kind++)
    for (int utf8 = 0; utf8 < 2; utf8++)
      for (int columns = 1; columns < 220; columns += 13)
        for (int rows = 1; rows < 70; rows += 11) {
          view.kind = kind ? VIEW_VALUES : VIEW_OVERVIEW;
          canvas.utf8 = utf8;
          render(columns, rows);
        }
  view.kind = VIEW_VALUES;
  render(80, 300);
  assert_shows("\n<dy.b1.angular_velocity.x");
}

int main(void)
{
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_cycle_counts, start, finish),
      cmocka_unit_test_setup_teardown(a_sparkline_covers_the_ring, start, finish),
      cmocka_unit_test_setup_teardown(trouble_stands_out, start, finish),
      cmocka_unit_test_setup_teardown(reasons_are_given, start, finish),
      cmocka_unit_test_setup_teardown(the_prompt_lists_signals, start, finish),
      cmocka_unit_test_setup_teardown(any_width, start, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
