/* SPDX-License-Identifier: MIT
 * An instance of an FMU: the core below the functions of FMI 2 and FMI 3. One instance belongs to one thread at a time; instances
 * share nothing. Every call that is refused writes a message to the log of the importer.
 *
 * The time of an instance is the start time of the importer plus its number of steps times the period. The model counts its own
 * time from 0.
 *
 *   messages.c    the log of the importer
 *   instance.c    open, close, and the phases
 *   values.c      variables
 *   tuning.c      the model with other parameters
 *   stepping.c    steps
 *   memory.c      the state as bytes */
#ifndef FMI_INSTANCE_H
#define FMI_INSTANCE_H

#include "fmi/table.h"
#include "signals/signals.h"

#include <ali3/types.h>
#include <stdint.h>

/* The numbers of both standards. */
enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL };

enum fmu_phase {
  FMU_INSTANTIATED,
  FMU_INITIALIZATION, /* between EnterInitializationMode and ExitInitializationMode */
  FMU_STEPPING,
  FMU_TERMINATED,
  FMU_FAILED, /* a step failed; a reset or a state that was saved leads out of it */
  FMU_PHASES
};

/* Categories of messages; the standards recommend these names. */
#define FMU_CATEGORY_LIST(X)                                                                                 \
  X(FMU_LOG_EVENTS, "logEvents", "The assembly of the mechanism, and new parameters")                        \
  X(FMU_LOG_WARNING, "logStatusWarning", "Degraded steps and states of other builds")                        \
  X(FMU_LOG_ERROR, "logStatusError", "Refused calls and failed steps")
enum fmu_category {
#define FMU_CATEGORY_ENUM(id, name, text) id,
  FMU_CATEGORY_LIST(FMU_CATEGORY_ENUM)
#undef FMU_CATEGORY_ENUM
      FMU_CATEGORIES
};
extern const char *const fmu_category_name[FMU_CATEGORIES];

/* The log of the importer; put NULL: none. The standards have two forms of the call. */
struct fmu_log {
  void (*put)(const struct fmu_log *log, enum fmu_status status, const char *category, const char *text);
  void *environment, *call; /* of the importer */
  const char *name;         /* of the instance */
};

/* A parameter of the table in the spec of its element. */
struct fmu_target {
  size_t at, mirror; /* bytes from the start of the spec; mirror SIZE_MAX: none */
};

struct fmu {
  struct fmu_log log;
  char *name;
  bool silent[FMU_CATEGORIES];
  enum fmu_phase phase;
  struct fmu_table table;
  uint64_t table_hash;       /* a state belongs to one table */
  struct fmu_target *target; /* (table.count) */
  int *signal;               /* (table.count) index among the signals of the model; -1: no signal */

  ali3_model *base;  /* with the parameters of the file */
  ali3_model *model; /* with the parameters in use; base if they are equal */
  ali3_data *data;   /* of model */
  bool ready;        /* data has a state */
  struct signals *signals;
  double *observed; /* (signals->count) */
  bool fresh;       /* observed belongs to the state of data */

  double *wanted; /* (table.count) inputs and parameters as the importer set them */
  double *acting; /* (table.count) inputs and parameters in use */
  bool *given;    /* (table.count) the importer has set the input */
  double start;   /* s, time of the importer at the start */
  int64_t steps;  /* periods since then */
  int64_t warned; /* steps at the last warning about a step; -1: none */
};

/* --- life --- */

/* NULL after a message to the log. token NULL, resources NULL: refused with the reason. The log is copied, without its name. */
struct fmu *fmu_open(const char *name, const char *token, const char *resources, const struct fmu_log *log);
void fmu_close(struct fmu *f);
/* Writes a message, and returns `status`. */
__attribute__((format(printf, 4, 5))) enum fmu_status
fmu_say(struct fmu *f, enum fmu_status status, enum fmu_category category, const char *format, ...);
/* False after a message if `call` is not allowed in this phase. phases: bits 1 << phase. */
bool fmu_allows(struct fmu *f, const char *call, unsigned phases);
enum fmu_status fmu_enter_initialization(struct fmu *f, double start);
enum fmu_status fmu_exit_initialization(struct fmu *f);
/* Makes the initial state, unless it is there with the wanted parameters. */
enum fmu_status fmu_make_ready(struct fmu *f);
/* Back to the phase INSTANTIATED, with the start values of the table. */
enum fmu_status fmu_reset(struct fmu *f);
/* tuning.c. s, a step of the model in use. */
double fmu_period(const struct fmu *f);
static inline double fmu_now(const struct fmu *f)
{
  return f->start + (double)f->steps * fmu_period(f);
}

/* --- variables --- */

/* whole: variables with FMU_WHOLE, else all others. */
enum fmu_status fmu_get(struct fmu *f, const uint32_t *reference, size_t count, bool whole, double *value);
enum fmu_status fmu_set(struct fmu *f, const uint32_t *reference, size_t count, bool whole,
                        const double *value);

/* --- steps and parameters --- */

/* Steps from `point` over `size`, a whole number of periods. */
enum fmu_status fmu_step(struct fmu *f, double point, double size);
/* Values of the inputs on the state of `data`, without a step. */
void fmu_apply_inputs(struct fmu *f);

/* Finds the places of all parameters. False with the reason. */
bool fmu_find_targets(struct fmu *f, char *why, size_t size);
/* True if the importer has set a parameter since the model was made. */
bool fmu_is_retuned(const struct fmu *f);
/* A frozen copy of the base with these parameters; isa NULL: as the base. NULL with the reason. */
ali3_model *fmu_tuned_model(const struct fmu *f, const double *parameter, const char *isa, char *why,
                            size_t size);
/* Makes the model of the wanted parameters the one in use. carry: the motion goes on; else the data needs a reset. */
enum fmu_status fmu_retune(struct fmu *f, bool carry);

/* --- the state as bytes --- */

/* Number of bytes: constant for an instance, and equal for all instances of an FMU. */
size_t fmu_state_size(const struct fmu *f);
enum fmu_status fmu_state_save(struct fmu *f, unsigned char *to);
enum fmu_status fmu_state_load(struct fmu *f, const unsigned char *from, size_t size);

#endif
