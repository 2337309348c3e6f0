/* SPDX-License-Identifier: MIT
 * The mechanisms of the benchmark. Their assembly trees differ: that of a chain is balanced, a star has one hub, a ladder wider
 * fronts, a farm many small trees. SI units. */
#include "cases.h"
#include "bench.h"
#include "parts.h"

#include <math.h>
#include <stdio.h>

const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};
const double G = 9.81, PI = 3.14159265358979323846;

static void cross_product(double o[3], const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    o[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static int larger_of(int a, int b)
{
  return a > b ? a : b;
}

/* Links of 1 m, 1 kg, 1 kg m^2 along x, held at one end: the chain of paper 1. */
static void add_links(struct parts *p, int bodies, ali3_joint_type type)
{
  for (int i = 0; i < bodies; i++) {
    int b = parts_body(p, 1, (const double[]){1, 1, 1}, (const double[]){i + 0.5, 0, 0});
    const double at[3] = {i, 0, 0}, axis[3] = {0.3, sin(1.1 * i), cos(1.1 * i)};
    parts_joint(p, type, b - 1, b, at, axis, axis);
  }
}

static void build_chain(struct parts *p, int bodies)
{
  parts_gravity(p, 0, -G, 0);
  add_links(p, bodies, ALI3_JOINT_SPHERICAL);
}

static void build_chain_revolute(struct parts *p, int bodies)
{
  parts_gravity(p, 0, -G, 0);
  add_links(p, bodies, ALI3_JOINT_REVOLUTE);
}

/* The chain, hanging at rest. */
static void build_chain_at_rest(struct parts *p, int bodies)
{
  parts_gravity(p, G, 0, 0);
  add_links(p, bodies, ALI3_JOINT_SPHERICAL);
}

/* The chain without gravity. Each link turns about its length so slowly that velocities or their squares are denormal numbers. */
static void build_denormal(struct parts *p, int bodies)
{
  for (int i = 0; i < bodies; i++) {
    const double turn[3] = {i % 2 ? 1e-310 : 1e-155, 0, 0}, still[3] = {0, 0, 0};
    int b = parts_moving(p, 1, (const double[]){1, 1, 1}, (const double[]){i + 0.5, 0, 0}, still, turn);
    parts_joint(p, ALI3_JOINT_SPHERICAL, b - 1, b, (const double[]){i, 0, 0}, NULL, NULL);
  }
}

/* N upright windows side by side, pushed to 1 m/s: planar loops of revolutes with three redundant rows each. All pass their
 * singular position at one time. */
static void build_four_bars(struct parts *p, int bodies)
{
  static const double thin = 1.0 / 600.0, wide = 1.01 / 12.0;
  const double upright[3] = {wide, thin, wide}, level[3] = {thin, wide, wide};
  int windows = larger_of(1, (bodies - 1) / 2), last = 0;
  parts_gravity(p, 0, -G, 0);
  for (int i = 0; i <= windows; i++) {
    const double foot[3] = {i, 0, 0}, top[3] = {i, 1, 0};
    int post = parts_moving(p, 1, upright, (const double[]){i, 0.5, 0}, (const double[]){0.5, 0, 0},
                            (const double[]){0, 0, -1});
    parts_joint(p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, post, foot, Z, Z);
    if (i > 0) parts_joint(p, ALI3_JOINT_REVOLUTE, last, post, top, Z, Z);
    if (i == windows) break;
    last = parts_moving(p, 1, level, (const double[]){i + 0.5, 1, 0}, X, (const double[]){0, 0, 0});
    parts_joint(p, ALI3_JOINT_REVOLUTE, post, last, top, Z, Z);
  }
}

/* These windows folded flat along their line, and pulled along it: they stay in their singular position. */
static void build_singular(struct parts *p, int bodies)
{
  static const double thin = 1.0 / 600.0, wide = 1.01 / 12.0;
  const double level[3] = {thin, wide, wide};
  int windows = larger_of(1, (bodies - 1) / 2), last = 0;
  parts_gravity(p, G, 0, 0);
  for (int i = 0; i <= windows; i++) {
    const double foot[3] = {i, 0, 0}, top[3] = {i + 1, 0, 0};
    int post = parts_body(p, 1, level, (const double[]){i + 0.5, 0, 0});
    parts_joint(p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, post, foot, Z, Z);
    if (i > 0) parts_joint(p, ALI3_JOINT_REVOLUTE, last, post, top, Z, Z);
    if (i == windows) break;
    last = parts_body(p, 1, level, (const double[]){i + 1.5, 0, 0});
    parts_joint(p, ALI3_JOINT_REVOLUTE, post, last, top, Z, Z);
  }
}

static const struct mix {
  ali3_joint_type type;
  double stiffness, damping; /* spring on a joint that could slide without end */
} mix[] = {
    {ALI3_JOINT_REVOLUTE, 0, 0},      {ALI3_JOINT_SPHERICAL, 0, 0}, {ALI3_JOINT_UNIVERSAL, 0, 0},
    {ALI3_JOINT_PRISMATIC, 1e4, 300}, {ALI3_JOINT_FIXED, 0, 0},
};

/* Each body hangs half a metre from its joint, on one of the eight bodies before it. */
static void build_random_tree(struct parts *p, int bodies)
{
  struct random random = {2019};
  parts_gravity(p, 0, -G, 0);
  for (int i = 0; i < bodies; i++) {
    int to = i == 0 ? ALI3_GROUND : i - 1 - random_below(&random, i < 8 ? i : 8);
    const struct mix *how = &mix[i == 0 ? 0 : random_below(&random, sizeof mix / sizeof *mix)];
    double arm[3], u[3], v[3], w[3], at[3], centre[3], inertia[3];
    random_unit(&random, arm);
    random_unit(&random, u);
    random_unit(&random, w);
    cross_product(v, u, w); /* a second axis at right angles, for types with two */
    for (int k = 0; k < 3; k++) {
      double from = to == ALI3_GROUND || !p->good ? 0.0 : p->position[to][k];
      at[k] = from + 0.5 * arm[k];
      centre[k] = from + arm[k];
      inertia[k] = random_between(&random, 0.5, 0.9);
    }
    int b = parts_body(p, random_between(&random, 0.5, 2), inertia, centre);
    int joint = parts_joint(p, how->type, to, b, at, u, how->type == ALI3_JOINT_UNIVERSAL ? v : u);
    if (how->stiffness > 0) parts_spring(p, joint, how->stiffness, how->damping);
  }
}

/* A hub turns about a vertical axis, and rods fall from its rim. */
static void build_star(struct parts *p, int bodies)
{
  int rods = larger_of(1, bodies - 1);
  parts_gravity(p, 0, -G, 0);
  int hub = parts_moving(p, rods, (const double[]){rods, rods, rods}, (const double[]){0, 0, 0},
                         (const double[]){0, 0, 0}, Y);
  parts_joint(p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, hub, (const double[]){0, 0, 0}, Y, Y);
  for (int i = 0; i < rods; i++) {
    double angle = 2 * PI * i / rods, x = cos(angle), z = sin(angle);
    const double at[3] = {x, 0, z}, centre[3] = {1.25 * x, 0, 1.25 * z},
                 velocity[3] = {centre[2], 0, -centre[0]};
    int rod = parts_moving(p, 1, (const double[]){0.05, 0.05, 0.05}, centre, velocity, Y);
    parts_joint(p, ALI3_JOINT_SPHERICAL, hub, rod, at, NULL, NULL);
  }
}

/* Two chains 1 m apart, and a rung between every pair of links: every loop shares a side with the next. */
static void build_ladder(struct parts *p, int bodies)
{
  int rungs = larger_of(1, bodies / 3), last[2] = {ALI3_GROUND, ALI3_GROUND};
  parts_gravity(p, 0, -G, 0);
  for (int i = 0; i < rungs; i++) {
    int rung = parts_rod(p, 0.5, (const double[]){0, 0, -0.5}, (const double[]){0, 0, 0.5},
                         (const double[]){i + 0.5, 0, 0});
    for (int side = 0; side < 2; side++) {
      const double z = side - 0.5, at[3] = {i, 0, z}, middle[3] = {i + 0.5, 0, z};
      int rail = parts_body(p, 1, (const double[]){1, 1, 1}, middle);
      parts_joint(p, ALI3_JOINT_SPHERICAL, last[side], rail, at, NULL, NULL);
      parts_joint(p, ALI3_JOINT_SPHERICAL, rail, rung, middle, NULL, NULL);
      last[side] = rail;
    }
  }
}

/* The overconstrained loop of the IFToMM library: five rods along the edges of a cube, six revolutes. */
static void build_bricard(struct parts *p, int bodies)
{
  static const double corner[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const double *const axis[6] = {Y, Z, X, Y, Z, X};
  (void)bodies;
  parts_gravity(p, 0, -G, 0);
  for (int i = 0; i < 6; i++) {
    double centre[3];
    for (int k = 0; k < 3 && i < 5; k++) centre[k] = 0.5 * (corner[i][k] + corner[i + 1][k]);
    int b = i < 5 ? parts_rod(p, 1, corner[i], corner[i + 1], centre) : ALI3_GROUND;
    parts_joint(p, ALI3_JOINT_REVOLUTE, i - 1, b, corner[i], axis[i], axis[i]);
  }
}

/* One leg: lower half on the ground, upper half on the plate, a spring along the slide between them. */
static void add_leg(struct parts *p, int plate, const double foot[3], const double top[3])
{
  double u[3], across[3], other[3], low[3], high[3], length = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = top[k] - foot[k];
    length += u[k] * u[k];
    low[k] = 0.75 * foot[k] + 0.25 * top[k];
    high[k] = 0.25 * foot[k] + 0.75 * top[k];
  }
  for (int k = 0; k < 3; k++) u[k] /= sqrt(length);
  cross_product(across, Z, u);
  cross_product(other, u, across);
  const double half[3] = {0.5 * (foot[0] + top[0]), 0.5 * (foot[1] + top[1]), 0.5 * (foot[2] + top[2])};
  int lower = parts_rod(p, 2, foot, half, low), upper = parts_rod(p, 1.5, half, top, high);
  parts_joint(p, ALI3_JOINT_UNIVERSAL, ALI3_GROUND, lower, foot, across, other);
  int slide = parts_joint(p, ALI3_JOINT_PRISMATIC, lower, upper, top, u, u);
  parts_joint(p, ALI3_JOINT_SPHERICAL, upper, plate, top, NULL, NULL);
  parts_spring(p, slide, 2e4, 600);
}

/* Separate platforms as in config/models/stewart_platform.yaml, with plates of different masses. */
static void build_stewart_farm(struct parts *p, int bodies)
{
  int platforms = larger_of(1, (bodies + 6) / 13);
  parts_gravity(p, 0, 0, -G);
  for (int i = 0; i < platforms; i++) {
    const int column = i % 10, row = i / 10;
    const double x = 3.0 * column, y = 3.0 * row, heavy = 1 + 0.1 * (i % 7);
    int plate =
        parts_moving(p, 50 * heavy, (const double[]){3 * heavy, 3 * heavy, 5.5 * heavy},
                     (const double[]){x, y, 1}, (const double[]){0.3, 0, 0}, (const double[]){0, 0.5, 0.4});
    for (int k = 0; k < 6; k++) {
      int pair = k / 2;
      double third = pair * 2 * PI / 3, side = k % 2 ? 1 : -1;
      double at_foot = third + side * 12 * PI / 180, at_top = third + side * 48 * PI / 180;
      add_leg(p, plate, (const double[]){x + 0.8 * cos(at_foot), y + 0.8 * sin(at_foot), 0},
              (const double[]){x + 0.5 * cos(at_top), y + 0.5 * sin(at_top), 1});
    }
  }
}

/* As in config/models/six_axis_arm.yaml, with a drive on each axis and no friction. */
static void build_arm(struct parts *p, int bodies)
{
  static const struct axis {
    double mass, inertia[3], centre[3], at[3];
    const double *axis;
    double amplitude, frequency;
  } six[] = {
      {90, {2.5, 2.5, 2}, {0.05, 0, 0.25}, {0, 0, 0}, Z, 1.2, 0.125},
      {45, {2, 2, 0.4}, {0.15, 0.05, 0.75}, {0.15, 0, 0.45}, Y, 0.35, 0.2},
      {30, {0.4, 0.5, 0.5}, {0.22, 0, 1.15}, {0.15, 0, 1.05}, Y, 0.5, 0.25},
      {14, {0.06, 0.35, 0.35}, {0.62, 0, 1.2}, {0.45, 0, 1.2}, X, 0.8, 0.3},
      {5, {0.01, 0.012, 0.012}, {0.84, 0, 1.2}, {0.8, 0, 1.2}, Y, 0.6, 0.4},
      {6, {0.04, 0.05, 0.03}, {0.98, 0, 1.13}, {0.9, 0, 1.2}, X, 1.5, 0.5},
  };
  (void)bodies;
  parts_gravity(p, 0, 0, -G);
  for (int i = 0; i < 6; i++) {
    const struct axis *s = &six[i];
    int b = parts_body(p, s->mass, s->inertia, s->centre);
    parts_drive(p, parts_joint(p, ALI3_JOINT_REVOLUTE, b - 1, b, s->at, s->axis, s->axis), s->amplitude,
                s->frequency);
  }
  int rotor =
      parts_body(p, 1.2, (const double[]){0.002, 0.002, 0.003}, six[1].at); /* the motor of the elbow */
  parts_gear(p, parts_joint(p, ALI3_JOINT_REVOLUTE, 1, rotor, six[1].at, Y, Y), 2, 80);
}

const struct bench_case bench_case[] = {
    {"chain", "chain of spherical joints", 128, true, build_chain},
    {"chain_revolute", "chain of revolutes with skewed axes", 128, true, build_chain_revolute},
    {"four_bars", "row of planar four-bar windows, redundant loops", 81, true, build_four_bars},
    {"random_tree", "tree of mixed joints, some sprung", 128, true, build_random_tree},
    {"star", "rods on one hub", 1000, true, build_star},
    {"ladder", "two chains with rungs, coupled loops", 129, true, build_ladder},
    {"bricard", "overconstrained spatial loop", 5, false, build_bricard},
    {"stewart_farm", "separate Stewart platforms on sprung legs", 130, true, build_stewart_farm},
    {"arm", "six-axis arm, drives and a gear", 7, false, build_arm},
    {"delta", "Delta robot, forearms of four revolutes, drives", 16, false, build_delta},
    {"scissor_lift", "crossed bars of revolutes, a drive at the foot", 9, true, build_scissor_lift},
    {"chain_drive", "closed chain of revolutes, hung on a bearing", 60, true, build_chain_drive},
    {"truss", "grid of nodes, distance joints, redundant", 72, true, build_truss},
    {"at_rest", "chain that hangs still", 128, true, build_chain_at_rest},
    {"denormal", "chain almost at rest, with denormal numbers", 128, true, build_denormal},
    {"singular", "four-bar windows held in their singular position", 81, true, build_singular},
};
const int bench_cases = sizeof bench_case / sizeof *bench_case;

ali3_model *case_model(const struct bench_case *c, int bodies, const ali3_options *options)
{
  struct parts p;
  if (!parts_begin(&p)) {
    fputs("ali3-bench: out of memory\n", stderr);
    return NULL;
  }
  c->build(&p, bodies > 0 && c->scales ? bodies : c->bodies);
  return parts_end(&p, c->name, options);
}
