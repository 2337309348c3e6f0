/* SPDX-License-Identifier: MIT
 * The public calls that start a run, each in the floating-point mode of the library. */
#include "assembly/assembly.h"
#include "base/float_mode.h"

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
