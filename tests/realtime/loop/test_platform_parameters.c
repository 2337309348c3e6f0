/* SPDX-License-Identifier: MIT
 * Parameters of the motion platform that change while the loop runs: alone, in sets, by a reload. The platform only records them. */
#include "check.h"
#include "loop/told_platform.h"

#include "loop/cycle_parts.h"

#include <ali3/model.h>
#include <math.h>

static void parameters_change_at_the_edge_of_a_cycle(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  struct cycle_event e;
  while (outbox_next_event(&b->cycle.outbox, &e)) continue;
  assert_int_equal(set_parameter(b, PARAMETER(gain_lin[1]), 0.25), RESULT_OK);
  assert_int_equal(told_it.tunes, 1);
  assert_true(told_it.params.gain_lin[1] == 0.25 && told_it.params.gain_lin[0] == 0.44);
  assert_int_equal(told_it.mode, PLATFORM_WASHOUT);
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_int_equal(e.cause, CAUSE_PLATFORM_SET);
  assert_int_equal(e.code, PARAMETER(gain_lin[1]));
  assert_true(e.value == 0.25 && e.port == 0 && e.client == 7);

  static const struct {
    uint32_t parameter;
    double value;
  } bad[] = {{PARAMETER(gain_lin[1]), 1.6}, {PARAMETER(hp_zeta), 0.0},   {PARAMETER(hp_zeta), (double)NAN},
             {PARAMETER(lp_wn), 4.9},       /* a notch */ {PARAMS, 1.0}, {UINT32_MAX, 1.0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(set_parameter(b, bad[i].parameter, bad[i].value), RESULT_BAD_ARGUMENT);
  assert_int_equal(told_it.tunes, 1);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_true(outbox_next_event(&b->cycle.outbox, &e));
    assert_true(e.cause == CAUSE_REFUSED && e.code == COMMAND_PLATFORM && e.value == RESULT_BAD_ARGUMENT);
  }
  assert_false(outbox_next_event(&b->cycle.outbox, &e));

  /* Three numbers act together, or none acts; the refusal names the one that is wrong. */
  static const double wanted[3] = {0.1, 0.2, 0.3};
  assert_int_equal(set_parameters(b, PARAMETER(gain_lin), wanted), RESULT_OK);
  assert_int_equal(told_it.tunes, 2);
  for (int i = 0; i < 3; i++) {
    assert_true(told_it.params.gain_lin[i] == wanted[i]);
    assert_true(outbox_next_event(&b->cycle.outbox, &e));
    assert_int_equal(e.cause, CAUSE_PLATFORM_SET);
    assert_int_equal(e.code, PARAMETER(gain_lin) + (uint32_t)i);
  }
  assert_int_equal(set_parameters(b, PARAMETER(gain_lin), (double[]){0.4, 1.6, 0.4}), RESULT_BAD_ARGUMENT);
  assert_int_equal(told_it.tunes, 2);
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_true(e.cause == CAUSE_REFUSED && e.parameter == PARAMETER(gain_lin[1]) && e.asked == 1.6);
  assert_int_equal(set_parameters(b, PARAMETER(hp_wn), (double[]){2.0, 2.6, 3.0}),
                   RESULT_BAD_ARGUMENT); /* a notch */
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_true(e.cause == CAUSE_REFUSED && e.parameter == PARAMETER(hp_wn[0]));
  assert_false(outbox_next_event(&b->cycle.outbox, &e));

  /* The next reload restores all values of the file. */
  struct cycle_tuning t = {
      .live.catch_up = 3, .platform = true, .mode = PLATFORM_EXTERNAL, .params = setup.spec.params};
  t.params.blend[0] = 2.0;
  cycle_tune(&b->cycle, &t);
  after(b, 1);
  assert_int_equal(told_it.tunes, 3);
  assert_int_equal(told_it.mode, PLATFORM_EXTERNAL);
  assert_memory_equal(&told_it.params, &t.params, sizeof t.params);
  cycle_tune(&b->cycle, &t); /* a second time changes nothing */
  t.platform = false;
  t.params.blend[0] = 3.0;
  after(b, 1);
  cycle_tune(&b->cycle, &t);
  after(b, 1);
  assert_int_equal(told_it.tunes, 3);
}

/* Commands stay below the limits of the file. A reload lowers limits at once, and raises them where nobody rides. */
static void limits_of_the_file_are_ceilings(void **state)
{
  struct bench *b = *state;
  const double in_file = setup.spec.params.vel_max[2];
  begin_running(b);
  after(b, 1);
  static const uint32_t limits[] = {PARAMETER(pos_max[0]), PARAMETER(vel_max[2]), PARAMETER(ang_jerk_max[2])};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const double most = ((const double *)&setup.spec.params)[limits[i]];
    assert_int_equal(set_parameter(b, limits[i], 1.0001 * most), RESULT_BAD_ARGUMENT);
    assert_int_equal(set_parameter(b, limits[i], 0.5 * most), RESULT_OK);
    assert_int_equal(set_parameter(b, limits[i], (double)(float)most),
                     RESULT_OK); /* back to the file, as OSC brings it */
    assert_true(((const double *)&told_it.params)[limits[i]] <= most);
  }
  assert_int_equal(set_parameter(b, PARAMETER(tilt_max), 20.0), RESULT_OK); /* no limit of the platform */
  struct cycle_event e = {0};
  while (outbox_next_event(&b->cycle.outbox, &e) && e.cause != CAUSE_REFUSED) continue;
  assert_true(e.parameter == limits[0] && e.asked > e.ceiling && e.ceiling == setup.spec.params.pos_max[0]);
  /* A file that raises one limit and lowers another. */
  struct cycle_tuning t = {
      .live.catch_up = 3, .platform = true, .mode = PLATFORM_WASHOUT, .params = setup.spec.params};
  t.params.vel_max[2] = 2.0 * in_file;
  t.params.acc_max[0] = 1.0;
  cycle_tune(&b->cycle, &t);
  after(b, 1);
  assert_true(told_it.params.vel_max[2] == in_file && told_it.params.acc_max[0] == 1.0);
  assert_int_equal(set_parameter(b, PARAMETER(vel_max[2]), 1.5 * in_file), RESULT_BAD_ARGUMENT);
  assert_int_equal(set_parameter(b, PARAMETER(acc_max[0]), 2.0), RESULT_BAD_ARGUMENT);
  /* In STOPPED, but not parked yet; then parked. */
  told_it.parks = false;
  assert_int_equal(told(b, COMMAND_STOP), RESULT_OK);
  after(b, 10);
  assert_true(told_it.params.vel_max[2] == in_file);
  told_it.parks = true;
  after(b, 2);
  assert_true(told_it.params.vel_max[2] == 2.0 * in_file && told_it.params.acc_max[0] == 1.0);
  assert_int_equal(set_parameter(b, PARAMETER(vel_max[2]), 2.0 * in_file), RESULT_OK);
}

/* However many there are before the reader comes, later events still get through. */
static void parameters_leave_room_for_other_events(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  for (int i = 0; i < CYCLE_EVENTS + 10; i++)
    assert_int_equal(set_parameter(b, PARAMETER(gain_lin[1]), i % 2 ? 0.25 : 0.5), RESULT_OK);
  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK);
  int set = 0, stops = 0;
  for (struct cycle_event e; outbox_next_event(&b->cycle.outbox, &e);) {
    set += e.cause == CAUSE_PLATFORM_SET;
    stops += e.to == STATE_SAFE;
  }
  assert_int_equal(stops, 1);
  assert_in_range(set, CYCLE_EVENTS / 2 - 10, CYCLE_EVENTS / 2);
  assert_true(ring_dropped(&b->cycle.outbox.events) == (uint64_t)(CYCLE_EVENTS + 10 - set));
}

/* Hands a set to the loop and runs one cycle. */
static struct plant_set hand(struct bench *b, const struct platform_change *change, int changes)
{
  struct plant_set s = {.status = ALI3_E_ARGUMENT, .refused = -1, .change = change, .changes = changes};
  atomic_store(&b->cycle.handover.set, &s);
  cycle_once(&b->cycle);
  assert_null(atomic_load(&b->cycle.handover.set));
  return s;
}

/* Each of two parameters contradicts the old value of the other; together they fit. */
static void a_set_acts_in_one_cycle(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  const int tunes = told_it.tunes;
  const struct platform_change both[] = {{PARAMETER(hp_wn[0]), 4.0}, {PARAMETER(lp_wn), 9.0}};
  assert_int_equal(set_parameter(b, both[0].parameter, both[0].value), RESULT_BAD_ARGUMENT);
  struct cycle_event e;
  while (outbox_next_event(&b->cycle.outbox, &e)) continue;
  struct plant_set s = hand(b, both, 2);
  assert_true(s.status == ALI3_OK && s.refused == -1 && s.model == NULL);
  assert_int_equal(told_it.tunes, tunes + 1);
  assert_true(told_it.params.hp_wn[0] == 4.0 && told_it.params.lp_wn[0] == 9.0);
  for (int i = 0; i < 2; i++) {
    assert_true(outbox_next_event(&b->cycle.outbox, &e));
    assert_true(e.cause == CAUSE_PLATFORM_SET && e.code == both[i].parameter && e.value == both[i].value);
    assert_true(e.cycle == s.cycle && e.port == -1);
  }
}

/* Whatever the loop refuses, and wherever it stands in the set, nothing of the set acts. */
static void a_set_with_a_refused_change_does_nothing(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  const int tunes = told_it.tunes;
  const double most = setup.spec.params.vel_max[2];
  const struct {
    struct platform_change change[3];
    int refused;
  } sets[] = {
      {{{PARAMETER(gain_lin[0]), 0.3}, {PARAMETER(gain_lin[1]), 0.3}, {PARAMETER(vel_max[2]), 2.0 * most}},
       2},
      {{{PARAMETER(vel_max[2]), 2.0 * most},
        {PARAMETER(gain_lin[1]), 0.3},
        {PARAMETER(vel_max[2]), 0.5 * most}},
       0},
      {{{PARAMETER(gain_lin[0]), 0.3}, {PARAMETER(hp_zeta), (double)NAN}, {PARAMETER(gain_lin[1]), 0.3}}, 1},
      {{{PARAMETER(gain_lin[0]), 0.3}, {PARAMS, 1.0}, {PARAMETER(gain_lin[1]), 0.3}}, 1},
      {{{PARAMETER(gain_lin[0]), 0.3}, {PARAMETER(gain_lin[1]), 0.3}, {PARAMETER(lp_wn), 4.9}}, 3},
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const struct plant_set s = hand(b, sets[i].change, 3);
    assert_int_equal(s.status, ALI3_E_ARGUMENT);
    assert_int_equal(s.refused, sets[i].refused);
    if (i < 2) assert_true(s.ceiling == most);
    assert_int_equal(told_it.tunes, tunes);
  }
  struct cycle_event e;
  while (outbox_next_event(&b->cycle.outbox, &e)) assert_true(e.cause != CAUSE_PLATFORM_SET);
}

/* On its way to the park pose, after the end was ordered. */
static void a_set_in_exit_does_nothing(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  told_it.parks = false;
  cycle_stop(&b->cycle);
  assert_int_equal(after(b, 2)->state, STATE_EXIT);
  const int tunes = told_it.tunes;
  const struct platform_change change = {PARAMETER(gain_lin[0]), 0.3};
  const struct plant_set s = hand(b, &change, 1);
  assert_true(s.status == ALI3_E_ARGUMENT && s.refused == -1 && told_it.tunes == tunes);
  told_it.parks = true;
}

/* A model and the platform change together: if the platform refuses, the model stays. */
static void a_refused_platform_keeps_the_model(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  const ali3_model *model = b->cycle.plant.model;
  struct platform_change change = {PARAMETER(hp_zeta), 0.0};
  for (int i = 0; i < 2; i++) {
    ali3_data *data = ali3_data_new(b->model);
    assert_non_null(data);
    assert_true(ali3_reset(b->model, data) >= 0);
    struct plant_set s = {.model = b->model,
                          .data = data,
                          .status = ALI3_E_ARGUMENT,
                          .version = 7,
                          .change = &change,
                          .changes = 1};
    ali3_data *used = b->cycle.plant.data;
    atomic_store(&b->cycle.handover.set, &s);
    cycle_once(&b->cycle);
    assert_int_equal(s.status, i ? ALI3_OK : ALI3_E_ARGUMENT);
    assert_true(b->cycle.plant.data == (i ? data : used) && b->cycle.plant.version == (i ? 7 : 0));
    if (i) {
      assert_true(told_it.params.hp_zeta[0] == 1.5);
      s.change = NULL;
      s.changes = 0;
      atomic_store(&b->cycle.handover.set, &s);
      cycle_once(&b->cycle); /* back to the data that belongs to the bench */
      assert_ptr_equal(b->cycle.plant.data, used);
    }
    ali3_data_free(data);
    change.value = 1.5;
  }
  assert_ptr_equal(b->cycle.plant.model, model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(parameters_change_at_the_edge_of_a_cycle), ROW(limits_of_the_file_are_ceilings),
      ROW(parameters_leave_room_for_other_events),   ROW(a_set_acts_in_one_cycle),
      ROW(a_set_with_a_refused_change_does_nothing), ROW(a_set_in_exit_does_nothing),
      ROW(a_refused_platform_keeps_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
