/* SPDX-License-Identifier: MIT
 * libali3: multibody dynamics with a fixed number of ALi3-DCA iterations per step. The library reads no clock, does no I/O
 * and starts no thread. The man page libali3(3) has an example that compiles.
 *
 * Life of a mechanism:
 *
 *   make      ali3_model_new()                           an empty model
 *   add       ali3_model_add_body(), _joint(), ..        each element is checked; its index is returned
 *   freeze    ali3_model_freeze()                        the model is compiled and constant from now on
 *   data      ali3_data_new() or ali3_data_place()       the memory of one run; nothing is allocated later
 *   reset     ali3_reset()                               the initial state: joints closed, accelerations solved
 *   repeat    set: ali3_set_load(), ali3_set_value()     loads, motors and drives from outside
 *             step: ali3_step()                          one time step, real-time safe
 *             get: ali3_body_get(), ali3_joint_get(), .. the state after the step
 *   free      ali3_data_free(), then ali3_model_free()
 *
 * Units are SI. Vectors are in world axes unless a comment names another frame. Euler parameters e0 e1 e2 e3 turn body axes
 * into world axes.
 *
 * Indices: bodies, joints, loads, forces and sensors each count from 0 in the order in which they were added. ALI3_GROUND is
 * the body index of the world. A call that does not find a name returns -2.
 *
 * NaN: a model refuses NaN and infinity, except in the fields whose comments give them a meaning. ali3_set_load(),
 * ali3_set_load_vector() and ali3_set_value() take every number. A step with NaN or an infinite load returns ALI3_E_DIVERGED and
 * keeps the last good state.
 *
 * Threads: any number of threads may read a frozen model. One ali3_data belongs to one thread at a time; several ali3_data may
 * run on one model in several threads. The library has no global state. */
#ifndef ALI3_ALI3_H
#define ALI3_ALI3_H

#include <ali3/flat.h>
#include <ali3/mechanics.h>
#include <ali3/model.h>
#include <ali3/options.h>
#include <ali3/stages.h>
#include <ali3/state.h>
#include <ali3/status.h>
#include <ali3/stepper.h>
#include <ali3/types.h>

#define ALI3_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
/* Version of the linked library. ALI3_VERSION is the version of the header. Thread-safe, real-time safe. */
const char *ali3_version(void);
#ifdef __cplusplus
}
#endif

#endif
