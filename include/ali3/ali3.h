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
 *   repeat    set: ali3_set_wrench(), ali3_set_command() loads, motors and drives from outside
 *             step: ali3_step()                          one time step, real-time safe
 *             get: ali3_body_get(), ali3_joint_get(), .. the state after the step
 *   free      ali3_data_free(), then ali3_model_free()
 *
 * Units are SI. Vectors are in world axes unless a comment names another frame. Euler parameters e0 e1 e2 e3 turn body axes
 * into world axes.
 *
 * Indices: bodies, joints, loads, forces and sensors each count from 0 in the order in which they were added. ALI3_GROUND is
 * the body index of the world. A call that does not find a name returns ALI3_NONE. A status is never an index: errors count from -100
 * down.
 *
 * NaN: a model refuses NaN and infinity, except in the fields whose comments give them a meaning. ali3_set_wrench(),
 * ali3_set_load() and ali3_set_command() take every number. A step with NaN or an infinite load returns ALI3_E_DIVERGED and
 * keeps the last good state.
 *
 * Names: a function that ends in _get copies into a struct of the caller. Every other function returns its value, or a pointer into the
 * model or the data, which stays valid until the next call that changes it.
 *
 * Structs: initialise a spec or options with its default function or with {0}, so that a field of a later version has a value. Until
 * version 1.0 a minor version may change a struct; ALI3_ABI (version.h) counts these changes.
 *
 * Floating-point mode: freezing, resets, loads of states and steps round to nearest and flush denormals in every thread, whatever the mode
 * of the program, and restore that mode. A step therefore has the same bits in every program.
 *
 * Threads: any number of threads may read a frozen model. One ali3_data belongs to one thread at a time; several ali3_data may
 * run on one model in several threads. The library has no global state. */
#ifndef ALI3_ALI3_H
#define ALI3_ALI3_H

#include <ali3/flat.h>
#include <ali3/linear.h>
#include <ali3/mechanics.h>
#include <ali3/model.h>
#include <ali3/options.h>
#include <ali3/profile.h>
#include <ali3/state.h>
#include <ali3/status.h>
#include <ali3/stepper.h>
#include <ali3/types.h>
#include <ali3/version.h>

#endif
