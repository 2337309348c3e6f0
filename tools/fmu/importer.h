/* SPDX-License-Identifier: MIT
 * Runs an FMU for co-simulation in this process, with one instance. The FMU is a program of a stranger: call this from a child
 * process, which a fault in the FMU may end. */
#ifndef FMU_IMPORTER_H
#define FMU_IMPORTER_H

#include "fmu/reader.h"

#include <stdint.h>

/* Status of a call, as both standards number them; IMPORTER_ABSENT: the object does not have the function, IMPORTER_UNFIT: the
 * type of the variable cannot hold the value. */
enum {
  IMPORTER_OK,
  IMPORTER_WARNING,
  IMPORTER_DISCARD,
  IMPORTER_ERROR,
  IMPORTER_FATAL,
  IMPORTER_PENDING,
  IMPORTER_ABSENT,
  IMPORTER_UNFIT
};
const char *importer_status_text(int status);

struct importer;
/* Takes a message of the FMU. status: as above. */
typedef void importer_log(void *context, int status, const char *category, const char *message);

/* The folder below binaries/ for this machine. */
const char *importer_platform(int version);
/* Loads the object of an unpacked FMU. NULL with the reason in `why`. log NULL: messages go to stderr. The objects must outlive
 * the importer. */
struct importer *importer_open(const struct description *d, const char *folder, importer_log *log,
                               void *context, char why[FMU_WHY]);
void importer_close(struct importer *i);
/* The first function of the standard that the object does not have; NULL: it has all that importers call. */
const char *importer_missing(const struct importer *i);

bool importer_instantiate(struct importer *i, const char *name);
int importer_initialise(struct importer *i); /* also after a reset */
/* A communication step. *next: where the FMU says that it ended, for the next call. *ends: the FMU asks to end the simulation. */
int importer_step(struct importer *i, double at, double size, double *next, bool *ends);
int importer_terminate(struct importer *i);
int importer_reset(struct importer *i);

/* A number of any type. Integers are rounded to the nearest one; a boolean is true unless the value is 0, and reads as 1. */
int importer_get_one(struct importer *i, const struct read_variable *v, double *value);
int importer_set_one(struct importer *i, const struct read_variable *v, double value);
int importer_set_text(struct importer *i, const struct read_variable *v, const char *text);
/* Many Float64 of FMI 3.0, or Real of FMI 2.0. */
int importer_get(struct importer *i, const unsigned *reference, size_t count, double *value);

int importer_get_state(struct importer *i, void **state);
int importer_set_state(struct importer *i, void *state);
int importer_free_state(struct importer *i, void **state);
/* Bytes of a state, to be freed; NULL on an error. */
unsigned char *importer_serialise(struct importer *i, void *state, size_t *size);
int importer_deserialise(struct importer *i, const unsigned char *bytes, size_t size, void **state);

#endif
