/* SPDX-License-Identifier: MIT
 * A model as bytes: a program stores a mechanism, or hands it to another machine, without a model file.
 *
 * The bytes hold every element in the order in which it was added, the gravity, the name, and the options of the freeze.
 * Numbers are little endian; a double keeps all of its bits. Reading uses the calls of model.h, so bytes from a stranger
 * are checked like a file. A model that is read and frozen on the same instruction set steps with the same bits.
 *
 * All calls belong to set-up. They are not real-time safe. Any number of threads may call them on one frozen model, except
 * ali3_model_flat_read(), which needs a model of its own. SI units. */
#ifndef ALI3_FLAT_H
#define ALI3_FLAT_H

#include <ali3/status.h>
#include <ali3/types.h>
#include <stddef.h>

ALI3_BEGIN_DECLARATIONS

enum {
  ALI3_FLAT_VERSION = 11,   /* version of the bytes; a reader refuses every other one */
  ALI3_MODEL_HASH_SIZE = 32 /* bytes of a SHA-256 */
};

/* Number of bytes of a model; 0 where m is NULL. */
size_t ali3_model_flat_size(const ali3_model *m);

/* Writes ali3_model_flat_size() bytes. ALI3_OK; ALI3_E_ARGUMENT where a pointer is NULL; ALI3_E_MEMORY where `size` is
 * too small: nothing is written then. */
ali3_status ali3_model_flat_write(const ali3_model *m, void *to, size_t size);

/* Adds the elements of `size` bytes to an empty model, and sets its name, gravity and options. Freeze it with
 * ali3_model_options(). ALI3_OK, or a negative status with the reason in ali3_model_problem(); the model then holds the
 * elements up to the mistake, and only ali3_model_free() makes sense. ALI3_E_ARGUMENT: a pointer is NULL, or the model is
 * not empty. ALI3_E_MODEL: the bytes are cut short, have another version, or hold an element that is refused. */
ali3_status ali3_model_flat_read(ali3_model *m, const void *from, size_t size);

/* SHA-256 of the bytes of a model: equal for equal models and options. ALI3_OK; ALI3_E_ARGUMENT where a pointer is NULL;
 * ALI3_E_MEMORY. */
ali3_status ali3_model_hash(const ali3_model *m, unsigned char hash[ALI3_MODEL_HASH_SIZE]);

ALI3_END_DECLARATIONS
#endif
