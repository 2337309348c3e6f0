/* SPDX-License-Identifier: MIT
 * The table of variables of an FMU, resources/variables: what each value reference means. ali3-fmu writes it, and the object of
 * the FMU reads it beside the bytes of the model, resources/model.ali3.
 *
 * A text: a head, then one line for each value reference, from 0 on. Columns stand between single blanks, "-" is an empty one:
 *   KIND ELEMENT PLACE MIRROR OWNER FIELD FLAGS LOWER UPPER RATE START NAME
 * The numbers from LOWER to START are the 16 hexadecimal digits of a double, so that each keeps its bits. NAME is the rest of
 * the line. Elements, fields and signals have numbers and names of the model, so a table does not depend on the build that wrote
 * it. */
#ifndef FMI_TABLE_H
#define FMI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FMU_TABLE_VERSION = 1 };

#define FMU_KIND_LIST(X)                                                                                     \
  X(FMU_TIME, "time")           /* the independent variable; value reference 0 */                            \
  X(FMU_SIGNAL, "signal")       /* NAME is a signal of the model */                                          \
  X(FMU_LOAD, "load")           /* input: component PLACE of the vector of load ELEMENT */                   \
  X(FMU_WRENCH, "wrench")       /* input: force (0 1 2) or torque (3 4 5) on body ELEMENT, world axes */     \
  X(FMU_COMMAND, "command")     /* input: value of the motor or external drive ELEMENT */                    \
  X(FMU_PARAMETER, "parameter") /* number PLACE of FIELD of the OWNER, and number MIRROR if that is not -1 */
enum fmu_kind {
#define FMU_KIND_ENUM(id, text) id,
  FMU_KIND_LIST(FMU_KIND_ENUM)
#undef FMU_KIND_ENUM
      FMU_KINDS
};

#define FMU_OWNER_LIST(X)                                                                                    \
  X(FMU_OF_NONE, "-")                                                                                        \
  X(FMU_OF_MODEL, "model")   /* FIELD gravity */                                                             \
  X(FMU_OF_SOLVER, "solver") /* FIELD iterations or gamma of ali3_options */                                 \
  X(FMU_OF_BODY, "body")     /* FIELD: a member of the spec of the element */                                \
  X(FMU_OF_LOAD, "load")                                                                                     \
  X(FMU_OF_FORCE, "force")                                                                                   \
  X(FMU_OF_SENSOR, "sensor")
enum fmu_owner {
#define FMU_OWNER_ENUM(id, text) id,
  FMU_OWNER_LIST(FMU_OWNER_ENUM)
#undef FMU_OWNER_ENUM
      FMU_OWNERS
};

enum fmu_flag {
  FMU_OPEN_LOWER = 1,
  FMU_OPEN_UPPER = 2,
  FMU_WHOLE = 4
}; /* ends that do not belong to the range; integers */
enum { FMU_FIELD = 32 };

struct fmu_variable {
  enum fmu_kind kind;
  int element, number, mirror;
  enum fmu_owner owner;
  char field[FMU_FIELD];
  unsigned flags;      /* enum fmu_flag */
  double lower, upper; /* inputs are clamped to these; a parameter outside is refused */
  double rate;         /* inputs: largest change per second; 0: no limit */
  double start;
  char *name;
};

struct fmu_table {
  bool rest; /* the simulation begins in the static equilibrium */
  int count;
  struct fmu_variable *variable; /* (count) */
};

static inline bool fmu_is_input(enum fmu_kind kind)
{
  return kind == FMU_LOAD || kind == FMU_WRENCH || kind == FMU_COMMAND;
}

/* Adds a copy of a variable; false when out of memory. */
bool fmu_table_add(struct fmu_table *t, const struct fmu_variable *v);
/* The text of a table, to be freed; NULL when out of memory. */
char *fmu_table_write(const struct fmu_table *t, size_t *size);
/* Reads a text of `size` bytes from a stranger. False with the reason in `why`. The caller calls fmu_table_free() in both
 * cases. */
bool fmu_table_read(struct fmu_table *t, const char *text, size_t size, char *why, size_t why_size);
void fmu_table_free(struct fmu_table *t);

/* The token of an FMU: it stands in modelDescription.xml, and the object computes it from both resources, so that an FMU whose
 * parts come from two exports is refused. */
enum { FMU_TOKEN = 40 };
bool fmu_token(const void *model, size_t model_size, const void *table, size_t table_size,
               char token[FMU_TOKEN]);

#endif
