/* SPDX-License-Identifier: MIT
 * ali3-fmu: FMUs of models. Parts: main.c the command line, export.c the files of an FMU, exports.c its variables, description.c
 * modelDescription.xml, page.c its documentation, archive.c the zip file; check.c judges an FMU, info.c prints one. */
#ifndef FMU_TOOL_H
#define FMU_TOOL_H

#include "command/command_line.h"
#include "fmi/table.h"
#include "settings/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status, a public interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

struct export_options {
  const char *file, *fmu;
  struct settings_overrides over;
  struct command_texts set;                           /* of --set */
  int version;                                        /* of FMI: 3 or 2 */
  const char *inputs, *outputs, *locals, *parameters; /* patterns; NULL: not given */
  struct command_texts binary;                        /* folders of --platform-binary */
  bool sources;
};

/* Prints "ali3-fmu: TEXT" on stderr. Returns false. */
__attribute__((format(printf, 1, 2))) bool fmu_complain(const char *format, ...);

/* Each returns the exit status. */
int export_fmu(const struct export_options *o);
/* patience: time that the run of the FMU may take, s. */
int check_fmu(const char *fmu, bool json, double patience);
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

/* --- description.c and page.c: texts to be freed, NULL when out of memory --- */

struct description_head {
  int version; /* of FMI */
  const char *name, *identifier, *token;
  double period, stop;
  char **source; /* (sources) names of the files that a compiler takes */
  int sources;
};
/* How the sources of an FMU are compiled: buildDescription.xml of FMI 3.0. */
char *build_description_write(const struct description_head *h, size_t *size);
char *description_write(const struct description_head *h, const struct exports *p, size_t *size);
char *page_write(const struct description_head *h, const struct exports *p, const struct settings *s,
                 size_t *size);
/* The shortest digits that keep all bits of a number. */
const char *number_text(double x, char text[40]);

/* --- archive.c --- */

struct archive;
/* False after printing the reason. */
struct archive *archive_create(const char *file);
/* Takes the bytes over, also on failure. */
bool archive_add(struct archive *a, const char *name, char *bytes, size_t size);
/* Writes the file; false after printing the reason. With good false, or on failure, no file appears. */
bool archive_close(struct archive *a, bool good);

/* A regular file whole, to be freed; NULL after printing the reason. */
char *file_read(const char *path, size_t *size);

#endif
