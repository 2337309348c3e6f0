/* SPDX-License-Identifier: MIT
 * The public calls that load a state, each in the floating-point mode of the library. Loop code. */
#include "base/float_mode.h"
#include "state/state.h"

#include <ali3/ali3.h>

ali3_status ali3_state_load(const ali3_model *m, ali3_data *d, const void *from, size_t size)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = state_load(m, d, from, size);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_state_carry(const ali3_model *m, ali3_data *d, const ali3_model *from,
                             const ali3_data *source)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = state_carry(m, d, from, source);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_state_convert(const ali3_model *m, ali3_data *d, const ali3_model *from, const void *state,
                               size_t size)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = state_convert(m, d, from, state, size);
  float_mode_leave(mode);
  return status;
}
