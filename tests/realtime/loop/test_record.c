/* SPDX-License-Identifier: MIT
 * Every cycle is in the frame ring, with the values that were published and with what the loop did. */
#include "check.h"
#include "loop/rig.h"

#include <ali3/model.h>
#include <stdlib.h>
#include <string.h>

static struct frames_slot *slot_of(const struct loop_rig *r, uint64_t n)
{
  struct frames_head *h = r->frames.head;
  return (struct frames_slot *)(void *)((char *)h + h->slots_at + n % h->slots * h->slot_bytes);
}

TEST(every_cycle_is_recorded_with_its_values)
{
  struct loop_rig r;
  rig_set_up(&r, &rig_files[5], 0); /* with inputs and a platform */
  rig_begin(&r);
  for (uint64_t n = 0; n < 300; n++) {
    rig_cycles(&r, 1);
    assert_int_equal(r.frames.head->slots_written, n + 1);
    struct frames_slot *s = slot_of(&r, n);
    const struct frame *f = r.cycle.output.head;
    assert_int_equal(s->sequence, 2 * n + 2);
    assert_true(s->cycle == n + 1 && s->cycle == f->cycle && s->time == f->time && s->state == f->state);
    assert_memory_equal(frames_slot_values(r.frames.head, s), f->values, f->count * sizeof *f->values);
    const struct frames_input *in = frames_slot_inputs(r.frames.head, s);
    for (int i = 0; i < r.signals->inputs; i++)
      assert_int_equal(in[i].state & 255, r.cycle.inputs.condition[i].state);
  }
  rig_tear_down(&r);
}

/* The actions are enough to make the same motion again without the loop. */
TEST(actions_say_what_to_do_again)
{
  struct loop_rig r;
  rig_set_up(&r, &rig_files[3], 0); /* no inputs: all depends on the steps and resets */
  rig_begin(&r);
  const ali3_model *m = r.settings->model;
  ali3_data *d = ali3_data_new(m);
  double *values = calloc((size_t)r.signals->count, sizeof *values);
  assert_true(ali3_reset(m, d) >= 0);
  int steps = 0, resets = 0;
  for (uint64_t n = 0; n < 200; n++) {
    rig_cycles(&r, 1);
    const struct frames_slot *s = slot_of(&r, n);
    if (s->action & FRAMES_WARMING) continue; /* taken back */
    if (s->action & FRAMES_RESTORED) {
      assert_true(ali3_reset(m, d) >= 0);
      resets++;
    }
    if (s->action & FRAMES_STEPPED) {
      assert_int_equal(ali3_step(m, d), s->status);
      steps++;
    }
    signals_observe(r.signals, m, d, r.cycle.inputs.value, values);
    const double *recorded = frames_slot_values(r.frames.head, slot_of(&r, n));
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      const size_t at = (size_t)(r.signals->body_first + SIGNALS_BODY * b);
      assert_memory_equal(recorded + at, values + at, SIGNALS_BODY_STATE * sizeof *values);
    }
  }
  assert_true(steps > 50 && resets >= 2);
  free(values);
  ali3_data_free(d);
  rig_tear_down(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_cycle_is_recorded_with_its_values),
                                     cmocka_unit_test(actions_say_what_to_do_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
