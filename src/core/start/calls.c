/* SPDX-License-Identifier: MIT
 * The public calls that put data into a state, each in the floating-point mode of the library. Loads of states are loop
 * code. */
#include "base/float_mode.h"
#include "start/start.h"
#include "start/state.h"

#include <ali3/ali3.h>

ali3_status ali3_reset(const ali3_model *m, ali3_data *d)
{
  if (!m || !m->frozen || !d) return ALI3_E_ARGUMENT;
  const uint64_t mode = float_mode_enter();
  const int status = start_find(m, d, NULL);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_place(const ali3_model *m, ali3_data *d, const ali3_body_state *body, double time)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = place_bodies(m, d, body, time);
  float_mode_leave(mode);
  return status;
}

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
