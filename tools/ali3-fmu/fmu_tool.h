/* SPDX-License-Identifier: MIT
 * ali3-fmu: FMUs of models. Parts: main.c the command line, export.c the files of an FMU, exports.c its variables, units.c their
 * units, description.c modelDescription.xml, page.c its documentation, archive.c zip files; reader.c reads a description,
 * importer.c runs an FMU, check.c judges one, info.c prints one. */
#ifndef FMU_TOOL_H
#define FMU_TOOL_H

#include "config/settings.h"
#include "fmi/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status, a public interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

struct export_options {
  const char *file, *fmu;
  struct settings_overrides over;
  const char **set;                                   /* (over.sets) of --set */
  int version;                                        /* of FMI: 3 or 2 */
  const char *inputs, *outputs, *locals, *parameters; /* patterns; NULL: not given */
  const char **binary;                                /* (binaries) folders of --platform-binary */
  int binaries;
};

/* Prints "ali3-fmu: TEXT" on stderr. Returns false. */
__attribute__((format(printf, 1, 2))) bool fmu_complain(const char *format, ...);

/* Each returns the exit status. */
int export_fmu(const struct export_options *o);
int check_fmu(const char *fmu, bool json);
int info_fmu(const char *fmu, bool json);

/* --- exports.c --- */

enum causality { INDEPENDENT, INPUT, OUTPUT, LOCAL, PARAMETER, CAUSALITIES };
extern const char *const causality_word[CAUSALITIES];

/* A variable of an FMU, beside its line in the table of variables. */
struct exported {
  enum causality causality;
  char *name;       /* in the structured form of the standard */
  const char *unit; /* as in our files; "": none */
  const char *text; /* documentation of a key; NULL: none */
};

struct exports {
  struct fmu_table table;
  struct exported *exported; /* (table.count) */
};

/* Chooses the variables. `d`: the start of the model. False after printing the reason; the caller calls exports_free() in both
 * cases. */
bool exports_choose(struct exports *p, const struct export_options *o, const struct settings *s,
                    const ali3_data *d);
void exports_free(struct exports *p);

/* --- units.c --- */

enum { BASE_UNITS = 4, UNIT_NAME = 32 };
extern const char *const base_unit[BASE_UNITS]; /* kg m s rad */
/* A unit of our files, "N m/rad", in the form of the standard, "N.m/rad", with its exponents. False: it is none of mechanics. */
bool unit_describe(const char *unit, char name[UNIT_NAME], int exponent[BASE_UNITS]);

/* --- description.c and page.c: texts to be freed, NULL when out of memory --- */

struct description_head {
  int version; /* of FMI */
  const char *name, *identifier, *token;
  double period, stop;
};
char *description_write(const struct description_head *h, const struct exports *p, size_t *size);
char *page_write(const struct description_head *h, const struct exports *p, const struct settings *s,
                 size_t *size);
/* The shortest digits that keep all bits of a number. */
const char *number_text(double x, char text[40]);

/* --- reader.c --- */

struct read_variable {
  char *name, *type, *causality; /* type: Float64, Real, .. */
  unsigned reference;
  bool array;
};
/* Contents of modelDescription.xml. */
struct description {
  int version;                            /* 2 or 3 */
  char *name, *token, *identifier, *tool; /* NULL: not there; identifier: of the co-simulation */
  double stop, step;                      /* s, of the default experiment, 0: not there */
  bool keeps_state, serialises;
  int variables;
  struct read_variable *variable; /* (variables) */
};
/* False after printing the reason; the caller calls description_free() in both cases. */
bool description_read(struct description *d, const char *fmu);
void description_free(struct description *d);
int description_count(const struct description *d, const char *causality);
/* The real variables are Float64 in FMI 3 and Real in FMI 2. */
bool variable_is_real(const struct description *d, const struct read_variable *v);

/* --- importer.c: runs an FMU in this process --- */

struct importer;
/* NULL with the reason in `why`. folder: of the unpacked FMU. */
struct importer *importer_open(const struct description *d, const char *folder, char *why, size_t size);
void importer_close(struct importer *i);
/* The folder below binaries/ for this machine. */
const char *importer_platform(int version);
/* The calls of both standards; each returns the status, 0 to 4. */
int importer_start(struct importer *i); /* instantiates and initializes; -1: no instance */
int importer_step(struct importer *i, double at, double size);
int importer_get(struct importer *i, const unsigned *reference, size_t count, double *value);
int importer_get_state(struct importer *i, void **state);
int importer_set_state(struct importer *i, void *state);
int importer_free_state(struct importer *i, void **state);
/* Bytes of a state, to be freed; NULL on an error. */
unsigned char *importer_serialise(struct importer *i, void *state, size_t *size);
int importer_deserialise(struct importer *i, const unsigned char *bytes, size_t size, void **state);
int importer_reset(struct importer *i);
int importer_initialise(struct importer *i); /* after a reset */
int importer_terminate(struct importer *i);

/* --- archive.c --- */

struct archive;
/* False after printing the reason. */
struct archive *archive_create(const char *file);
/* Takes the bytes over, also on failure. */
bool archive_add(struct archive *a, const char *name, char *bytes, size_t size);
/* Writes the file; false after printing the reason. With good false, or on failure, no file appears. */
bool archive_close(struct archive *a, bool good);

/* Reads one entry, to be freed, with a zero after it. NULL: there is none, or it cannot be read. */
char *archive_read(const char *file, const char *name, size_t *size);
/* Unpacks all entries below a new folder, whose name is to be freed; NULL after printing the reason. */
char *archive_unpack(const char *file);
/* Removes a folder that archive_unpack() made, and frees the name. */
void archive_remove(char *folder);
/* A regular file whole, to be freed; NULL after printing the reason. */
char *file_read(const char *path, size_t *size);

#endif
