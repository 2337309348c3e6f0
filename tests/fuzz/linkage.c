/* SPDX-License-Identifier: MIT
 * See linkage.h: frames, scales, and elements with random proportions. */
#include "linkage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int added(struct linkage *k, int index)
{
  if (index >= 0) return index;
  fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)k->seed, k->words,
          ali3_model_problem(k->m)->text);
  exit(1);
}

void linkage_say(struct linkage *k, const char *format, ...)
{
  size_t used = strlen(k->words);
  va_list list;
  va_start(list, format);
  vsnprintf(k->words + used, sizeof k->words - used, format, list);
  va_end(list);
}

/* o = R a, or R'a */
static void rotate(double o[3], const double R[9], const double a[3])
{
  for (int i = 0; i < 3; i++) o[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}
static void rotate_back(double o[3], const double R[9], const double a[3])
{
  for (int i = 0; i < 3; i++) o[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

static void rotation(const double p[4], double R[9])
{
  const double e = p[0], x = p[1], y = p[2], z = p[3];
  const double o[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - e * z),     2 * (x * z + e * y),
                       2 * (x * y + e * z),     1 - 2 * (x * x + z * z), 2 * (y * z - e * x),
                       2 * (x * z - e * y),     2 * (y * z + e * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, o, sizeof o);
}

/* A direction of a part in the file. */
static void to_file_direction(const struct linkage *k, const double a[3], double o[3])
{
  double part[3];
  rotate(part, k->part_at.turn, a);
  rotate(o, k->turn, part);
}

static void to_file(const struct linkage *k, const double a[3], double o[3])
{
  double part[3], file[3];
  rotate(part, k->part_at.turn, a);
  for (int i = 0; i < 3; i++) part[i] += k->part_at.shift[i];
  rotate(file, k->turn, part);
  for (int i = 0; i < 3; i++) o[i] = k->length * (k->shift[i] + file[i]);
}

/* A point or direction of a part in the frame of a body, which is kept in the coordinates of the file. */
static void in_body(const struct linkage *k, int body, bool point, const double a[3], double o[3])
{
  double file[3];
  if (point)
    to_file(k, a, file);
  else
    to_file_direction(k, a, file);
  if (body == ALI3_GROUND) {
    memcpy(o, file, sizeof file);
    return;
  }
  for (int i = 0; i < 3 && point; i++) file[i] -= k->body[body].at[i];
  rotate_back(o, k->body[body].R, file);
}

int linkage_body(struct linkage *k, const double at[3])
{
  char name[20];
  const double L = k->length;
  double m = k->mass * k->part_at.mass * exp(random_between(&k->random, -1, 1));
  double near[3], p[4], J[9];
  if (k->part_at.uneven && random_below(&k->random, 3) == 0) m *= 1e-6;
  for (int i = 0; i < 3; i++) near[i] = at[i] + random_between(&k->random, -0.2, 0.2);
  random_unit(&k->random, p, 4);
  random_inertia(&k->random, J);
  ali3_body_spec s = {.name = name, .mass = m};
  k->heaviest = fmax(k->heaviest, m);
  snprintf(name, sizeof name, "b%d", k->bodies);
  k->part_of[k->bodies] = k->parts;
  struct linkage_body *b = &k->body[k->bodies++];
  to_file(k, near, b->at);
  rotation(p, b->R);
  memcpy(s.orientation, p, sizeof p);
  memcpy(s.position, b->at, sizeof b->at);
  for (int i = 0; i < 9; i++) s.inertia[i] = 0.1 * m * L * L * J[i];
  k->truth[k->parts].bodies++;
  k->truth[k->parts].freedoms += 6;
  k->truth[k->parts].undriven += 6;
  return added(k, ali3_model_add_body(k->m, &s));
}

int linkage_rows(ali3_joint_type type)
{
  static const int rows[ALI3_JOINT_TYPES] = {6, 5, 5, 4, 4, 3, 3, 2, 1, 1};
  return rows[type];
}

int linkage_joint(struct linkage *k, ali3_joint_type type, int a, int b, const double at[3],
                  const double axis[3], const double *other)
{
  char name[20];
  const bool distance = type == ALI3_JOINT_DISTANCE;
  ali3_joint_spec s = {.name = name, .type = type, .body_a = a, .body_b = b};
  struct linkage_joint *j = &k->joint[k->joints];
  snprintf(name, sizeof name, "j%d", k->joints++);
  *j = (struct linkage_joint){.type = type, .a = a, .b = b};
  if (!other) other = axis;
  memcpy(j->at, at, sizeof j->at);
  memcpy(j->axis, axis, sizeof j->axis);
  memcpy(j->other, other, sizeof j->other);
  in_body(k, a, true, distance ? other : at, s.point_a);
  in_body(k, b, true, at, s.point_b);
  in_body(k, a, false, axis, s.axis_a);
  in_body(k, b, false, distance ? axis : other, s.axis_b);
  struct truth *t = &k->truth[k->parts];
  const int rows = linkage_rows(type);
  t->rows += rows;
  t->freedoms -= rows; /* less what depends on others, which is for the kinds to say */
  t->undriven -= rows;
  return added(k, ali3_model_add_joint(k->m, &s));
}

static int force(struct linkage *k, ali3_force_spec *s)
{
  char name[20];
  snprintf(name, sizeof name, "f%d", ali3_model_forces(k->m));
  s->name = name;
  k->truth[k->parts].rows++;
  k->truth[k->parts].freedoms--;
  return added(k, ali3_model_add_force(k->m, s));
}

int linkage_drive(struct linkage *k, int joint, double speed)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  s.joint = joint;
  s.speed = k->joint[joint].type == ALI3_JOINT_PRISMATIC ? speed * k->length : speed;
  k->driven = true;
  return force(k, &s);
}

int linkage_gear(struct linkage *k, int joint, int joint_b, double ratio)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_GEAR);
  s.joint = joint;
  s.joint_b = joint_b;
  s.ratio = ratio;
  k->truth[k->parts].undriven--;
  return force(k, &s);
}

static void any_rotation(struct linkage *k, double R[9])
{
  double p[4];
  random_unit(&k->random, p, 4);
  rotation(p, R);
}

void linkage_make(struct linkage *k, uint64_t seed)
{
  *k = (struct linkage){.m = ali3_model_new(), .random = {seed * UINT64_C(7919) + 1}, .seed = seed};
  struct random *r = &k->random;
  const double far = random_below(r, 4) ? 5.0 : 1e4;
  k->length = pow(10.0, random_between(r, -3, 3));
  k->mass = pow(10.0, random_between(r, -6, 6));
  any_rotation(k, k->turn);
  for (int i = 0; i < 3; i++) k->shift[i] = random_between(r, -far, far);
  linkage_say(k, "%.2g m, %.2g kg, %.2g m away:", k->length, k->mass, far * k->length);
  double gravity[3];
  random_unit(r, gravity, 3);
  for (int i = 0; i < 3; i++) gravity[i] *= 9.81 * k->length;
  added(k, ali3_model_set_gravity(k->m, gravity));
  for (int parts = 1 + random_below(r, 3); k->parts < parts; k->parts++) {
    any_rotation(k, k->part_at.turn);
    for (int i = 0; i < 3; i++) k->part_at.shift[i] = random_between(r, -3, 3);
    k->part_at.mass = pow(10.0, random_between(r, -3, 3));
    k->part_at.uneven = random_below(r, 8) == 0;
    linkage_say(k, " %.1e of the mass%s: ", k->part_at.mass, k->part_at.uneven ? ", uneven" : "");
    linkage_part(k);
    linkage_say(k, ";");
  }
}

/* A round body on a revolute joint in its centre, at a place of the file. */
static void add_rotor(struct linkage *k, struct random *r, int on, const double at[3])
{
  char name[20];
  double axis[3], p[4], m = k->mass * pow(10.0, random_between(r, -2, 1));
  random_unit(r, axis, 3);
  random_unit(r, p, 4);
  const double rate = pow(10.0, random_between(r, 1, 4)) * (random_below(r, 2) ? 1 : -1), L = k->length;
  struct linkage_body *b = &k->body[k->bodies];
  memcpy(b->at, at, sizeof b->at);
  rotation(p, b->R);
  /* the inertia is round about the axis */
  double own[3];
  rotate_back(own, b->R, axis);
  ali3_body_spec s = {.name = name, .mass = m};
  for (int i = 0; i < 9; i++)
    s.inertia[i] = 0.01 * m * L * L * ((i % 4 == 0) + 0.8 * own[i / 3] * own[i % 3]);
  memcpy(s.orientation, p, sizeof p);
  memcpy(s.position, at, sizeof s.position);
  snprintf(name, sizeof name, "r%d", k->rotors);
  added(k, ali3_model_add_body(k->m, &s));
  /* the bearing */
  ali3_joint_spec j = {
      .name = name, .type = ALI3_JOINT_REVOLUTE, .body_a = on, .body_b = k->bodies, .velocity = rate};
  if (on == ALI3_GROUND) {
    memcpy(j.point_a, at, sizeof j.point_a);
    memcpy(j.axis_a, axis, sizeof j.axis_a);
  } else {
    double far[3];
    for (int i = 0; i < 3; i++) far[i] = at[i] - k->body[on].at[i];
    rotate_back(j.point_a, k->body[on].R, far);
    rotate_back(j.axis_a, k->body[on].R, axis);
  }
  memcpy(j.axis_b, own, sizeof j.axis_b);
  const int joint = added(k, ali3_model_add_joint(k->m, &j)),
            part = on == ALI3_GROUND ? k->parts++ : k->part_of[on];
  struct truth *t = &k->truth[part];
  t->bodies++;
  t->rows += 5;
  t->freedoms++;
  t->undriven++;
  k->heaviest = fmax(k->heaviest, m);
  k->part_of[k->bodies] = part;
  k->joints++;
  k->rotor[k->rotors++] = (struct linkage_rotor){k->bodies++, joint, on, rate};
  char where[20] = "ground";
  if (on != ALI3_GROUND) snprintf(where, sizeof where, "b%d", on);
  linkage_say(k, " +rotor of %.3g rad/s on %s", rate, where);
}

void linkage_spin(struct linkage *k)
{
  struct random r = {k->seed * UINT64_C(7919) + 2};
  const int bodies = k->bodies; /* a rotor carries no rotor */
  for (int n = random_below(&r, LINKAGE_ROTORS + 1); n > 0; n--) {
    const bool grounded = k->parts < LINKAGE_PARTS && random_below(&r, 3) == 0;
    const int on = grounded ? ALI3_GROUND : random_below(&r, bodies);
    double at[3];
    for (int i = 0; i < 3; i++)
      at[i] = k->length * random_between(&r, -0.3, 0.3) +
              (grounded ? k->length * k->shift[i] : k->body[on].at[i]);
    add_rotor(k, &r, on, at);
  }
}
