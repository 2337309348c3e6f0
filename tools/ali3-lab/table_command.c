/* SPDX-License-Identifier: MIT
 * ali3-lab table: the list of tables, and where their models are. */
#include "lab_tool.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Beside the program, as installed; a build folder has a link of the same form. */
static bool case_folder(const struct table_options *o, char *text, size_t size)
{
  char program[PATH_MAX];
  if (o->models) return snprintf(text, size, "%s", o->models) < (int)size;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) return false;
  program[length] = '\0';
  char *name = strrchr(program, '/');
  if (name) *name = '\0';
  return snprintf(text, size, "%s/../%s", program, LAB_MODELS) < (int)size;
}

struct model_file *case_open(const struct table_options *o, const char *name)
{
  char folder[PATH_MAX], file[PATH_MAX];
  if (!case_folder(o, folder, sizeof folder) ||
      snprintf(file, sizeof file, "%s/%s.yaml", folder, name) >= (int)sizeof file)
    return NULL;
  if (access(file, R_OK) != 0) {
    fprintf(stderr, "ali3-lab: %s: no such model; give the folder of the case models by --models\n", file);
    return NULL;
  }
  return model_file_open(file);
}

FILE *table_lines(const struct table_options *o)
{
  return o->json && strcmp(o->json, "-") == 0 ? stderr : stdout;
}

int table_command(const struct table_options *o)
{
  static const char *const names[] = {"p3-1", "p3-2", "p3-3"};
  for (int i = 0; i < 3; i++)
    if (strcmp(o->name, names[i]) == 0) return table_p3(o, i + 1);
  static const char *const names_p2[] = {"p2-calls", "p2-accuracy", "p2-time"};
  for (int i = 0; i < 3; i++)
    if (strcmp(o->name, names_p2[i]) == 0) return table_p2(o, names_p2[i]);
  if (strcmp(o->name, "p5") == 0) return table_p5(o);
  fprintf(stderr, "ali3-lab: table: expected p2-calls, p2-accuracy, p2-time, p3-1, p3-2, p3-3 or p5, found %s\n",
          o->name);
  return EXIT_USAGE;
}
