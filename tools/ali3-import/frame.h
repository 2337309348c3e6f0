/* SPDX-License-Identifier: MIT
 * Frames: a rotation matrix by rows and a shift. */
#ifndef IMPORT_FRAME_H
#define IMPORT_FRAME_H

struct frame {
  double R[9], p[3];
};

extern const struct frame frame_one;

/* out = R v, and R' v. */
void frame_turn(double out[3], const double R[9], const double v[3]);
void frame_turn_back(double out[3], const double R[9], const double v[3]);
/* out = R v + p. */
void frame_place(double out[3], const struct frame *f, const double v[3]);
/* A frame in the frame `outer`, in the axes that `outer` is in. */
struct frame frame_chain(const struct frame *outer, const struct frame *inner);
/* The frame `inner` as the frame `outer` sees it; both are in the same axes. */
struct frame frame_between(const struct frame *outer, const struct frame *inner);
/* R = Rz(yaw) Ry(pitch) Rx(roll): turns about axes that do not turn, first x, then y, then z. */
void frame_from_rpy(double R[9], const double rpy[3]);
/* A turn by an angle about an axis of length 1 (Rodrigues). */
void frame_about(double R[9], const double axis[3], double angle);
/* A turn by the length of a rotation vector about it. */
void frame_about_vector(double R[9], const double v[3]);
/* Euler parameters of R with e0 >= 0. */
void frame_euler(double e[4], const double R[9]);
void frame_product(double out[9], const double A[9], const double B[9]);
/* A B'. */
void frame_product_transposed(double out[9], const double A[9], const double B[9]);
/* R I R'. */
void frame_turn_tensor(double out[9], const double R[9], const double I[9]);

#endif
