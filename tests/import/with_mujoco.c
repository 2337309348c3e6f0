/* SPDX-License-Identifier: MIT
 * usage: with_mujoco FILE [free] < POSITIONS
 * What libmujoco makes of a file (URDF or MJCF), as text for mujoco.py. Numbers have 17 digits.
 *
 * First the model: gravity, bodies with mass, centre of mass and inertia in their own axes, joints with their place in a position. Then,
 * for each line of standard input, a position of nq numbers: the place of each body and the accelerations of its centre of mass, from
 * rest, without contacts, limits and dry friction. With the word free, no equality, spring, damping or friction acts either.
 *
 * Exit status: 0, 1 if libmujoco refuses the file, 2 wrong usage. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_numbers(const mjtNum *x, int count)
{
  for (int i = 0; i < count; i++) printf(" %.17g", x[i]);
}

static void print_body(const mjModel *m, int i)
{
  mjtNum turn[9], half[9], inertia[9];
  mju_quat2Mat(turn, m->body_iquat + 4 * i);
  for (int k = 0; k < 9; k++) half[k] = turn[k] * m->body_inertia[3 * i + k % 3];
  mju_mulMatMatT(inertia, half, turn, 3, 3, 3);
  printf("body %d %.17g", m->body_parentid[i], m->body_mass[i]);
  print_numbers(m->body_ipos + 3 * i, 3);
  print_numbers(inertia, 9);
  printf("\t%s\n", mj_id2name(m, mjOBJ_BODY, i) ? mj_id2name(m, mjOBJ_BODY, i) : "");
}

static void print_model(const mjModel *m)
{
  printf("gravity");
  print_numbers(m->opt.gravity, 3);
  printf("\nstart");
  print_numbers(m->qpos0, m->nq);
  printf("\nsizes %d %d %d\n", m->nq, m->nbody, m->njnt);
  for (int i = 0; i < m->nbody; i++) print_body(m, i);
  for (int i = 0; i < m->njnt; i++)
    printf("joint %d %d %d\t%s\n", m->jnt_type[i], m->jnt_qposadr[i], m->jnt_bodyid[i],
           mj_id2name(m, mjOBJ_JOINT, i) ? mj_id2name(m, mjOBJ_JOINT, i) : "");
}

/* Places, then accelerations of centres of mass without the gravity that MuJoCo adds to them. */
static void print_motion(const mjModel *m, mjData *d)
{
  mj_forward(m, d);
  mj_rnePostConstraint(m, d);
  for (int i = 1; i < m->nbody; i++) {
    mjtNum a[6];
    mj_objectAcceleration(m, d, mjOBJ_BODY, i, a, 0);
    mju_addTo3(a + 3, m->opt.gravity);
    printf("motion");
    print_numbers(d->xpos + 3 * i, 3);
    print_numbers(d->xmat + 9 * i, 9);
    print_numbers(a + 3, 3);
    print_numbers(a, 3);
    putchar('\n');
  }
}

int main(int argc, char **argv)
{
  char error[1000] = "";
  if (argc < 2 || argc > 3) return 2;
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  if (argc == 3) m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
  print_model(m);
  mjData *d = mj_makeData(m);
  for (;;) {
    mj_resetData(m, d);
    int count = 0;
    while (count < m->nq && scanf("%lf", d->qpos + count) == 1) count++;
    if (count < m->nq || m->nq == 0) break;
    print_motion(m, d);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
