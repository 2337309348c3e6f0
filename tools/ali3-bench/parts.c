/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parts_begin(struct parts *p)
{
  *p = (struct parts){.m = ali3_model_new()};
  return p->good = p->m != NULL;
}

static void check_status(struct parts *p, int status)
{
  if (p->good && status < 0) {
    const ali3_problem *problem = ali3_model_problem(p->m);
    fprintf(stderr, "ali3-bench: %s %s: %s\n", problem->element, problem->field, problem->text);
    p->good = false;
  }
}

ali3_model *parts_end(struct parts *p, const char *name, const ali3_options *options)
{
  if (p->good) check_status(p, ali3_model_set_name(p->m, name));
  if (p->good) check_status(p, ali3_model_freeze(p->m, options));
  free(p->position);
  if (!p->good) {
    ali3_model_free(p->m);
    return NULL;
  }
  return p->m;
}

void parts_gravity(struct parts *p, double x, double y, double z)
{
  if (p->good) check_status(p, ali3_model_set_gravity(p->m, (const double[]){x, y, z}));
}

static int add_part(struct parts *p, const ali3_body_spec *spec)
{
  /* Grow the list of positions. */
  char name[32];
  ali3_body_spec s = *spec;
  if (p->good && p->bodies == p->room) {
    int room = 2 * p->room + 64;
    double(*grown)[3] = realloc(p->position, (size_t)room * sizeof *grown);
    if (!grown) {
      fputs("ali3-bench: out of memory\n", stderr);
      p->good = false;
    } else {
      p->position = grown;
      p->room = room;
    }
  }
  /* Add the body under its number. */
  if (!p->good) return 0;
  snprintf(name, sizeof name, "b%d", p->bodies + 1);
  s.name = name;
  s.orientation[0] = 1.0;
  int index = ali3_model_add_body(p->m, &s);
  check_status(p, index);
  if (!p->good) return 0;
  memcpy(p->position[p->bodies++], s.position, sizeof s.position);
  return index;
}

int parts_moving(struct parts *p, double mass, const double inertia[3], const double position[3],
                 const double velocity[3], const double turn[3])
{
  ali3_body_spec s = {.mass = mass};
  for (int i = 0; i < 3; i++) {
    s.inertia[4 * i] = inertia[i];
    s.position[i] = position[i];
    s.velocity[i] = velocity[i];
    s.angular_velocity[i] = turn[i];
  }
  return add_part(p, &s);
}

int parts_body(struct parts *p, double mass, const double inertia[3], const double position[3])
{
  static const double rest[3] = {0.0};
  return parts_moving(p, mass, inertia, position, rest, rest);
}

int parts_rod(struct parts *p, double mass, const double from[3], const double to[3], const double centre[3])
{
  ali3_body_spec s = {.mass = mass};
  double along[3], square = 0.0;
  for (int i = 0; i < 3; i++) {
    along[i] = to[i] - from[i];
    square += along[i] * along[i];
    s.position[i] = centre[i];
  }
  double wide = mass * square / 12.0 * 1.01, thin = mass * square / 600.0;
  for (int i = 0; i < 9; i++)
    s.inertia[i] = (i % 4 == 0 ? wide : 0.0) + (thin - wide) * along[i / 3] * along[i % 3] / square;
  return add_part(p, &s);
}

static void in_body(const struct parts *p, int body, const double at[3], double o[3])
{
  for (int i = 0; i < 3; i++) o[i] = at[i] - (body == ALI3_GROUND ? 0.0 : p->position[body][i]);
}

int parts_joint(struct parts *p, ali3_joint_type type, int a, int b, const double at[3],
                const double axis_a[3], const double axis_b[3])
{
  if (!p->good) return 0;
  char name[32];
  ali3_joint_spec s = {.name = name, .type = type, .body_a = a, .body_b = b};
  snprintf(name, sizeof name, "j%d", ali3_model_joints(p->m) + 1);
  in_body(p, a, at, s.point_a);
  in_body(p, b, at, s.point_b);
  if (axis_a) memcpy(s.axis_a, axis_a, sizeof s.axis_a);
  if (axis_b) memcpy(s.axis_b, axis_b, sizeof s.axis_b);
  int index = ali3_model_add_joint(p->m, &s);
  check_status(p, index);
  return index;
}

void parts_bar(struct parts *p, int a, int b)
{
  if (!p->good) return;
  char name[32];
  ali3_joint_spec s = {.name = name, .type = ALI3_JOINT_DISTANCE, .body_a = a, .body_b = b};
  snprintf(name, sizeof name, "j%d", ali3_model_joints(p->m) + 1);
  for (int i = 0; i < 3; i++) s.length += pow(p->position[b][i] - p->position[a][i], 2);
  s.length = sqrt(s.length);
  check_status(p, ali3_model_add_joint(p->m, &s));
}

static void add_force(struct parts *p, const ali3_force_spec *spec)
{
  if (!p->good) return;
  char name[32];
  ali3_force_spec s = *spec;
  snprintf(name, sizeof name, "f%d", ali3_model_forces(p->m) + 1);
  s.name = name;
  check_status(p, ali3_model_add_force(p->m, &s));
}

void parts_spring(struct parts *p, int joint, double stiffness, double damping)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  s.joint = joint;
  s.stiffness[0] = stiffness;
  s.damping[0] = damping;
  add_force(p, &s);
}

void parts_drive(struct parts *p, int joint, double amplitude, double frequency)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  s.joint = joint;
  s.amplitude = amplitude;
  s.frequency = frequency;
  add_force(p, &s);
}

void parts_gear(struct parts *p, int joint, int joint_b, double ratio)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_GEAR);
  s.joint = joint;
  s.joint_b = joint_b;
  s.ratio = ratio;
  add_force(p, &s);
}

static uint64_t next_random(struct random *r)
{
  uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double random_between(struct random *r, double low, double high)
{
  return low + (high - low) * ((double)(next_random(r) >> 11) * 0x1p-53);
}

int random_below(struct random *r, int n)
{
  return (int)(next_random(r) % (uint64_t)n);
}

void random_unit(struct random *r, double o[3])
{
  double square;
  do {
    square = 0.0;
    for (int i = 0; i < 3; i++) {
      o[i] = random_between(r, -1.0, 1.0);
      square += o[i] * o[i];
    }
  } while (square < 0.1 || square > 1.0);
  for (int i = 0; i < 3; i++) o[i] /= sqrt(square);
}
