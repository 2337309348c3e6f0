/* SPDX-License-Identifier: MIT
 * Machines that people build: redundant loops of revolutes, long closed chains, trusses. SI units. */
#include "bench.h"
#include "cases.h"
#include "parts.h"

#include <math.h>
#include <string.h>

/* o = a + scale * b */
static void shift_point(double o[3], const double a[3], double scale, const double b[3])
{
  for (int i = 0; i < 3; i++) o[i] = a[i] + scale * b[i];
}

static int rod_between(struct parts *p, double mass, const double from[3], const double to[3])
{
  double middle[3];
  for (int i = 0; i < 3; i++) middle[i] = 0.5 * (from[i] + to[i]);
  return parts_rod(p, mass, from, to, middle);
}

static int add_revolute(struct parts *p, int a, int b, const double at[3], const double axis[3])
{
  return parts_joint(p, ALI3_JOINT_REVOLUTE, a, b, at, axis, axis);
}

/* One limb of a Delta robot: a driven arm, and a forearm that is a parallelogram of two bars and two rods.
 * All seven joints are revolutes, so the parallelogram has redundant rows. */
static void add_delta_limb(struct parts *p, int plate, double angle, double drop)
{
  /* Directions: outward, along the bars, across the parallelogram. */
  const double out[3] = {cos(angle), sin(angle), 0}, bar[3] = {-sin(angle), cos(angle), 0};
  const double length = hypot(0.34, drop);
  const double rod[3] = {-0.34 / length * out[0], -0.34 / length * out[1], -drop / length};
  const double across[3] = {bar[1] * rod[2] - bar[2] * rod[1], bar[2] * rod[0] - bar[0] * rod[2],
                            bar[0] * rod[1] - bar[1] * rod[0]};
  const double centre[3] = {0, 0, 0};
  double hip[3], elbow[3], wrist[3], end[2][2][3]; /* ends of the forearm: elbow and wrist, both sides */
  shift_point(hip, centre, 0.2, out);
  shift_point(elbow, centre, 0.4, out);
  shift_point(wrist, elbow, length, rod);
  for (int side = 0; side < 2; side++) {
    shift_point(end[0][side], elbow, side ? 0.05 : -0.05, bar);
    shift_point(end[1][side], wrist, side ? 0.05 : -0.05, bar);
  }
  /* Arm and bars. */
  int arm = rod_between(p, 0.6, hip, elbow);
  int upper = rod_between(p, 0.05, end[0][0], end[0][1]), lower = rod_between(p, 0.05, end[1][0], end[1][1]);
  parts_drive(p, add_revolute(p, ALI3_GROUND, arm, hip, bar), 0.3, 0.5);
  add_revolute(p, arm, upper, elbow, bar);
  add_revolute(p, lower, plate, wrist, bar);
  /* Both rods. */
  for (int side = 0; side < 2; side++) {
    int b = rod_between(p, 0.1, end[0][side], end[1][side]);
    add_revolute(p, upper, b, end[0][side], across);
    add_revolute(p, b, lower, end[1][side], across);
  }
}

void build_delta(struct parts *p, int bodies)
{
  const double drop = sqrt(0.5 * 0.5 - 0.34 * 0.34);
  (void)bodies;
  parts_gravity(p, 0, 0, -G);
  int plate = parts_body(p, 0.4, (const double[]){5e-4, 5e-4, 9e-4}, (const double[]){0, 0, -drop});
  for (int i = 0; i < 3; i++) add_delta_limb(p, plate, 2 * PI * i / 3, drop);
}

/* Crossed bars, stage on stage: a plate on top, and a foot that a drive moves to and fro below. */
void build_scissor_lift(struct parts *p, int bodies)
{
  static const double block[3] = {1e-3, 1e-3, 1e-3};
  const int stages = bodies > 5 ? (bodies - 3) / 2 : 1;
  int last[2]; /* at x = 0 and at x = 1 */
  parts_gravity(p, 0, -G, 0);
  /* The fixed foot is a bearing on the ground, the driven foot a block that slides. */
  last[0] = ALI3_GROUND;
  last[1] = parts_body(p, 1, block, X);
  /* Every stage adds to the way of the plate, so the foot of a higher lift moves less: with the way of three stages the plate of
   * 254 would reach 76 m/s. */
  const double way = 0.08 * fmin(1.0, 3.0 / stages);
  parts_drive(p, parts_joint(p, ALI3_JOINT_PRISMATIC, ALI3_GROUND, last[1], X, X, X), way, 0.3);
  for (int i = 0; i < stages; i++) {
    const double y = 0.5 * i;
    const double low[2][3] = {{0, y, 0}, {1, y, 0}}, high[2][3] = {{0, y + 0.5, 0}, {1, y + 0.5, 0}};
    int rising = rod_between(p, 2, low[0], high[1]), falling = rod_between(p, 2, low[1], high[0]);
    add_revolute(p, last[0], rising, low[0], Z);
    add_revolute(p, last[1], falling, low[1], Z);
    add_revolute(p, rising, falling, (const double[]){0.5, y + 0.25, 0}, Z);
    last[0] = falling;
    last[1] = rising;
  }
  /* The plate rests on a bearing and on a block that slides along it. */
  const double y = 0.5 * stages, right[3] = {1, y, 0};
  int plate = parts_body(p, 20, (const double[]){1, 2, 2}, (const double[]){0.5, y + 0.05, 0});
  int slider = parts_body(p, 1, block, right);
  add_revolute(p, last[0], plate, (const double[]){0, y, 0}, Z);
  add_revolute(p, last[1], slider, right, Z);
  parts_joint(p, ALI3_JOINT_PRISMATIC, plate, slider, right, X, X);
}

/* A closed drive chain that hangs long on a wheel's bearing, with friction in its pins; the bearing rocks it.
 * Half of the links run down and round the lower end, the other half come back the same way. */
void build_chain_drive(struct parts *p, int bodies)
{
  enum { ARC = 6 }; /* bends of each end */
  static const double pitch = 0.5;
  const int half = bodies / 2 > ARC ? bodies / 2 : ARC;
  double from[3] = {0, 0, 0};
  int first = 0, last = ALI3_GROUND;
  parts_gravity(p, G, 0, 0);
  for (int i = 0; i < 2 * half; i++) {
    /* The first link is the one after the middle of the upper end. */
    const int k = (i + ARC / 2) % half, bend = k < ARC ? k - ARC : 0;
    const double heading = (i + ARC / 2 >= half && i + ARC / 2 < 2 * half ? PI : 0) + bend * PI / ARC;
    const double to[3] = {from[0] + pitch * cos(heading), from[1] + pitch * sin(heading), 0};
    int link = parts_body(p, 1, (const double[]){0.02, 0.02, 0.02},
                          (const double[]){0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0});
    const int pin = add_revolute(p, last, link, from, Z);
    if (i == 0) {
      first = link;
      parts_drive(p, pin, 0.2, 0.25);
    } else {
      parts_spring(p, pin, 0, 0.5);
    }
    last = link;
    memcpy(from, to, sizeof from);
  }
  parts_spring(p, add_revolute(p, last, first, (const double[]){0, 0, 0}, Z), 0, 0.5);
}

/* Nodes on a grid of 3 x 3 x n, joined by bars of fixed length along the edges and across every second face:
 * far more bars than freedoms. Three nodes hang on one line, so the truss swings. */
void build_truss(struct parts *p, int bodies)
{
  static const int bar[][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {1, 1, 0}, {1, 0, 1},
                               {0, 1, 1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}};
  static const double small[3] = {1e-2, 1e-2, 1e-2};
  const int layers = bodies > 18 ? bodies / 9 : 2;
  int base = 0;
  parts_gravity(p, 0, 0, -G);
  /* The nodes, then the bars of each. */
  for (int i = 0; i < 9 * layers; i++) {
    const int layer = i / 9, row = i / 3 % 3;
    int node = parts_body(p, 1, small, (const double[]){layer, row, i % 3});
    if (i == 0) base = node;
    if (i < 9 && i % 3 == 2)
      parts_joint(p, ALI3_JOINT_SPHERICAL, ALI3_GROUND, node, p->position[node], NULL, NULL);
  }
  for (int i = 0; i < 9 * layers; i++)
    for (size_t k = 0; k < sizeof bar / sizeof *bar; k++) {
      const int x = i / 9 + bar[k][0], y = i / 3 % 3 + bar[k][1], z = i % 3 + bar[k][2];
      if (x < layers && y >= 0 && y < 3 && z >= 0 && z < 3) parts_bar(p, base + i, base + 9 * x + 3 * y + z);
    }
}
