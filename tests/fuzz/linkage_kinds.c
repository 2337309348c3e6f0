/* SPDX-License-Identifier: MIT
 * Kinds of parts for linkage.h, and additions to them. Each states how many rows depend on others. */
#include "linkage.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

/* `rows` rows of the part depend on others, now and always. */
static void depend(struct linkage *k, int rows)
{
  k->truth[k->parts].redundant += rows;
  k->truth[k->parts].freedoms += rows;
  k->truth[k->parts].undriven += rows;
}

/* `rows` rows of drives depend on others. */
static void drives_depend(struct linkage *k, int rows)
{
  k->truth[k->parts].redundant += rows;
  k->truth[k->parts].freedoms += rows;
}

static void across(const double u[3], const double v[3], double o[3])
{
  double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double norm = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  for (int i = 0; i < 3; i++) o[i] = c[i] / norm;
}

/* A random unit vector at right angles to u. */
static void random_across(struct linkage *k, const double u[3], double o[3])
{
  double v[3], cosine;
  do {
    random_unit(&k->random, v, 3);
    cosine = fabs(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  } while (cosine > 0.9);
  across(u, v, o);
}

static int joint_of_any_type(struct linkage *k, int a, int b, const double at[3])
{
  ali3_joint_type type = (ali3_joint_type)random_below(&k->random, ALI3_JOINT_TYPES);
  double axis[3], other[3];
  random_unit(&k->random, axis, 3);
  memcpy(other, axis, sizeof other);
  if (type == ALI3_JOINT_UNIVERSAL) random_across(k, axis, other);
  if (type == ALI3_JOINT_DISTANCE)
    for (int i = 0; i < 3; i++) other[i] = at[i] + 0.7 * axis[i];
  linkage_say(k, " %s", ali3_joint_type_name(type));
  return linkage_joint(k, type, a, b, at, axis, other);
}

/* A second joint with the effect of an existing one. */
static void repeat(struct linkage *k, int joint)
{
  const struct linkage_joint j = k->joint[joint];
  const bool line = j.type == ALI3_JOINT_REVOLUTE || j.type == ALI3_JOINT_CYLINDRICAL;
  double at[3], axis[3], other[3], way[3];
  random_vector(&k->random, way, 3);
  for (int i = 0; i < 3; i++) {
    at[i] = j.at[i];
    axis[i] = j.axis[i];
    other[i] = j.other[i];
    if (line) at[i] += way[0] * j.axis[i];
    if (j.type == ALI3_JOINT_FIXED || j.type == ALI3_JOINT_PRISMATIC) at[i] += way[i];
  }
  if (j.type == ALI3_JOINT_PLANAR) {
    double u[3];
    random_across(k, axis, u);
    for (int i = 0; i < 3; i++) at[i] += way[0] * u[i];
  }
  linkage_say(k, " +%s again", ali3_joint_type_name(j.type));
  linkage_joint(k, j.type, j.a, j.b, at, axis, other);
  depend(k, linkage_rows(j.type));
}

/* A weld beside a joint of a tree locks it. */
static void weld(struct linkage *k, int joint)
{
  const struct linkage_joint j = k->joint[joint];
  double at[3];
  random_vector(&k->random, at, 3);
  linkage_say(k, " +weld over j%d", joint);
  linkage_joint(k, ALI3_JOINT_FIXED, j.a, j.b, at, j.axis, NULL);
  depend(k, linkage_rows(j.type));
}

static bool has_coordinate(const struct linkage *k, int joint)
{
  return k->joint[joint].type == ALI3_JOINT_REVOLUTE || k->joint[joint].type == ALI3_JOINT_PRISMATIC;
}

/* Drives on a joint of a tree: one; a second one, on a joint that repeats the first, that agrees or not; one on a joint that is
 * welded. */
static void drive_tree(struct linkage *k, int joint, bool locked)
{
  const double speed = random_between(&k->random, 0.5, 2);
  const int way = random_below(&k->random, 3);
  if (locked) {
    linkage_say(k, " +drive on locked j%d%s", joint, way ? " at 0" : "");
    linkage_drive(k, joint, way ? 0.0 : speed);
    drives_depend(k, 1);
    k->conflicts++;
    k->contradicting += !way;
    return;
  }
  linkage_say(k, " +drive on j%d", joint);
  linkage_drive(k, joint, speed);
  if (way == 0) return;
  const int beside = k->joints;
  repeat(k, joint);
  linkage_say(k, way == 1 ? " driven alike" : " driven against it");
  linkage_drive(k, beside, way == 1 ? speed : -0.3 * speed);
  drives_depend(k, 1);
  k->conflicts += 2;
  k->contradicting += way == 1 ? 0 : 2;
}

/* Bodies on joints of all types, no loops; on the ground or free. */
static void tree(struct linkage *k)
{
  const int first_body = k->bodies, first_joint = k->joints, n = 1 + random_below(&k->random, 8);
  const bool grounded = random_below(&k->random, 4) != 0;
  linkage_say(k, "%s tree:", grounded ? "grounded" : "free");
  for (int i = 0; i < n; i++) {
    double at[3], here[3];
    random_vector(&k->random, at, 3);
    random_vector(&k->random, here, 3);
    int parent = i ? first_body + random_below(&k->random, i) : ALI3_GROUND, b = linkage_body(k, at);
    if (i || grounded) joint_of_any_type(k, parent, b, here);
  }
  for (int joint = first_joint, end = k->joints; joint < end; joint++) {
    const int way = random_below(&k->random, 10);
    if (way == 0) repeat(k, joint);
    if (way == 1) weld(k, joint);
    if (has_coordinate(k, joint) && random_below(&k->random, 5) == 0) drive_tree(k, joint, way == 1);
  }
}

/* Drives on a loop of one freedom: one, or one at each end. */
static void drive_loop(struct linkage *k, int first, int last)
{
  const int way = random_below(&k->random, 4);
  if (way == 0) return;
  const double speed = random_between(&k->random, 0.5, 2);
  linkage_say(k, " +drive on j%d", first);
  linkage_drive(k, first, way == 3 ? 0.0 : speed);
  if (way == 1) return;
  linkage_say(k, " and on j%d, %s", last, way == 2 ? "in conflict" : "both at 0");
  linkage_drive(k, last, 0.0);
  drives_depend(k, 1);
  k->conflicts += 2;
  k->contradicting += way == 2 ? 2 : 0;
}

/* Bodies in a ring, hinged where and as given; the ground is one of them, or not. Returns the first joint. */
static int ring(struct linkage *k, int corners, const double (*corner)[3], const double (*axis)[3],
                bool grounded)
{
  const int first = k->bodies, joints = k->joints, bodies = corners - grounded;
  for (int i = 0; i < bodies; i++) {
    double middle[3];
    for (int n = 0; n < 3; n++) middle[n] = 0.5 * (corner[i][n] + corner[(i + 1) % corners][n]);
    linkage_body(k, middle);
  }
  for (int i = 0; i < corners; i++) {
    int before = i ? first + i - 1 : grounded ? ALI3_GROUND : first + bodies - 1;
    int after = i < bodies ? first + i : ALI3_GROUND;
    linkage_joint(k, ALI3_JOINT_REVOLUTE, before, after, corner[i], axis[i], NULL);
  }
  return joints;
}

/* Corners on a bent circle, none in line with others: every position in between is an ordinary one. */
static void corners_around(struct linkage *k, int n, double (*corner)[3])
{
  for (int i = 0; i < n; i++) {
    const double a = 2 * PI * (i + random_between(&k->random, -0.25, 0.25)) / n;
    const double r = random_between(&k->random, 0.8, 1.3);
    corner[i][0] = r * cos(a);
    corner[i][1] = r * sin(a);
    corner[i][2] = 0.0;
  }
}

static void planar_loop(struct linkage *k)
{
  const int n = 3 + random_below(&k->random, 4), shape = random_below(&k->random, 3);
  const bool grounded = random_below(&k->random, 3) != 0;
  double corner[6][3], axis[6][3] = {{0}};
  corners_around(k, n, corner);
  for (int i = 0; i < n; i++) axis[i][2] = random_below(&k->random, 2) ? 1 : -1;
  if (n == 4 && shape == 0)
    for (int i = 0; i < 2; i++) corner[3][i] = corner[0][i] + corner[2][i] - corner[1][i];
  linkage_say(k, "%s planar loop of %d%s", grounded ? "grounded" : "free", n,
              n == 4 && shape == 0 ? ", parallelogram" : "");
  int first = ring(k, n, (const double(*)[3])corner, (const double(*)[3])axis, grounded);
  depend(k, 3);
  if (random_below(&k->random, 3) == 0) repeat(k, first + random_below(&k->random, n));
  if (n == 4) drive_loop(k, first, first + 3);
}

/* All bars of a parallelogram, or of another four-bar, in one line. */
static void flat_loop(struct linkage *k)
{
  const bool kite = random_below(&k->random, 2);
  const double a = random_between(&k->random, 0.5, 1), b = random_between(&k->random, 1.2, 2);
  const double c = kite ? random_between(&k->random, 0.6, 1) : a;
  double corner[4][3] = {{0}, {a}, {a + b}, {a + b - c}}, axis[4][3] = {{0}};
  for (int i = 0; i < 4; i++) axis[i][2] = 1;
  linkage_say(k, "flat four-bar%s", kite ? "" : ", parallelogram");
  ring(k, 4, (const double(*)[3])corner, (const double(*)[3])axis, true);
  depend(k, 4);
  k->truth[k->parts].singular += 1;
}

static void spherical_loop(struct linkage *k)
{
  const int n = 4 + random_below(&k->random, 2);
  double corner[6][3], axis[6][3];
  corners_around(k, n, corner);
  for (int i = 0; i < n; i++) { /* axes through one point above */
    const double norm = sqrt(corner[i][0] * corner[i][0] + corner[i][1] * corner[i][1] + 1.0);
    for (int x = 0; x < 3; x++) axis[i][x] = ((x == 2) - corner[i][x]) / norm;
  }
  linkage_say(k, "spherical loop of %d", n);
  int first = ring(k, n, (const double(*)[3])corner, (const double(*)[3])axis, true);
  depend(k, 3);
  if (random_below(&k->random, 3) == 0) repeat(k, first + random_below(&k->random, n));
  if (n == 4) drive_loop(k, first, first + 3);
}

/* Hinges in general position: 6 lock, 7 leave one freedom. */
static void spatial_loop(struct linkage *k)
{
  const int n = 5 + random_below(&k->random, 5);
  double corner[10][3], axis[10][3];
  corners_around(k, n, corner);
  for (int i = 0; i < n; i++) {
    corner[i][2] = random_between(&k->random, -0.5, 0.5);
    random_unit(&k->random, axis[i], 3);
  }
  linkage_say(k, "spatial loop of %d hinges", n);
  int first = ring(k, n, (const double(*)[3])corner, (const double(*)[3])axis, true);
  if (n < 6) depend(k, 6 - n);
  if (random_below(&k->random, 3) == 0) repeat(k, first + random_below(&k->random, n));
  if (n == 7) drive_loop(k, first, first + 6);
}

/* Crank and rocker in space, a rod on two balls between them, which may turn about itself. */
static void rssr(struct linkage *k)
{
  double corner[4][3], axis[2][3];
  corners_around(k, 4, corner);
  for (int i = 0; i < 2; i++) random_unit(&k->random, axis[i], 3);
  const int first = k->bodies, joints = k->joints;
  for (int i = 0; i < 3; i++) linkage_body(k, corner[i]);
  linkage_say(k, "RSSR");
  linkage_joint(k, ALI3_JOINT_REVOLUTE, ALI3_GROUND, first, corner[0], axis[0], NULL);
  linkage_joint(k, ALI3_JOINT_SPHERICAL, first, first + 1, corner[1], axis[0], NULL);
  linkage_joint(k, ALI3_JOINT_SPHERICAL, first + 1, first + 2, corner[2], axis[0], NULL);
  linkage_joint(k, ALI3_JOINT_REVOLUTE, first + 2, ALI3_GROUND, corner[3], axis[1], NULL);
  drive_loop(k, joints, joints + 3);
}

static void scissors(struct linkage *k)
{
  const int stages = 1 + random_below(&k->random, 5), first = k->bodies;
  const double wide = random_between(&k->random, 0.5, 1), high = random_between(&k->random, 0.3, 1);
  const double z[3] = {0, 0, 1};
  linkage_say(k, "scissors of %d", stages);
  for (int i = 0; i < 2 * stages; i++) linkage_body(k, (const double[]){0, (i / 2 + 0.5) * high, 0});
  linkage_joint(k, ALI3_JOINT_REVOLUTE, ALI3_GROUND, first, (const double[]){-wide / 2, 0, 0}, z, NULL);
  for (int i = 0; i < stages; i++) { /* bars 2 i, from left to right, and 2 i + 1 */
    const int bar = first + 2 * i;
    linkage_joint(k, ALI3_JOINT_REVOLUTE, bar, bar + 1, (const double[]){0, (i + 0.5) * high, 0}, z, NULL);
    if (i == stages - 1) break;
    for (int side = 0; side < 2; side++)
      linkage_joint(k, ALI3_JOINT_REVOLUTE, bar + side, bar + 3 - side,
                    (const double[]){side ? -wide / 2 : wide / 2, (i + 1) * high, 0}, z, NULL);
  }
  depend(k, 3 * (stages - 1));
}

/* Six legs of two bodies, or six distances, which lock it. */
static void stewart(struct linkage *k)
{
  const bool rods = random_below(&k->random, 3) == 0;
  const int platform = linkage_body(k, (const double[]){0, 0, 1.5});
  linkage_say(k, "Stewart platform on %s", rods ? "rods" : "legs");
  for (int i = 0; i < 6; i++) {
    double low[3], high[3], axis[3] = {0, 0, 1}, u[3], v[3], middle[3];
    const double a = PI / 3 * (i + (i % 2 ? 0.7 : 0.0)), b = PI / 3 * (i + (i % 2 ? 0.1 : 0.6));
    for (int n = 0; n < 2; n++) {
      low[n] = 1.5 * (n ? sin(a) : cos(a)) + random_between(&k->random, -0.1, 0.1);
      high[n] = 0.8 * (n ? sin(b) : cos(b)) + random_between(&k->random, -0.1, 0.1);
    }
    low[2] = random_between(&k->random, -0.1, 0.1);
    high[2] = 1.5 + random_between(&k->random, -0.1, 0.1);
    if (rods) {
      linkage_joint(k, ALI3_JOINT_DISTANCE, ALI3_GROUND, platform, high, axis, low);
      continue;
    }
    double norm = 0;
    for (int n = 0; n < 3; n++) norm += (high[n] - low[n]) * (high[n] - low[n]);
    for (int n = 0; n < 3; n++) {
      axis[n] = (high[n] - low[n]) / sqrt(norm);
      middle[n] = (high[n] + low[n]) / 2;
    }
    random_across(k, axis, u);
    across(axis, u, v);
    int tube = linkage_body(k, low), rod = linkage_body(k, high);
    linkage_joint(k, ALI3_JOINT_UNIVERSAL, ALI3_GROUND, tube, low, u, v);
    linkage_joint(k, ALI3_JOINT_PRISMATIC, tube, rod, middle, axis, NULL);
    linkage_joint(k, ALI3_JOINT_SPHERICAL, rod, platform, high, axis, NULL);
  }
}

/* Wheels on the ground, all geared to the first; a gear more closes a train, which turns only if the
 * ratios agree. */
static void gears(struct linkage *k)
{
  const int n = 2 + random_below(&k->random, 3), first = k->joints,
            way = n > 2 ? random_below(&k->random, 3) : 0;
  double ratio[4] = {1, 1, 1, 1};
  linkage_say(k, "%d wheels in gear%s", n, way == 0 ? "" : way == 1 ? ", one gear more" : ", locked");
  for (int i = 0; i < n; i++) {
    double at[3], axis[3];
    random_vector(&k->random, at, 3);
    random_unit(&k->random, axis, 3);
    int b = linkage_body(k, at);
    linkage_joint(k, ALI3_JOINT_REVOLUTE, ALI3_GROUND, b, at, axis, NULL);
  }
  for (int i = 1; i < n; i++) {
    ratio[i] = random_between(&k->random, 0.5, 2) * (random_below(&k->random, 2) ? 1 : -1);
    linkage_gear(k, first + i, first, ratio[i]);
  }
  if (way == 0) return;
  linkage_gear(k, first + 2, first + 1, ratio[2] / ratio[1] * (way == 1 ? 1 : -1.5));
  if (way != 1) return;
  depend(k, 1);
  k->conflicts += 3;
}

void linkage_part(struct linkage *k)
{
  static void (*const kind[])(struct linkage *) = {tree,         tree, planar_loop, flat_loop, spherical_loop,
                                                   spatial_loop, rssr, scissors,    stewart,   gears};
  kind[random_below(&k->random, (int)(sizeof kind / sizeof *kind))](k);
}
