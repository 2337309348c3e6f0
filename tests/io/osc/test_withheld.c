/* SPDX-License-Identifier: MIT
 * The output of OSC before the motion platform is armed: everything except its motion. */
#include "osc/osc_direct.h"

#include <string.h>

enum { ENERGY = CHANNELS, MOTION }; /* energy.total; joint.J.force, which stands for the platform's surge */

static int setup(void **state)
{
  static char leg[] = "/rig/leg", energy[] = "/plc/energy", both[] = "/rig/both";
  static struct mapped item[] = {{leg, MOTION, false, 1.0, 0.0},
                                 {energy, ENERGY, false, 1.0, 0.0},
                                 {both, ENERGY, false, 1.0, 0.0},
                                 {both, MOTION, false, 1.0, 0.0}};
  static const struct mapping map = {item, 4};
  if (direct_setup(state) != 0) return -1;
  signals.platform_first = MOTION;
  config.map = map;
  direct_restart();
  return 0;
}
static int teardown(void **state)
{
  signals.platform_first = -1;
  return direct_teardown(state);
}

static void show(uint64_t cycle, uint32_t flags)
{
  struct frame *f = frame_of(cycle, STATE_STOPPED, 0);
  f->flags = flags;
  osc_out_frame(out, f, NOW);
}

/* Received by the client: packets with a header, the number of parts that they announce, and the number of each
 * address. */
struct heard {
  int packets, parts, leg, both, energy, platform, total;
};

static struct heard hear(bool doubles)
{
  struct heard h = {0};
  for (size_t n; (n = next_answer()) > 0;) {
    const uint8_t *header = wire_find(answer, n, "/ali3/hdr", doubles ? "hdiiii" : "ifiiii");
    h.packets += header != NULL;
    if (header) h.parts = (int)wire_get_u32(header + (doubles ? 28 : 20));
    h.leg += wire_find(answer, n, "/rig/leg", doubles ? "d" : "f") != NULL;
    h.both += wire_find(answer, n, "/rig/both", doubles ? "dd" : "ff") != NULL;
    h.energy += wire_find(answer, n, "/plc/energy", doubles ? "d" : "f") != NULL;
    h.platform += wire_find(answer, n, "/ali3/joint/J/force", doubles ? "d" : "f") != NULL;
    h.total += wire_find(answer, n, "/ali3/energy/total", doubles ? "d" : "f") != NULL;
  }
  return h;
}

TEST(messages_of_its_motion_are_left_out)
{
  for (int doubles = 0; doubles < 2; doubles++) {
    direct_restart();
    show(1, FLAG_WITHHELD);
    hear(doubles);
    assert_int_equal(subscribe("out", 0, 1, doubles), RESULT_OK);
    assert_int_equal(subscribe("energy", 0, 1, doubles), RESULT_OK);
    for (uint64_t cycle = 2; cycle < 5; cycle++) {
      show(cycle, FLAG_WITHHELD);
      const struct heard h = hear(doubles);
      assert_true(h.leg == 0 && h.both == 0 && h.energy == 1 && h.total == 1);
      assert_true(h.packets == 2 && h.parts == 2);
    }
    show(5, 0);
    const struct heard h = hear(doubles);
    assert_true(h.leg == 1 && h.both == 1 && h.energy == 1 && h.total == 1);
    assert_true(h.packets == 2 && h.parts == 2);
  }
}

/* Not even a header: a receiver must not take it for a sign of life. */
TEST(a_stream_of_nothing_else_is_silent)
{
  show(1, FLAG_WITHHELD);
  hear(false);
  assert_int_equal(subscribe("platform", 0, 1, 0), RESULT_OK);
  const uint64_t sent = counter_get(&counters.osc_sent), frames = counter_get(&counters.osc_frames);
  show(2, FLAG_WITHHELD);
  assert_int_equal(hear(false).packets, 0);
  assert_counted(osc_sent, sent);
  assert_counted(osc_frames, frames);
  assert_int_equal(subscribe("energy", 0, 1, 0), RESULT_OK);
  show(3, FLAG_WITHHELD);
  struct heard h = hear(false);
  assert_true(h.packets == 1 && h.parts == 1 && h.platform == 0 && h.total == 1);
  show(4, 0);
  h = hear(false);
  assert_true(h.packets == 2 && h.parts == 2 && h.platform == 1 && h.total == 1);
}

static size_t asked(const char *address)
{
  receive(wire_message(bytes, address, ""));
  return next_answer();
}

TEST(questions_about_its_motion_are_not_answered)
{
  static const char *const motion[] = {"/rig/leg", "/rig/both", "/ali3/joint/J/force"};
  show(1, FLAG_WITHHELD);
  for (int i = 0; i < 3; i++) assert_int_equal(asked(motion[i]), 0);
  assert_int_not_equal(asked("/plc/energy"), 0);
  assert_int_not_equal(asked("/ali3/energy/total"), 0);
  show(2, 0);
  for (int i = 0; i < 3; i++) assert_int_not_equal(asked(motion[i]), 0);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(messages_of_its_motion_are_left_out),
      ROW(a_stream_of_nothing_else_is_silent),
      ROW(questions_about_its_motion_are_not_answered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
