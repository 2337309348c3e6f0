/* SPDX-License-Identifier: MIT
 * Set-up: a table of the kernels in limbs_lanes.c and response_lanes.c, one for each instruction set. */
#include "articulated/limbs.h"

#include "base/isa_built.h"

#define DECLARE(isa)                                                                                         \
  extern const struct limb_passes LANE_JOIN2(limb_passes, isa, 1);                                           \
  extern limb_response LANE_JOIN2(limb_response, isa, LANES_##isa);
ISA_BUILT(DECLARE)

#define ENTRY(isa)                                                                                           \
  [ISA_##isa] = {&LANE_JOIN2(limb_passes, isa, 1), LANE_JOIN2(limb_response, isa, LANES_##isa), LANES_##isa},
static const struct limb_kernels limb_kernel_table[ISA_COUNT] = {ISA_BUILT(ENTRY)};

const struct limb_kernels *limb_kernels(enum isa isa)
{
  return &limb_kernel_table[isa];
}
