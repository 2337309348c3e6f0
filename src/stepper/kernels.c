/* SPDX-License-Identifier: MIT
 * Set-up: the tables that body_lanes.c, link_lanes.c and norm_lanes.c leave behind, one for each build of them, and how links
 * are sorted for them. */
#include "stepper/kernels.h"

enum { ONE, ALL, SIZES };

#define DECLARE_LANES(isa, lanes)                                                                            \
  extern step_kernel *const LANE_JOIN2(body_kernels, isa, lanes)[BODY_KERNEL_COUNT];                         \
  extern step_kernel *const LANE_JOIN2(link_kernels, isa, lanes)[LINK_KERNEL_COUNT];                         \
  extern const struct norm_kernels LANE_JOIN2(norm_kernels, isa, lanes);
#define DECLARE(isa) DECLARE_LANES(isa, 1) DECLARE_LANES(isa, LANES_##isa)
ISA_LIST(DECLARE)

#define TABLE(isa, lanes)                                                                                    \
  {                                                                                                          \
    LANE_JOIN2(body_kernels, isa, lanes), LANE_JOIN2(link_kernels, isa, lanes),                              \
        &LANE_JOIN2(norm_kernels, isa, lanes)                                                                \
  }
#define TABLES(isa) [ISA_##isa] = {[ONE] = TABLE(isa, 1), [ALL] = TABLE(isa, LANES_##isa)},
static const struct step_kernels list[ISA_COUNT][SIZES] = {ISA_LIST(TABLES)};

const struct step_kernels *step_kernels(enum isa isa, int lanes)
{
  return &list[isa][lanes == 1 ? ONE : ALL];
}

struct link_side link_side(const struct tree_body *body, int width)
{
  bool beside = true, same = true, wide = true;
  for (int lane = 0; lane < width; lane++) {
    beside &= body[lane].first == body->first && body[lane].width == width && body[lane].lane == lane;
    same &= body[lane].first == body->first && body[lane].lane == body->lane;
    wide &= body[lane].width == width;
  }
  struct link_side o = {.how = beside ? SIDE_BESIDE : same ? SIDE_SAME : wide ? SIDE_WIDE : SIDE_APART};
  o.at[LINK_Y] = body->first * BODY_Y + body->lane;
  o.at[LINK_X] = body->first * X_NUMBERS + body->lane;
  o.at[LINK_FRAME] = body->first * FRAME_NUMBERS + body->lane;
  return o;
}
