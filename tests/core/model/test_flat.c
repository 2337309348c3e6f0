/* SPDX-License-Identifier: MIT
 * A model as bytes: a round trip keeps every field, and damaged bytes are refused. */
#include "check.h"
#include "model/model.h"

#include <ali3/flat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every kind of element, every field off its default. */
static ali3_model *full_model(void)
{
  static const double points[3][2] = {{-1, -100}, {0, 0}, {2, 500}};
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_name(m, "Kran 5 \xc3\xbc"), ALI3_OK);
  assert_int_equal(ali3_model_set_gravity(m, (const double[]){0.1, -0.2, -9.81}), ALI3_OK);
  /* Orientations and axes of a norm that is not 1. */
  ali3_body_spec body = {.mass = 2.5,
                         .inertia = {1, 0.1, 0, 0.1, 1.2, 0, 0, 0, 0.9},
                         .position = {1, 2, 3},
                         .orientation = {0.7, 0.1, 0.7, 0.1},
                         .velocity = {-1, 1e-300, 3},
                         .angular_velocity = {0.5, 0, -0.0}};
  for (int i = 0; i < 3; i++) {
    body.name = (const char *const[]){"first", "second", "third"}[i];
    assert_int_equal(ali3_model_add_body(m, &body), i);
  }
  ali3_joint_spec joint = {
      .type = ALI3_JOINT_REVOLUTE, .point_a = {1, 2, 3}, .axis_a = {1, 1, 0}, .axis_b = {0, 3, 4}};
  for (int i = 0; i < 2; i++) {
    joint.name = i ? "hinge" : "pin";
    joint.body_a = i - 1;
    joint.body_b = i;
    joint.position = 0.25 * i;
    assert_int_equal(ali3_model_add_joint(m, &joint), i);
  }
  ali3_joint_spec weld = {.name = "weld",
                          .type = ALI3_JOINT_FIXED,
                          .body_a = 1,
                          .body_b = 2,
                          .relative_orientation = {1, 0.01, 0, 0}};
  assert_int_equal(ali3_model_add_joint(m, &weld), 2);
  ali3_load_spec load = {
      .type = ALI3_LOAD_FORCE, .body = 1, .vector = {1, 2, 3}, .point = {0, 0, 1}, .body_axes = true};
  assert_int_equal(ali3_model_add_load(m, &load), 0); /* without a name */
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "spring";
  spring.body_a = ALI3_GROUND;
  spring.body_b = 2;
  spring.point_a[0] = 4;
  spring.force_table = (ali3_table){3, points};
  spring.damping_table = (ali3_table){2, points};
  assert_int_equal(ali3_model_add_force(m, &spring), 0);
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  drive.name = "drive";
  drive.joint = 0;
  drive.external = true;
  drive.max_rate = 3;
  drive.max_acceleration = 40;
  assert_int_equal(ali3_model_add_force(m, &drive), 1);
  ali3_force_spec gear = ali3_force_spec_default(ALI3_FORCE_GEAR);
  gear.name = "gear";
  gear.joint = 1;
  gear.joint_b = 0;
  gear.ratio = -2;
  assert_int_equal(ali3_model_add_force(m, &gear), 2);
  ali3_sensor_spec sensor = {
      .name = "imu", .type = ALI3_SENSOR_IMU, .body = 1, .point = {0.1}, .orientation = {1, 0, 0.02, 0}};
  assert_int_equal(ali3_model_add_sensor(m, &sensor), 0);
  m->options.substeps = 7;
  m->options.interpolate = true;
  return m;
}

static unsigned char *flat_of(const ali3_model *m, size_t *size)
{
  *size = ali3_model_flat_size(m);
  unsigned char *flat = malloc(*size);
  assert_non_null(flat);
  assert_int_equal(ali3_model_flat_write(m, flat, *size), ALI3_OK);
  return flat;
}

TEST(a_round_trip_keeps_every_field)
{
  size_t size, again_size;
  ali3_model *m = full_model(), *copy = ali3_model_new();
  unsigned char *flat = flat_of(m, &size), hash[2][ALI3_MODEL_HASH_SIZE];
  assert_int_equal(ali3_model_flat_read(copy, flat, size), ALI3_OK);
  unsigned char *again = flat_of(copy, &again_size);
  assert_int_equal(size, again_size);
  assert_memory_equal(flat, again, size);
  /* Some fields by hand: a field that neither side visits would pass above. */
  assert_string_equal(ali3_model_name(copy), "Kran 5 \xc3\xbc");
  assert_int_equal(copy->options.substeps, 7);
  assert_true(copy->options.interpolate);
  assert_memory_equal(copy->body[2].spec.orientation, m->body[2].spec.orientation,
                      sizeof m->body[2].spec.orientation);
  assert_memory_equal(copy->body[1].inertia_inverse, m->body[1].inertia_inverse,
                      sizeof m->body[1].inertia_inverse);
  assert_memory_equal(copy->joint[1].axis, m->joint[1].axis, sizeof m->joint[1].axis);
  assert_memory_equal(copy->joint[2].spec.relative_orientation, m->joint[2].spec.relative_orientation,
                      sizeof m->joint[2].spec.relative_orientation);
  for (int i = 0; i < 3; i++)
    assert_true(copy->joint[i].spec.position == m->joint[i].spec.position &&
                copy->joint[i].drive == m->joint[i].drive && copy->joint[i].gear == m->joint[i].gear);
  assert_int_equal(copy->joint[0].drive, 2);
  assert_null(copy->load[0].name);
  assert_true(copy->load[0].spec.body_axes);
  assert_int_equal(copy->force[0].spec.force_table.n, 3);
  assert_true(copy->force[0].spec.force_table.point[2][1] == 500);
  assert_true(isnan(copy->force[0].spec.rest) && copy->force[0].spec.upper == INFINITY);
  assert_true(copy->force[1].spec.external && copy->force[1].spec.max_acceleration == 40);
  assert_memory_equal(copy->sensor[0].rotation, m->sensor[0].rotation, sizeof m->sensor[0].rotation);
  /* The hash tells equal models from others. */
  assert_int_equal(ali3_model_hash(m, hash[0]), ALI3_OK);
  assert_int_equal(ali3_model_hash(copy, hash[1]), ALI3_OK);
  assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
  copy->options.iterations++;
  assert_int_equal(ali3_model_hash(copy, hash[1]), ALI3_OK);
  assert_memory_not_equal(hash[0], hash[1], sizeof hash[0]);
  free(flat);
  free(again);
  ali3_model_free(m);
  ali3_model_free(copy);
}

static void assert_refused(const unsigned char *flat, size_t size, const char *part)
{
  ali3_model *m = ali3_model_new();
  const int status = ali3_model_flat_read(m, flat, size);
  if (status != ALI3_E_MODEL) fail_msg("%zu bytes: status %d", size, status);
  if (part && !strstr(ali3_model_problem(m)->text, part)) fail_msg("%s", ali3_model_problem(m)->text);
  ali3_model_free(m);
}

TEST(damaged_bytes_are_refused)
{
  size_t size;
  ali3_model *m = full_model();
  unsigned char *flat = flat_of(m, &size), *longer = malloc(size + 1);
  for (size_t n = 0; n < size; n++) assert_refused(flat, n, NULL);
  assert_refused(flat, 7, "begin with ALI3FLAT");
  assert_refused(flat, size - 1, "cut short");
  memcpy(longer, flat, size);
  longer[size] = 0;
  assert_refused(longer, size + 1, "damaged");
  flat[8] = 200;
  char version[80];
  snprintf(version, sizeof version, "expected version %d of the bytes of a model, found 200",
           ALI3_FLAT_VERSION);
  assert_refused(flat, size, version);
  flat[8] = 1;
  flat[0] = 'a';
  assert_refused(flat, size, "ALI3FLAT");
  free(flat);
  free(longer);
  ali3_model_free(m);
}

/* Any bit may flip: the reader refuses, or finds a model that can be written again; it never reads beyond the bytes. */
TEST(any_flipped_bit_is_survived)
{
  size_t size, read_size;
  ali3_model *m = full_model();
  unsigned char *flat = flat_of(m, &size);
  int refused = 0;
  for (size_t bit = 0; bit < 8 * size; bit++) {
    ali3_model *copy = ali3_model_new();
    flat[bit / 8] ^= (unsigned char)(1u << bit % 8);
    if (ali3_model_flat_read(copy, flat, size) < 0)
      refused++;
    else
      free(flat_of(copy, &read_size));
    flat[bit / 8] ^= (unsigned char)(1u << bit % 8);
    ali3_model_free(copy);
  }
  assert_in_range(refused, 1000, 8 * size);
  free(flat);
  ali3_model_free(m);
}

TEST(arguments_are_checked)
{
  unsigned char bytes[16], hash[ALI3_MODEL_HASH_SIZE];
  ali3_model *m = full_model(), *empty = ali3_model_new();
  assert_int_equal(ali3_model_flat_size(NULL), 0);
  assert_int_equal(ali3_model_flat_write(m, bytes, sizeof bytes), ALI3_E_MEMORY);
  assert_int_equal(ali3_model_flat_write(NULL, bytes, sizeof bytes), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_flat_write(m, NULL, 0), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_flat_read(NULL, bytes, sizeof bytes), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_flat_read(empty, NULL, 0), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_flat_read(m, bytes, sizeof bytes), ALI3_E_ARGUMENT);
  assert_non_null(strstr(ali3_model_problem(m)->text, "expected an empty model"));
  assert_int_equal(ali3_model_hash(NULL, hash), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_hash(m, NULL), ALI3_E_ARGUMENT);
  ali3_model_free(m);
  ali3_model_free(empty);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_trip_keeps_every_field),
      cmocka_unit_test(damaged_bytes_are_refused),
      cmocka_unit_test(any_flipped_bit_is_survived),
      cmocka_unit_test(arguments_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
