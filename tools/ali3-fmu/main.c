/* SPDX-License-Identifier: MIT
 * ali3-fmu: the command line. */
#include "base/isa.h"
#include "command/command_line.h"
#include "common/output.h"
#include "fmu_tool.h"

#include "outfile/outfile.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT_NAMES "fmi period isa inputs outputs locals parameters set platform-binary sources"

bool fmu_complain(const char *format, ...)
{
  va_list arguments;
  fputs("ali3-fmu: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

struct fmu_options {
  struct export_options export;
  uint64_t given; /* bit i: option i */
  int older;      /* 0: FMI 3, 1: FMI 2 */
  bool json;
  double patience; /* s */
  const char *command, *fmu;
};

static const struct command_option fmu_list[] = {
    COMMAND_WORD(struct fmu_options, older, "fmi", "3|2", "3 or 2", "version of the standard (default: 3)"),
    COMMAND_NUMBER(struct fmu_options, export.over.dt, "period", "S", 1e-9, 1e6,
                   "period of a step in seconds (default: cycle.period of the file, else 0.01)"),
    COMMAND_NAME(struct fmu_options, export.over.isa, "isa", "NAME", ISA_WORDS,
                 "instruction set of the steps: " ISA_WORDS " (default: baseline, which every machine has)"),
    COMMAND_TEXT(struct fmu_options, export.inputs, "inputs", "GLOB,..",
                 "inputs: channels of the inputs of the file, such as 'input.push.*', and forces and torques "
                 "on bodies, such as 'body.rod.force.*' (default: all channels); none"),
    COMMAND_TEXT(struct fmu_options, export.outputs, "outputs", "GLOB,..",
                 "outputs: signals (default: sensors, coordinates of joints and their rates); none"),
    COMMAND_TEXT(struct fmu_options, export.locals, "locals", "GLOB,..",
                 "signals that are no outputs, but that an importer may read (default: none)"),
    COMMAND_TEXT(struct fmu_options, export.parameters, "parameters", "GLOB,..",
                 "parameters that may change while the mechanism moves (default: all); none"),
    COMMAND_TEXTS(struct fmu_options, export.set, "set", "KEY=VALUE",
                  "put VALUE into the file at the path KEY; may be given several times"),
    COMMAND_TEXTS(struct fmu_options, export.binary, "platform-binary", "DIR",
                  "add the object DIR/fmu.so of another build; DIR has the name of its platform, such as "
                  "aarch64-linux; may be given several times"),
    COMMAND_SWITCH(struct fmu_options, export.sources, "sources",
                   "add the sources of the object, for other platforms and for tools that compile"),
    COMMAND_NUMBER(struct fmu_options, patience, "patience", "S", 0.1, 86400,
                   "check: seconds that the run of the FMU may take (default: 60)"),
    COMMAND_SWITCH(struct fmu_options, json, "json",
                   "check, info: print the result as JSON in place of text"),
    {0},
};
static const struct command_line fmu_command = {
    .name = "ali3-fmu",
    .head = "Usage: ali3-fmu export FILE NAME.fmu [OPTION]...\n"
            "       ali3-fmu check NAME.fmu [--json]\n"
            "       ali3-fmu info NAME.fmu [--json]\n"
            "\n"
            "export: makes an FMU for co-simulation of the mechanism of a model or configuration file. Its "
            "object is part of this installation and needs libc and libm only, so no compiler is needed.\n"
            "check: looks into an FMU of any tool, runs it, and says what is wrong. The FMU is a program: "
            "check only an FMU that you trust.\n"
            "info: prints what an FMU is and has, without running it.\n",
    .tail =
        "Exit status: 0 good; 1 the FMU could not be written, or check found an error; 2 wrong usage, or a "
        "mistake in FILE.\n",
    .option = fmu_list,
    .wrong = EXIT_USAGE,
    .given = offsetof(struct fmu_options, given)};

/* The command, its files, and the options that it has. */
static bool take_names(int words, char **word, struct fmu_options *o)
{
  const struct command_line *c = &fmu_command;
  o->command = words > 0 ? word[0] : "";
  const bool export = strcmp(o->command, "export") == 0, check = strcmp(o->command, "check") == 0;
  if (!export && !check && strcmp(o->command, "info") != 0)
    return command_wrong(c, "command", "export, check or info", o->command);
  if (words != (export ? 3 : 2))
    return command_wrong(c, o->command, export ? "FILE and NAME.fmu" : "NAME.fmu",
                         words > 1 ? "another number of files" : "none");
  if (!command_only(c, o, o->command, export ? EXPORT_NAMES : check ? "json patience" : "json")) return false;
  /* The last name is the FMU. */
  o->fmu = word[words - 1];
  o->export.file = word[1];
  o->export.fmu = o->fmu;
  const size_t n = strlen(o->fmu);
  if (export && (n < 5 || strcmp(o->fmu + n - 4, ".fmu") != 0 || o->fmu[n - 5] == '/'))
    return command_wrong(c, "NAME.fmu", "a name that ends with .fmu", o->fmu);
  return true;
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct fmu_options *o)
{
  *o = (struct fmu_options){.export = {.over = {.isa = "baseline", .inner = true}}, .patience = 60.0};
  const int status = command_read(&fmu_command, argc, argv, o);
  if (status >= 0) return status;
  if (!take_names(argc - optind, argv + optind, o)) return command_refuse(&fmu_command);
  o->export.version = 3 - o->older;
  o->export.over.set = o->export.set.text;
  o->export.over.sets = o->export.set.count;
  return -1;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct fmu_options o;
  int status = take_options(argc, argv, &o);
  if (status < 0) {
    const bool export = strcmp(o.command, "export") == 0;
    status = export && !outfile_check("export", o.fmu) ? EXIT_USAGE
             : export                                  ? export_fmu(&o.export)
             : strcmp(o.command, "check") == 0         ? check_fmu(o.fmu, o.json, o.patience)
                                                       : info_fmu(o.fmu, o.json);
  }
  free(o.export.set.text);
  free(o.export.binary.text);
  return status;
}
