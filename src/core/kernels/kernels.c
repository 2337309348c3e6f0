/* SPDX-License-Identifier: MIT
 * Set-up: tables of the kernels in body_lanes.c, link_lanes.c and norm_lanes.c, one for each build of these sources. */
#include "kernels/kernels.h"

#include "base/isa_built.h"

enum { ONE, ALL, SIZES };

#define DECLARE_LANES(isa, lanes)                                                                            \
  extern step_kernel *const LANE_JOIN2(body_kernels, isa, lanes)[BODY_KERNEL_COUNT];                         \
  extern step_kernel *const LANE_JOIN2(link_kernels, isa, lanes)[LINK_KERNEL_COUNT];                         \
  extern const struct norm_kernels LANE_JOIN2(norm_kernels, isa, lanes);
#define DECLARE(isa) DECLARE_LANES(isa, 1) DECLARE_LANES(isa, LANES_##isa)
ISA_BUILT(DECLARE)

#define TABLE(isa, lanes)                                                                                    \
  {                                                                                                          \
    LANE_JOIN2(body_kernels, isa, lanes), LANE_JOIN2(link_kernels, isa, lanes),                              \
        &LANE_JOIN2(norm_kernels, isa, lanes)                                                                \
  }
#define TABLES(isa) [ISA_##isa] = {[ONE] = TABLE(isa, 1), [ALL] = TABLE(isa, LANES_##isa)},
static const struct step_kernels kernel_table[ISA_COUNT][SIZES] = {ISA_BUILT(TABLES)};

const struct step_kernels *step_kernels(enum isa isa, int lanes)
{
  return &kernel_table[isa][lanes == 1 ? ONE : ALL];
}
