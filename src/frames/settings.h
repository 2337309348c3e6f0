/* SPDX-License-Identifier: MIT
 * Settings of the frame ring, from the section telemetry of a configuration. */
#ifndef FRAMES_SETTINGS_H
#define FRAMES_SETTINGS_H

struct frames_settings {
  double seconds;  /* length of the ring; 0: no ring */
  double limit_mb; /* largest size of its slots; a ring always has room for 1 s */
};

#endif
