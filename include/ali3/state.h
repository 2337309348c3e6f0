/* SPDX-License-Identifier: MIT
 * The state of a run as bytes: a program stores it, and goes on from it later or in another process.
 *
 * A state holds everything that a step reads and did not make itself: poses, velocities, accelerations, multipliers, full turns,
 * what the laws remember, what was set from outside, the number of steps, and the figures of the last step. Bodies, joints, loads
 * and forces stand in the order of the model. There are no pointers. After a load the next steps have the same bits as without
 * the save and the load, for any number of workers.
 *
 * A state belongs to one model with its options (ali3_model_hash()), one instruction set (ali3_model_isa()) and one version of
 * the library; all others refuse it. A CRC-32 protects it against damage, not against forgery. */
#ifndef ALI3_STATE_H
#define ALI3_STATE_H

#include <ali3/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ALI3_STATE_VERSION = 1 }; /* version of the bytes; a load refuses every other one */

/* Number of bytes of a state: constant for a model; 0 where m is NULL or not frozen. RT. Thread-safe. */
size_t ali3_state_size(const ali3_model *m);

/* Writes ali3_state_size() bytes, in any alignment. `d` does not change. Returns ALI3_OK, or ALI3_E_ARGUMENT: a pointer is
 * NULL, m is not frozen, no reset and no load of `d` has succeeded, or `d` is between prepare and feedback and holds the
 * prediction. Nothing is written then. RT: it copies the state and computes the CRC-32. */
int ali3_state_save(const ali3_model *m, const ali3_data *d, void *to);

/* Puts `d` into a saved state. `d` needs no reset; callbacks of ali3_data_set_exec() and ali3_data_set_probe() stay, and a
 * prepare is dropped. Returns ALI3_OK; ALI3_E_ARGUMENT where a pointer is NULL or m is not frozen; ALI3_E_STATE where the bytes
 * are no state of this model: nothing changes then, and ali3_state_text() has the reason. RT: it clears and fills the block of
 * `d`, and evaluates the rows once. */
int ali3_state_load(const ali3_model *m, ali3_data *d, const void *from, size_t size);

/* One sentence on why a load refuses the bytes; empty where it accepts them. Returns the length as snprintf() does. Not RT.
 * Thread-safe. */
int ali3_state_text(const ali3_model *m, const void *from, size_t size, char *text, size_t text_size);

/* True if ali3_state_carry() can bring a state of `from` into `m`: both are frozen, with equal steps (dt, substeps,
 * interpolate, extrapolate) and with equal numbers and kinds of bodies, joints, loads and forces. Masses, stiffnesses and all
 * other numbers may differ. RT. Thread-safe. */
bool ali3_model_takes_state(const ali3_model *m, const ali3_model *from);

/* Puts `d` into the motion of `source`, which belongs to the model `from`: poses, velocities, accelerations, multipliers, full
 * turns, and values from outside. A load whose vector differs between the models gets the vector of `m`. A reset or a load of
 * `d` must have succeeded before; its penalties, its stiff rows and its callbacks stay. Returns ALI3_OK; ALI3_E_ARGUMENT: a
 * pointer is NULL, one of the data holds no state, or `source` is between prepare and feedback; ALI3_E_STATE: not
 * ali3_model_takes_state(). Nothing changes on an error. RT: a bounded copy, and one evaluation of the rows. */
int ali3_state_carry(const ali3_model *m, ali3_data *d, const ali3_model *from, const ali3_data *source);

#ifdef __cplusplus
}
#endif
#endif
