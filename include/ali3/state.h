/* SPDX-License-Identifier: MIT
 * The state of a run as bytes: a program stores it, and goes on from it later or in another process.
 *
 * A state holds everything that a step reads and did not make itself: poses, velocities, accelerations, multipliers, full turns,
 * what the laws remember, what was set from outside, the number of steps, and the figures of the last step. Bodies, joints, loads
 * and forces stand in the order of the model. There are no pointers. After a load the next steps have the same bits as without
 * the save and the load, for any number of workers.
 *
 * A state belongs to one model with its options (ali3_model_hash()), one instruction set (ali3_model_isa()) and one version of
 * the library; all others refuse it, but may convert it. A CRC-32 protects it against damage, not against forgery. */
#ifndef ALI3_STATE_H
#define ALI3_STATE_H

#include <ali3/stepper.h>

ALI3_BEGIN_DECLARATIONS

enum { ALI3_STATE_VERSION = 5 }; /* version of the bytes; a load refuses every other one */

/* Number of bytes of a state: constant for a model; 0 where m is NULL or not frozen. RT. Thread-safe. */
size_t ali3_state_size(const ali3_model *m);

/* Writes ali3_state_size() bytes, in any alignment. `d` does not change. Returns ALI3_OK, or ALI3_E_ARGUMENT: a pointer is
 * NULL, m is not frozen, no reset and no load of `d` has succeeded, or `d` is between prepare and feedback and holds the
 * prediction. Nothing is written then. RT: it copies the state and computes the CRC-32. */
ali3_status ali3_state_save(const ali3_model *m, const ali3_data *d, void *to);

/* Puts `d` into a saved state. `d` needs no reset; callbacks of ali3_data_set_exec() and ali3_data_set_probe() stay, and a prepare
 * is dropped. Returns ALI3_OK; ALI3_E_ARGUMENT where a pointer is NULL or m is not frozen; ALI3_E_STATE where the bytes are no
 * state of this model: nothing changes then, and ali3_state_text() has the reason. RT: it clears and fills the block of `d`,
 * evaluates the rows once, and with an explicit method factorises once. */
ali3_status ali3_state_load(const ali3_model *m, ali3_data *d, const void *from, size_t size);

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
ali3_status ali3_state_carry(const ali3_model *m, ali3_data *d, const ali3_model *from,
                             const ali3_data *source);

/* Puts `d` into the poses and velocities of a state that the model `from` saved, at its time: for another model, other options,
 * another instruction set or another version of the library. Both models need bodies and joints of the same names, in any
 * order; everything else may differ. Joints move the bodies as in ali3_reset(), within 1e-6 m and rad or the limits of the
 * options, and accelerations and multipliers are new. Drives go on at this time; external ones, with the reference of the drive
 * of the same name, or at the coordinate of their joint. Loads and commands from outside are those of a reset. The steps that
 * follow do not have the bits of the run that saved the state; where ali3_state_load() accepts it, they would.
 *
 * Returns the status of ali3_reset(), in most cases ALI3_MOVED or ALI3_OK, and ali3_data_initial() tells how far bodies moved. Nothing
 * changes with ALI3_E_ARGUMENT: a pointer is NULL or a model is not frozen; ALI3_E_STATE: ali3_state_convert_text() has the reason;
 * ALI3_E_MEMORY. With another negative status `d` needs a reset. It allocates; not RT. */
ali3_status ali3_state_convert(const ali3_model *m, ali3_data *d, const ali3_model *from, const void *state,
                               size_t size);

/* One sentence on why ali3_state_convert() returns ALI3_E_STATE; empty where it does not. Returns the length as snprintf() does.
 * Not RT. Thread-safe. */
int ali3_state_convert_text(const ali3_model *m, const ali3_model *from, const void *state, size_t size,
                            char *text, size_t text_size);

ALI3_END_DECLARATIONS
#endif
