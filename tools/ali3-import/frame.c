/* SPDX-License-Identifier: MIT
 * Frames: chains, turns and Euler parameters. */
#include "frame.h"

#include <math.h>

const struct frame frame_one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

void frame_turn(double out[3], const double R[9], const double v[3])
{
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
}

void frame_turn_back(double out[3], const double R[9], const double v[3])
{
  for (int i = 0; i < 3; i++) out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}

void frame_place(double out[3], const struct frame *f, const double v[3])
{
  frame_turn(out, f->R, v);
  for (int i = 0; i < 3; i++) out[i] += f->p[i];
}

void frame_product(double out[9], const double A[9], const double B[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

struct frame frame_chain(const struct frame *outer, const struct frame *inner)
{
  struct frame f;
  frame_product(f.R, outer->R, inner->R);
  frame_place(f.p, outer, inner->p);
  return f;
}

struct frame frame_between(const struct frame *outer, const struct frame *inner)
{
  struct frame f;
  double between[3];
  for (int i = 0; i < 3; i++) between[i] = inner->p[i] - outer->p[i];
  frame_turn_back(f.p, outer->R, between);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      f.R[3 * i + j] =
          outer->R[i] * inner->R[j] + outer->R[3 + i] * inner->R[3 + j] + outer->R[6 + i] * inner->R[6 + j];
  return f;
}

void frame_from_rpy(double R[9], const double rpy[3])
{
  const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
               sy = sin(rpy[2]);
  const double turn[9] = {cy * cp,
                          cy * sp * sr - sy * cr,
                          cy * sp * cr + sy * sr,
                          sy * cp,
                          sy * sp * sr + cy * cr,
                          sy * sp * cr - cy * sr,
                          -sp,
                          cp * sr,
                          cp * cr};
  for (int i = 0; i < 9; i++) R[i] = turn[i];
}

void frame_about(double R[9], const double a[3], double angle)
{
  const double c = cos(angle), s = sin(angle), d = 1.0 - c;
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = (i == j ? c : 0.0) + d * a[i] * a[j] + s * cross[3 * i + j];
}

void frame_about_vector(double R[9], const double v[3])
{
  const double length = hypot(hypot(v[0], v[1]), v[2]);
  const double axis[3] = {length > 0.0 ? v[0] / length : 1.0, length > 0.0 ? v[1] / length : 0.0,
                          length > 0.0 ? v[2] / length : 0.0};
  frame_about(R, axis, length);
}

void frame_euler(double e[4], const double R[9])
{
  /* Four times the squares; the largest one is the safe divisor (Shepperd). */
  const double square[4] = {1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8],
                            1.0 - R[0] - R[4] + R[8]};
  int most = 0;
  for (int i = 1; i < 4; i++)
    if (square[i] > square[most]) most = i;
  const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
  const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const double by[4][4] = {
      {square[0], x, y, z}, {x, square[1], xy, xz}, {y, xy, square[2], yz}, {z, xz, yz, square[3]}};
  double length = 0.0;
  for (int i = 0; i < 4; i++) length += by[most][i] * by[most][i];
  length = by[most][0] < 0.0 ? -sqrt(length) : sqrt(length);
  for (int i = 0; i < 4; i++) e[i] = by[most][i] / length + 0.0;
}

void frame_product_transposed(double out[9], const double A[9], const double B[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

void frame_turn_tensor(double out[9], const double R[9], const double I[9])
{
  double half[9];
  frame_product(half, R, I);
  frame_product_transposed(out, half, R);
}
