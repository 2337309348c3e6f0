/* SPDX-License-Identifier: MIT
 * What modelDescription.xml of an FMU says. */
#ifndef FMU_READER_H
#define FMU_READER_H

#include "fmu/units.h"
#include "fmu/why.h"

#include <stddef.h>

/* Types by the functions that read and set them: an enumeration is Int64 in FMI 3.0, and Integer in FMI 2.0. */
/* clang-format off */
#define FMU_NUMBER_LIST(X) \
  X(Float64) X(Float32) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean)
/* clang-format on */
enum fmu_type {
#define FMU_TYPE_ID(type) FMU_##type,
  FMU_NUMBER_LIST(FMU_TYPE_ID)
#undef FMU_TYPE_ID
      FMU_String,
  FMU_OTHER /* Binary, Clock */
};

struct read_unit {
  char *name;
  struct measure measure;
};
/* A type with a name, whose unit its variables have. */
struct read_type {
  char *name, *unit;
};
struct read_variable {
  char *name, *type, *causality, *variability,
      *initial; /* type: Float64, Real, ..; initial: NULL: not there */
  enum fmu_type kind;
  char *unit, *declared; /* NULL: not there; declared: name of its type */
  unsigned reference;
  bool array;
};
/* Contents of modelDescription.xml. */
struct description {
  int version;                            /* 2 or 3 */
  char *name, *token, *identifier, *tool; /* NULL: not there; identifier: of the co-simulation */
  double stop, step;                      /* s, of the default experiment, 0: not there */
  double fixed_step;                      /* s, fixedInternalStepSize; 0: not there */
  bool steps_vary;                        /* canHandleVariableCommunicationStepSize */
  bool keeps_state, serialises;
  int variables, units, types;
  struct read_variable *variable; /* (variables) */
  struct read_unit *unit;         /* (units) */
  struct read_type *named;        /* (types) */
};

/* Reads it from the archive. False with the reason in `why`; the caller calls description_free() in both cases. */
bool description_read(struct description *d, const char *fmu, char why[FMU_WHY]);
/* description_read() of the text of modelDescription.xml in the archive `fmu`. */
bool description_parse(struct description *d, const char *text, size_t size, const char *fmu,
                       char why[FMU_WHY]);
void description_free(struct description *d);
int description_count(const struct description *d, const char *causality);
/* The real variables are Float64 in FMI 3 and Real in FMI 2. */
bool variable_is_real(const struct read_variable *v);
/* Unit of a variable, and its measure; NULL: the description does not give it one. */
const char *variable_unit(const struct description *d, const struct read_variable *v, struct measure *m);

#endif
