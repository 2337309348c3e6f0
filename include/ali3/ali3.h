/* SPDX-License-Identifier: MIT
 * libali3: multibody dynamics by a fixed number of ALi3-DCA iterations per step. No clock, no I/O, no
 * threads. */
#ifndef ALI3_ALI3_H
#define ALI3_ALI3_H

#include <ali3/flat.h>
#include <ali3/mechanics.h>
#include <ali3/model.h>
#include <ali3/stages.h>
#include <ali3/status.h>
#include <ali3/stepper.h>

#define ALI3_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
/* The version of the library that is linked, as ALI3_VERSION is that of the header. Thread-safe, real-time safe. */
const char *ali3_version(void);
#ifdef __cplusplus
}
#endif

#endif
