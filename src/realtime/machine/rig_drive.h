/* SPDX-License-Identifier: MIT
 * The signs of the rig in the loop: their numbers from the inputs of a cycle, their signals into its values. The rules are
 * in the layer `rig`. RT except rig_drive_init(). One owner: the loop. */
#ifndef MOTION_RIG_DRIVE_H
#define MOTION_RIG_DRIVE_H

#include "inputs/inputs.h"
#include "machine/machine.h"
#include "machine/platform_drive.h"
#include "rig/rig.h"

struct rig_setup {
  bool enabled;
  struct rig_spec spec;
  char *ride_log; /* path; NULL: none */
};

struct rig_drive {
  bool there; /* there is a section rig; without one all functions do nothing */
  struct rig rig;
  struct rig_verdict last_trip; /* the last trip, for the log */
  bool rides;                   /* the platform has left its park pose */
  uint64_t since;               /* cycle at which the ride began */
  uint64_t reported_ns;         /* time of the last report */

  /* private */
  const struct signals *signals;
};

/* Set-up, after platform_drive_init(). setup NULL: no rig. */
void rig_drive_init(struct rig_drive *d, const struct rig_setup *setup, const struct platform_drive *platform,
                    const struct signals *signals);
/* Puts the signals into the values. */
void rig_drive_show(const struct rig_drive *d, double *values);
/* One cycle, after platform_drive_step(). */
void rig_drive_step(struct rig_drive *d, const struct platform_drive *platform, const struct inputs *in,
                    double *values);

/* The sign that stops the rig in this state of the daemon; RIG_FINE: none. While the daemon parks it, only a sign with the
 * reaction hold stops it. */
struct rig_verdict rig_drive_verdict(const struct rig_drive *d, enum run_state state);

/* The sign that a command lacks in this state: `run`, `arm` and `park` move a rig, and a reset needs it at rest. */
struct rig_verdict rig_drive_lacks(const struct rig_drive *d, const struct platform_drive *platform,
                                   enum run_state state, uint32_t command);

/* A command was accepted, which may release a rig that is held. */
void rig_drive_command(struct rig_drive *d, uint32_t command);
/* A fault has stopped the daemon. */
void rig_drive_trip(struct rig_drive *d, const struct platform_drive *platform, enum fault_code fault);

/* True if the rig must stay where it is. */
static inline bool rig_drive_holds(const struct rig_drive *d)
{
  return d->there && d->rig.held;
}

#endif
