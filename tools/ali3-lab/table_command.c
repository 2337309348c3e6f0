/* SPDX-License-Identifier: MIT
 * ali3-lab table: the list of tables, and where their models are. */
#include "lab_tool.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* FOLDER/NAME.END, in the folder that was given or beside the program, as installed; a build folder has links of the
 * installed form. False after a message that names the option. */
static bool find_case(const char *given, const char *installed, const char *option, const char *name,
                      const char *end, char *file, size_t size)
{
  char program[PATH_MAX];
  /* The folder of the program, then the file. */
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(program, '/');
  if (slash) *slash = '\0';
  const int written = given ? snprintf(file, size, "%s/%s.%s", given, name, end)
                            : snprintf(file, size, "%s/../%s/%s.%s", program, installed, name, end);
  if (written < (int)size && access(file, R_OK) == 0) return true;
  fprintf(stderr, "ali3-lab: %s: no such file; give its folder by %s\n", file, option);
  return false;
}

struct model_file *case_open_with(const struct table_options *o, const char *name,
                                  const struct command_texts *sets)
{
  char file[PATH_MAX];
  return find_case(o->models, LAB_MODELS, "--models", name, "yaml", file, sizeof file)
             ? model_file_open(file, sets)
             : NULL;
}

struct model_file *case_open(const struct table_options *o, const char *name)
{
  return case_open_with(o, name, NULL);
}

struct model_file *reference_model_open_with(const struct table_options *o, const char *name,
                                             const struct command_texts *sets)
{
  char file[PATH_MAX];
  return find_case(o->references, LAB_REFERENCES, "--references", name, "json", file, sizeof file)
             ? model_file_open(file, sets)
             : NULL;
}

struct model_file *reference_model_open(const struct table_options *o, const char *name)
{
  return reference_model_open_with(o, name, NULL);
}

struct reference *reference_motion_open(const struct table_options *o, const char *name, const ali3_model *m)
{
  char file[PATH_MAX];
  return find_case(o->references, LAB_REFERENCES, "--references", name, "csv", file, sizeof file)
             ? reference_open(file, m)
             : NULL;
}

FILE *table_lines(const struct table_options *o)
{
  return o->json && strcmp(o->json, "-") == 0 ? stderr : stdout;
}

static int table_p3_1(const struct table_options *o)
{
  return table_p3(o, 1);
}

static int table_p3_2(const struct table_options *o)
{
  return table_p3(o, 2);
}

static int table_p3_3(const struct table_options *o)
{
  return table_p3(o, 3);
}

static int table_p2_calls(const struct table_options *o)
{
  return table_p2(o, "p2-calls");
}

static int table_p2_accuracy(const struct table_options *o)
{
  return table_p2(o, "p2-accuracy");
}

static int table_p2_time(const struct table_options *o)
{
  return table_p2(o, "p2-time");
}

static int table_p2_long(const struct table_options *o)
{
  return table_p2(o, "p2-long");
}

static const struct lab_table {
  const char *name;
  int (*compute)(const struct table_options *o);
} lab_tables[] = {
    {"em", table_em},
    {"p1", table_p1},
    {"p2-calls", table_p2_calls},
    {"p2-accuracy", table_p2_accuracy},
    {"p2-time", table_p2_time},
    {"p2-long", table_p2_long},
    {"p3-1", table_p3_1},
    {"p3-2", table_p3_2},
    {"p3-3", table_p3_3},
    {"p3-start", table_p3_start},
    {"p4-oscillator", table_p4},
    {"p5", table_p5},
    {"p5-operations", table_p5_operations},
};

enum { TABLES = sizeof lab_tables / sizeof *lab_tables };

/* All tables one after the other; the worst of their exit statuses. */
static int table_all(const struct table_options *o)
{
  bool fails[TABLES];
  int status = EXIT_GOOD, failed = 0;
  for (int i = 0; i < TABLES && !interrupted(); i++) {
    const int one = lab_tables[i].compute(o);
    fprintf(table_lines(o), "\n");
    fails[i] = one != EXIT_GOOD;
    failed += fails[i];
    if (one > status) status = one;
  }
  /* Which tables do not hold. */
  fprintf(table_lines(o), failed ? "tables that do not hold:" : "all %d tables hold\n", (int)TABLES);
  for (int i = 0; i < TABLES && failed && !interrupted(); i++)
    if (fails[i]) fprintf(table_lines(o), " %s", lab_tables[i].name);
  if (failed) fprintf(table_lines(o), "\n");
  return interrupted() && status == EXIT_GOOD ? EXIT_RUN : status;
}

int table_command(const struct table_options *o)
{
  char names[200] = "all, ";
  if (strcmp(o->name, "all") == 0) return table_all(o);
  for (int i = 0; i < TABLES; i++) {
    if (strcmp(o->name, lab_tables[i].name) == 0) return lab_tables[i].compute(o);
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i == 0            ? ""
             : i + 1 == TABLES ? " or "
                               : ", ",
             lab_tables[i].name);
  }
  fprintf(stderr, "ali3-lab: table: expected %s, found %s\n", names, o->name);
  return EXIT_USAGE;
}
