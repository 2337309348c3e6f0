/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

#include "check.h"
#include "common/toys.h"
#include "platform/hexapods.h"
#include "scene/json.h"

#include <math.h>
#include <string.h>

/* A box with edges 0.2, 0.4, 0.1 m along the axes of its body, which joints at three points and a spring hold. */
static ali3_model *held_box(void)
{
  const double mass = 12, a = 0.2, b = 0.4, c = 0.1; /* along x, y, z of the body */
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, (const double[]){0, -9.81, 0});
  ali3_body_spec box = toy_body("box", (const double[]){1, 2, 3}, mass, 1);
  memset(box.inertia, 0, sizeof box.inertia);
  box.inertia[0] = mass / 12 * (b * b + c * c);
  box.inertia[4] = mass / 12 * (a * a + c * c);
  box.inertia[8] = mass / 12 * (a * a + b * b);
  toy_added(m, ali3_model_add_body(m, &box));
  const double end[3] = {0, 0.2, 0}, other[3] = {0, -0.2, 0};
  toy_spherical(m, "top", ALI3_GROUND, (const double[]){1, 2.2, 3}, 0, end);
  toy_spherical(m, "bottom", ALI3_GROUND, (const double[]){1, 1.8, 3}, 0, other);
  toy_spherical(m, "side", ALI3_GROUND, (const double[]){1.3, 2, 3}, 0, (const double[]){0.3, 0, 0});
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "spring";
  spring.stiffness[0] = 100;
  spring.body_b = 0;
  spring.point_b[1] = 0.2; /* where the joint is */
  toy_added(m, ali3_model_add_force(m, &spring));
  return m;
}

TEST(box_has_the_inertia_of_the_body)
{
  ali3_model *m = held_box();
  struct scene *s = scene_new(m, NULL);
  assert_int_equal(s->bodies, 1);
  assert_true(s->body[0].has_box);
  /* The extent along axis c of the body: the edge whose direction it is. */
  const double expected[3] = {0.2, 0.4, 0.1};
  for (int c = 0; c < 3; c++) {
    double along = 0;
    for (int e = 0; e < 3; e++) along += fabs(s->body[0].axes[3 * c + e]) * s->body[0].edge[e];
    assert_near(along, expected[c], 1e-12);
  }
  scene_free(s);
  ali3_model_free(m);
}

/* A car body of 520 kg between its axles, with the moments of a large box. */
TEST(no_box_has_the_points_of_its_body_inside)
{
  const double size[3] = {4, 1.8, 1.4}, wheel[3] = {1.2, 0.7, -0.3};
  ali3_model *m = ali3_model_new();
  ali3_body_spec car = toy_body("car", (const double[]){0, 0, 0.6}, 520, 1);
  memset(car.inertia, 0, sizeof car.inertia);
  for (int i = 0; i < 3; i++) {
    const double b = size[(i + 1) % 3], c = size[(i + 2) % 3];
    car.inertia[4 * i] = car.mass / 12 * (b * b + c * c);
  }
  toy_added(m, ali3_model_add_body(m, &car));
  static const char *const name[4] = {"a", "b", "c", "d"};
  for (int k = 0; k < 4; k++) {
    const double at[3] = {k & 1 ? wheel[0] : -wheel[0], k & 2 ? wheel[1] : -wheel[1], wheel[2]};
    toy_spherical(m, name[k], ALI3_GROUND, (const double[]){at[0], at[1], at[2] + 0.6}, 0, at);
  }
  struct scene *s = scene_new(m, NULL);
  const struct scene_body *b = &s->body[0];
  assert_true(b->has_box && s->rods == 4);
  for (int k = 0; k < s->rods; k++) {
    double depth = 0;
    for (int axis = 0; axis < 3; axis++) {
      double along = 0;
      for (int i = 0; i < 3; i++) along += b->axes[3 * i + axis] * s->rod[k].to[i];
      depth = fmax(depth, fabs(along) / (0.5 * b->edge[axis]));
    }
    assert_true(depth > 1 - 1e-9);
  }
  scene_free(s);
  ali3_model_free(m);
}

TEST(box_is_no_longer_than_its_points_reach)
{
  ali3_model *m = held_box();
  ali3_body_spec heavy = toy_body("heavy", (const double[]){0, 0, 0}, 1, 100), bar = heavy;
  toy_added(m, ali3_model_add_body(m, &heavy));
  toy_spherical(m, "one", ALI3_GROUND, (const double[]){0, 0.5, 0}, 1, (const double[]){0, 0.5, 0});
  bar.name = "bar";
  toy_added(m, ali3_model_add_body(m, &bar));
  toy_spherical(m, "left", ALI3_GROUND, (const double[]){0, 0.5, 0}, 2, (const double[]){0, 0.5, 0});
  toy_spherical(m, "right", ALI3_GROUND, (const double[]){0, -0.5, 0}, 2, (const double[]){0, -0.5, 0});
  struct scene *s = scene_new(m, NULL);
  const double zero[3] = {0};
  assert_true(s->body[1].has_box);
  /* Equal moments: the ball in place of a cube whose diagonal is 0.4. */
  assert_int_equal(s->body[1].solid, SCENE_SPHERE);
  assert_near(check_distance(s->body[1].edge, zero), 0.4 * 2 * sqrt(5.0 / 12), 1e-12);
  assert_false(s->body[2].has_box);
  scene_free(s);
  ali3_model_free(m);
}

/* A disc of radius 0.3 and width 0.1 about y of the body has two equal moments. */
TEST(two_equal_moments_make_a_cylinder)
{
  const double mass = 7, r = 0.3, w = 0.1;
  ali3_model *m = ali3_model_new();
  ali3_body_spec wheel = toy_body("wheel", (const double[]){0, 0, 0}, mass, 1);
  memset(wheel.inertia, 0, sizeof wheel.inertia);
  wheel.inertia[4] = 0.5 * mass * r * r;
  wheel.inertia[0] = wheel.inertia[8] = mass / 12 * (3 * r * r + w * w);
  toy_added(m, ali3_model_add_body(m, &wheel));
  struct scene *s = scene_new(m, NULL);
  const struct scene_body *b = &s->body[0];
  assert_int_equal(b->solid, SCENE_CYLINDER);
  assert_near(b->edge[0], 2 * r, 1e-9);
  assert_near(b->edge[1], 2 * r, 1e-9);
  assert_near(b->edge[2], w, 1e-9);
  assert_near(fabs(b->axes[5]), 1, 1e-9); /* the third axis is y of the body */
  scene_free(s);
  ali3_model_free(m);
}

TEST(rods_lead_to_each_point_once)
{
  ali3_model *m = held_box();
  struct scene *s = scene_new(m, NULL);
  assert_int_equal(s->joints, 3);
  assert_int_equal(s->forces, 1);
  assert_int_equal(s->rods, 3); /* joint and spring share a point; the ground has no rods */
  double at[3];
  scene_place(s, 0, s->joint[0].point[1], at);
  assert_near(check_distance(at, (const double[]){1, 2.2, 3}), 0, 1e-12);
  scene_free(s);
  ali3_model_free(m);
}

TEST(extent_holds_all_points_and_up_is_against_gravity)
{
  ali3_model *m = held_box();
  struct scene *s = scene_new(m, NULL);
  const double low[3] = {0, 0, 0}, high[3] = {1.3, 2.2, 3}, up[3] = {0, 1, 0};
  assert_near(check_distance(s->low, low), 0, 1e-12);
  assert_near(check_distance(s->high, high), 0, 1e-12);
  assert_near(check_distance(s->up, up), 0, 1e-12);
  assert_near(s->size, check_distance(low, high), 1e-12);
  scene_free(s);
  ali3_model_free(m);
}

TEST(body_without_mass_has_no_box)
{
  ali3_model *m = held_box();
  ali3_body_spec light = toy_body("light", (const double[]){0, 0, 0}, 0, 0);
  toy_added(m, ali3_model_add_body(m, &light));
  struct scene *s = scene_new(m, NULL);
  assert_true(s->body[0].has_box);
  assert_false(s->body[1].has_box);
  scene_free(s);
  ali3_model_free(m);
}

TEST(json_names_everything_and_gives_the_platform_back)
{
  ali3_model *m = held_box();
  const struct platform_geometry rig = test_cranks();
  struct scene *s = scene_new(m, &rig);
  assert_true(s->has_platform);
  json_t *o = scene_json(s);
  assert_string_equal(
      json_string_value(json_object_get(json_array_get(json_object_get(o, "joints"), 1), "name")), "bottom");
  struct platform_geometry back;
  assert_true(scene_platform_read(json_object_get(o, "platform"), &back));
  assert_true(back.crank);
  assert_memory_equal(back.base, rig.base, sizeof rig.base);
  assert_memory_equal(back.crank_heading, rig.crank_heading, sizeof rig.crank_heading);
  /* A rod leads from the tip of each crank to the platform at neutral. */
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    double tip[3];
    const double top[3] = {rig.top[i][0], rig.top[i][1], rig.top[i][2] + rig.height};
    scene_crank_tip(&s->platform, i, s->neutral[i], tip);
    assert_near(check_distance(tip, top), rig.rod_length, 1e-9);
  }
  /* Each array has its length. */
  json_t *legs = json_object_get(json_object_get(o, "platform"), "base"),
         *heading = json_object_get(json_object_get(o, "platform"), "crank_heading"),
         *points[] = {heading, legs, json_array_get(legs, 3)};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    const size_t last = json_array_size(points[i]) - 1;
    json_t *taken = json_incref(json_array_get(points[i], last));
    json_array_remove(points[i], last);
    assert_false(scene_platform_read(json_object_get(o, "platform"), &back));
    json_array_append_new(points[i], taken);
    assert_true(scene_platform_read(json_object_get(o, "platform"), &back));
  }
  json_object_del(json_object_get(o, "platform"), "height");
  assert_false(scene_platform_read(json_object_get(o, "platform"), &back));
  json_decref(o);
  scene_free(s);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_has_the_inertia_of_the_body),
      cmocka_unit_test(no_box_has_the_points_of_its_body_inside),
      cmocka_unit_test(box_is_no_longer_than_its_points_reach),
      cmocka_unit_test(two_equal_moments_make_a_cylinder),
      cmocka_unit_test(rods_lead_to_each_point_once),
      cmocka_unit_test(extent_holds_all_points_and_up_is_against_gravity),
      cmocka_unit_test(body_without_mass_has_no_box),
      cmocka_unit_test(json_names_everything_and_gives_the_platform_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
