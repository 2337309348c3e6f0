/* SPDX-License-Identifier: MIT
 * The tables that body_lanes.c and link_lanes.c leave behind, one for each build of them. */
#include "stepper/kernels.h"

enum { ONE, ALL, SIZES };

#define DECLARE(isa)                                                                                         \
  extern const struct step_body_kernels LANE_JOIN2(step_body_kernels, isa, 1),                               \
      LANE_JOIN2(step_body_kernels, isa, LANES_##isa);                                                       \
  extern const struct step_link_kernels LANE_JOIN2(step_link_kernels, isa, 1),                               \
      LANE_JOIN2(step_link_kernels, isa, LANES_##isa);
ISA_LIST(DECLARE)

#define TABLE(isa, lanes)                                                                                    \
  {                                                                                                          \
    &LANE_JOIN2(step_body_kernels, isa, lanes), &LANE_JOIN2(step_link_kernels, isa, lanes)                   \
  }
#define TABLES(isa) [ISA_##isa] = {[ONE] = TABLE(isa, 1), [ALL] = TABLE(isa, LANES_##isa)},
static const struct step_kernels list[ISA_COUNT][SIZES] = {ISA_LIST(TABLES)};

const struct step_kernels *step_kernels(enum isa isa, int lanes)
{
  return &list[isa][lanes == 1 ? ONE : ALL];
}
