/* SPDX-License-Identifier: MIT
 * The section "platform". mistakes/platform.txt has its mistakes. */
#include "scratch.h"

#include "config/changes.h"

#include <ali3/model.h>
#include <math.h>

#define MODEL                                                                                                \
  "model:\n  gravity: [0, 0, -9.81]\n"                                                                       \
  "  bodies:\n"                                                                                              \
  "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                      \
  "  sensors:\n"                                                                                             \
  "    - {name: seat, type: pose, body: A}\n"                                                                \
  "    - {name: head, type: imu, body: A}\n"                                                                 \
  "inputs:\n"                                                                                                \
  "  - {name: push, body: A}\n"
#define BASE                                                                                                 \
  "  base: [[0.587, -0.125, 0], [0.587, 0.125, 0], [-0.185, 0.571, 0],\n"                                    \
  "         [-0.401, 0.446, 0], [-0.401, -0.446, 0], [-0.185, -0.571, 0]]\n"
#define TOP                                                                                                  \
  "  top: [[0.301, -0.334, 0], [0.301, 0.334, 0], [0.139, 0.428, 0],\n"                                      \
  "        [-0.440, 0.094, 0], [-0.440, -0.094, 0], [0.139, -0.428, 0]]\n"
#define LEGS_OF(height) BASE TOP "  height: " height "\n  leg_min: 0.70\n  leg_max: 1.00\n  leg_rate: 0.5\n"
#define FILE_OF(rest)   MODEL "platform:\n  imu: head\n" rest

TEST(keys_are_in_the_setup)
{
  struct settings *s = load_good(MODEL "  - {name: lead, platform: pose, hold: 0.2}\n"
                                       "cycle: {period: 0.005}\n"
                                       "platform:\n"
                                       "  mode: external\n"
                                       "  imu: head\n"
                                       "  pose: seat\n"
                                       "  input: lead\n"
                                       "  head_point: [0.1, 0, 0.8]\n"
                                       "  joint_max: 60\n"
                                       "  tilt_max: 12\n"
                                       "  gain_lin: [0.1, 0.2, 0.3]\n" LEGS_OF("0.77"));
  const struct platform_setup *p = &s->platform;
  assert_true(s->platform.enabled);
  assert_int_equal(p->spec.mode, PLATFORM_EXTERNAL);
  assert_int_equal(p->imu, 1);
  assert_int_equal(p->pose, 0);
  assert_int_equal(p->input, 1);
  assert_true(p->spec.period == 0.005);
  assert_true(p->spec.head[0] == 0.1 && p->spec.head[2] == 0.8);
  assert_true(p->spec.geometry.base[3][0] == -0.401 && p->spec.geometry.base[5][1] == -0.571);
  assert_true(p->spec.geometry.top[1][1] == 0.334 && p->spec.geometry.height == 0.77);
  assert_true(p->spec.geometry.leg_min == 0.7 && p->spec.geometry.leg_max == 1.0);
  assert_true(fabs(p->spec.geometry.joint_max - M_PI / 3.0) < 1e-12);
  assert_true(p->spec.geometry.margin == 0.2 && !p->spec.geometry.crank && !p->spec.park_given);
  assert_true(p->spec.params.gain_lin[2] == 0.3 && p->spec.params.tilt_max[0] == 12.0); /* in its own unit */
  assert_true(p->spec.params.hp_wn[2] == 3.0 && p->spec.params.ang_jerk_max[1] == 6000.0);

  const struct input_spec *lead = &s->input[1];
  assert_int_equal(lead->kind, INPUT_POSE);
  assert_true(lead->hold == 0.2 && lead->range[2].upper == 10.0 && lead->range[3].lower == -M_PI);
  assert_int_equal(ali3_model_loads(s->model), 2); /* the loads of push */
  assert_int_equal(s->signals->channels, 12);
  const int first = signals_find(s->signals, "platform.pose.surge");
  assert_int_equal(first, s->signals->platform_first);
  assert_int_equal(first, s->signals->input_first + 12);
  assert_int_equal(s->signals->figure_first, first + PLATFORM_SIGNALS);
  settings_free(s);
}

TEST(the_park_pose_may_be_given)
{
  struct settings *s =
      load_good(FILE_OF("  park_position: [0, 0, -0.05]\n  park_angles: [0, 2, 0]\n" LEGS_OF("0.77")));
  const struct platform_spec *spec = &s->platform.spec;
  assert_true(spec->park_given && spec->park[2] == -0.05);
  assert_true(fabs(spec->park[4] - 2.0 * M_PI / 180.0) < 1e-12);
  assert_int_equal(s->platform.pose, -1);
  assert_int_equal(s->platform.input, -1);
  settings_free(s);
}

TEST(a_disabled_platform_is_absent)
{
  struct settings *s = load_good(MODEL "platform: {enabled: false}\n"), *t = load_good(MODEL);
  assert_false(s->platform.enabled || t->platform.enabled);
  assert_int_equal(s->signals->platform_first, -1);
  assert_int_equal(s->signals->count, t->signals->count);
  assert_int_equal(s->signals->figure_first, s->signals->input_first + 6);
  char names[200];
  assert_int_equal(settings_changes(t, s, false, names, sizeof names), 0);
  settings_free(s);
  settings_free(t);
  assert_refused(MODEL "platform: {enabled: false, margin: 2}\n", ":10:36: error: margin: ");
}

/* A platform moves people: it starts by itself only with even_with_platform. mistakes/platform.txt has "autostart: true". */
TEST(it_does_not_start_by_itself)
{
  struct settings *s = load_good(FILE_OF(LEGS_OF("0.77")));
  assert_int_equal(s->cycle.autostart, AUTOSTART_OFF);
  settings_free(s);
  s = load_good(FILE_OF(LEGS_OF("0.77")) "cycle: {autostart: even_with_platform}\n");
  assert_int_equal(s->cycle.autostart, AUTOSTART_EVEN_WITH_PLATFORM);
  settings_free(s);
  s = load_good(MODEL "platform: {enabled: false}\ncycle: {autostart: true}\n");
  assert_int_equal(s->cycle.autostart, AUTOSTART_ON);
  settings_free(s);
}

/* The message has the place of the key that it begins with; mistakes/platform.txt has more of them. */
TEST(an_impossible_geometry_is_refused)
{
  assert_refused(FILE_OF(LEGS_OF("20")), ":18:12: error: leg_max: leg 1 is at 20.0031 m when ");
}

static void assert_changes(const char *before, const char *after, const char *while_running,
                           const char *restart)
{
  struct settings *a = load_good(before), *b = load_good(after);
  char names[300];
  settings_changes(a, b, true, names, sizeof names);
  assert_string_equal(names, while_running);
  settings_changes(a, b, false, names, sizeof names);
  assert_string_equal(names, restart);
  assert_int_equal(settings_same_section(a, b, "platform"), *restart == '\0');
  settings_free(a);
  settings_free(b);
}

TEST(changes_have_the_names_of_their_keys)
{
  static const char base[] = FILE_OF(LEGS_OF("0.77")), more[] = FILE_OF("  pose: seat\n" LEGS_OF("0.77"));
  assert_changes(base, FILE_OF("  gain_lin: [0.44, 0.44, 0.5]\n" LEGS_OF("0.770")), "", "");
  assert_changes(base, FILE_OF("  gain_lin: [0.44, 0.44, 0.4]\n  blend: 2\n" LEGS_OF("0.77")),
                 "platform.gain_lin, platform.blend", "");
  assert_changes(more, FILE_OF("  pose: seat\n  mode: pose\n" LEGS_OF("0.77")), "platform.mode", "");
  /* The parameters of another platform wait for the restart, too. */
  assert_changes(base, FILE_OF("  blend: 2\n" LEGS_OF("0.78")), "", "platform.height, platform.blend");
  assert_changes(base, more, "", "platform.pose");
  assert_changes(base, FILE_OF("  joint_max: 44\n  park_position: [0, 0, 0]\n" LEGS_OF("0.77")), "",
                 "platform.joint_max, platform.park_position");
  assert_changes(base, FILE_OF("  head_point: [0, 0, 1]\n" LEGS_OF("0.77")), "", "platform.head_point");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_does_not_start_by_itself),
      cmocka_unit_test(keys_are_in_the_setup),
      cmocka_unit_test(the_park_pose_may_be_given),
      cmocka_unit_test(a_disabled_platform_is_absent),
      cmocka_unit_test(an_impossible_geometry_is_refused),
      cmocka_unit_test(changes_have_the_names_of_their_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
