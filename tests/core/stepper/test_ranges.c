/* SPDX-License-Identifier: MIT
 * Springs and end stops whose points pass each other: their force changes its direction at once, so the step says it. Springs without
 * a force at the length 0, cables, and springs that turn with a fast shaft are within their range. */
#include "stepper/turning.h"

#include <string.h>

/* A body on a slide through the ground point of a line, 0.1 m from it, with a velocity towards it. */
static ali3_model *passing(ali3_force_type type, double rest, double lower)
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, none), ALI3_OK);
  ali3_body_spec b = toy_body("b", (double[]){0.1, 0, 0}, 1.0, 0.01);
  b.velocity[0] = -3.0;
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = {.name = "j",
                       .type = ALI3_JOINT_PRISMATIC,
                       .body_a = ALI3_GROUND,
                       .body_b = 0,
                       .axis_a = {1, 0, 0},
                       .axis_b = {1, 0, 0}};
  toy_added(m, ali3_model_add_joint(m, &j));
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = "f";
  s.body_b = 0;
  s.stiffness[0] = 10;
  if (type != ALI3_FORCE_END_STOP) s.rest = rest;
  if (type == ALI3_FORCE_END_STOP) s.lower = lower;
  toy_added(m, ali3_model_add_force(m, &s));
  return m;
}

/* Steps up to 0.2 s. Returns the worst status, and the text of the last step. */
static int pass(ali3_model *m, const struct way *w, double dt, char *text, size_t size)
{
  ali3_options o = ali3_options_default();
  o.method = w->method;
  o.extrapolate = w->extrapolate;
  o.substeps = w->substeps;
  o.dt = dt;
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  int worst = ALI3_OK;
  for (int i = 0; i < (int)(0.2 / dt + 0.5) && worst != ALI3_UNRESOLVED; i++) {
    const int status = ali3_step(m, d);
    if (status > worst || status < 0) worst = status;
    if (status < 0) break;
  }
  ali3_report_text(m, d, text, size);
  if (strstr(text, "points")) assert_int_equal(ali3_data_report(d)->worst_force, 0);
  ali3_data_free(d);
  ali3_model_free(m);
  return worst;
}

TEST(points_that_pass_each_other_are_said)
{
  static const struct {
    ali3_force_type type;
    double rest, lower;
    const char *text;
  } line[] = {{ALI3_FORCE_SPRING, 0.1, 0, "spring_damper \"f\": its points pass each other"},
              {ALI3_FORCE_END_STOP, 0, 0.05, "end_stop \"f\": its points pass each other"},
              {ALI3_FORCE_SPRING, 0, 0, NULL},
              {ALI3_FORCE_CABLE, 0.05, 0, NULL}};
  char text[400];
  for (int w = 0; w < WAYS; w++)
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
      for (int fine = 0; fine < 2; fine++) {
        const int status = pass(passing(line[i].type, line[i].rest, line[i].lower), &WAY[w],
                                fine ? 0.001 : 0.01, text, sizeof text);
        if (status < 0 || (status == ALI3_UNRESOLVED) != (line[i].text != NULL))
          fail_msg("%s, line %d, %s: status %d: %s", WAY[w].name, (int)i, fine ? "1 ms" : "10 ms", status,
                   text);
        if (line[i].text && !strstr(text, line[i].text))
          fail_msg("%s, line %d: %s", WAY[w].name, (int)i, text);
      }
}

/* Half a turn in a step, and any other angle: the line of the spring turns, but its points keep their distance. */
TEST(a_spring_on_a_fast_shaft_is_within_its_range)
{
  char text[400];
  for (int w = 0; w < WAYS; w++)
    for (int r = 0; r < RATES; r++) {
      ali3_model *m = ali3_model_new();
      assert_int_equal(ali3_model_set_gravity(m, none), ALI3_OK);
      const int outer = shaft(m, "outer", RATE[r]), inner = shaft(m, "inner", RATE[r]);
      bearing(m, "a", ALI3_GROUND, outer);
      bearing(m, "b", outer, inner);
      ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_SPRING);
      s.name = "f";
      s.body_a = outer;
      s.body_b = inner;
      s.point_a[0] = 0.1;
      s.point_b[0] = -0.1;
      s.stiffness[0] = 1;
      toy_added(m, ali3_model_add_force(m, &s));
      const int status = pass(m, &WAY[w], 0.01, text, sizeof text);
      if (strstr(text, "points")) fail_msg("%s, %g rad/s: status %d: %s", WAY[w].name, RATE[r], status, text);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_that_pass_each_other_are_said),
      cmocka_unit_test(a_spring_on_a_fast_shaft_is_within_its_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
