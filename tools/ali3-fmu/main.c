/* SPDX-License-Identifier: MIT
 * ali3-fmu: the command line. */
#include "base/build_info.h"
#include "base/isa.h"
#include "fmu_tool.h"
#include "option_number.h"
#include "output.h"

#include "outfile/outfile.h"

#include <ali3/ali3.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-fmu export FILE NAME.fmu [OPTION]...\n"
    "       ali3-fmu check NAME.fmu [--json]\n"
    "       ali3-fmu info NAME.fmu [--json]\n"
    "\n"
    "export: makes an FMU for co-simulation of the mechanism of a model or configuration file. Its object "
    "is\n"
    "part of this installation and needs libc and libm only, so no compiler is needed.\n"
    "check: looks into an FMU of any tool, runs it, and says what is wrong. The FMU is a program: check "
    "only\n"
    "an FMU that you trust.\n"
    "info: prints what an FMU is and has, without running it.\n"
    "\n"
    "  --fmi 3|2            version of the standard (default: 3)\n"
    "  --period S           period of a step in seconds (default: cycle.period of the file, else 0.01)\n"
    "  --isa NAME           instruction set of the steps: " ISA_WORDS " (default: baseline, which\n"
    "                       every machine has)\n"
    "  --inputs GLOB,..     inputs: channels of the inputs of the file, such as 'input.push.*', and forces "
    "and\n"
    "                       torques on bodies, such as 'body.rod.force.*' (default: all channels); none\n"
    "  --outputs GLOB,..    outputs: signals (default: sensors, coordinates of joints and their rates); "
    "none\n"
    "  --locals GLOB,..     signals that are no outputs, but that an importer may read (default: none)\n"
    "  --parameters GLOB,.. parameters that may change while the mechanism moves (default: all); none\n"
    "  --set KEY=VALUE      put VALUE into the file at the path KEY; may be given several times\n"
    "  --platform-binary DIR  add the object DIR/fmu.so of another build; DIR has the name of its platform,\n"
    "                       such as aarch64-linux; may be given several times\n"
    "  --sources            add the sources of the object, for other platforms and for tools that compile\n"
    "  --patience S         check: seconds that the run of the FMU may take (default: 60)\n"
    "  --json               print the result as JSON in place of text\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 good; 1 the FMU could not be written, or check found an error; 2 wrong usage, or a\n"
    "mistake in FILE.\n";

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

struct command_line {
  struct export_options export;
  bool json, exports; /* an option of export was given */
  double patience;    /* s; 0: not given */
  const char *command, *fmu;
};

enum {
  FMI = 1,
  PERIOD,
  ISA,
  INPUTS,
  OUTPUTS,
  LOCALS,
  PARAMETERS,
  SET,
  BINARY,
  SOURCES,
  PATIENCE,
  JSON,
  HELP,
  VERSION,
};

static bool take_version(const char *text, int *version)
{
  *version = strcmp(text, "2") == 0 ? 2 : 3;
  return *version == 2 || strcmp(text, "3") == 0 || fmu_complain("--fmi: expected 3 or 2, found %s", text);
}

static bool take_isa(const char *text, struct settings_overrides *over)
{
  over->isa = text;
  return isa_is_word(text) || fmu_complain("--isa: expected " ISA_WORDS ", found %s", text);
}

/* Adds a text of an option that may be given several times. */
static bool take_another(const char ***list, int *count, const char *text)
{
  const char **grown = realloc(*list, ((size_t)*count + 1) * sizeof *grown);
  if (!grown) return fmu_complain("out of memory");
  *list = grown;
  grown[(*count)++] = text;
  return true;
}

static bool take_export_option(int c, struct export_options *o)
{
  switch (c) {
  case FMI:
    return take_version(optarg, &o->version);
  case PERIOD:
    return (option_number(optarg, 1e-9, 1e6, &o->over.dt) ||
            fmu_complain("--period: expected a number from 1e-9 to 1e6, found %s", optarg));
  case ISA:
    return take_isa(optarg, &o->over);
  case INPUTS:
    o->inputs = optarg;
    return true;
  case OUTPUTS:
    o->outputs = optarg;
    return true;
  case LOCALS:
    o->locals = optarg;
    return true;
  case PARAMETERS:
    o->parameters = optarg;
    return true;
  /* Options that may stand several times. */
  case SET:
    return take_another(&o->set, &o->over.sets, optarg);
  case BINARY:
    return take_another(&o->binary, &o->binaries, optarg);
  case SOURCES:
    o->sources = true;
    return true;
  default:
    return false;
  }
}

static bool take_names(int argc, char **argv, struct command_line *l)
{
  l->command = optind < argc ? argv[optind] : "";
  const bool export = strcmp(l->command, "export") == 0;
  const int names = argc - optind - 1;
  if (!export && strcmp(l->command, "check") != 0 && strcmp(l->command, "info") != 0)
    return fmu_complain("expected export, check or info, found %s", optind < argc ? l->command : "nothing");
  if (names != (export ? 2 : 1))
    return fmu_complain("%s: expected %s", l->command, export ? "FILE and NAME.fmu" : "NAME.fmu");
  if (export && l->json) return fmu_complain("--json: expected check or info, found export");
  if (!export && l->exports)
    return fmu_complain("%s: expected no options but --patience and --json", l->command);
  if (l->patience > 0.0 && strcmp(l->command, "check") != 0)
    return fmu_complain("--patience: expected check, found %s", l->command);
  /* The last name is the FMU. */
  l->fmu = argv[argc - 1];
  l->export.file = argv[optind + 1];
  l->export.fmu = l->fmu;
  const size_t n = strlen(l->fmu);
  if (export && (n < 5 || strcmp(l->fmu + n - 4, ".fmu") != 0 || l->fmu[n - 5] == '/'))
    return fmu_complain("expected a name that ends with .fmu, found %s", l->fmu);
  return true;
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct command_line *l)
{
  static const struct option table[] = {
      {"fmi", required_argument, NULL, FMI},
      {"period", required_argument, NULL, PERIOD},
      {"isa", required_argument, NULL, ISA},
      {"inputs", required_argument, NULL, INPUTS},
      {"outputs", required_argument, NULL, OUTPUTS},
      {"locals", required_argument, NULL, LOCALS},
      {"parameters", required_argument, NULL, PARAMETERS},
      {"set", required_argument, NULL, SET},
      {"platform-binary", required_argument, NULL, BINARY},
      {"sources", no_argument, NULL, SOURCES},
      {"patience", required_argument, NULL, PATIENCE},
      {"json", no_argument, NULL, JSON},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  /* Options of export, of check, and of all commands. */
  bool good = true;
  *l = (struct command_line){.export = {.version = 3, .over = {.isa = "baseline"}}};
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    case PATIENCE:
      good = (option_number(optarg, 0.1, 86400, &l->patience) ||
              fmu_complain("--patience: expected seconds, 0.1 to 86400, found %s", optarg));
      break;
    case JSON:
      l->json = true;
      break;
    case HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case VERSION:
      printf("ali3-fmu " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      l->exports = true;
      good = take_export_option(c, &l->export);
    }
  /* The names come after the options. */
  if (good && take_names(argc, argv, l)) return -1;
  fputs("Try ali3-fmu --help\n", stderr);
  return EXIT_USAGE;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct command_line l;
  int status = take_options(argc, argv, &l);
  if (status < 0) {
    const bool export = strcmp(l.command, "export") == 0;
    l.export.over.set = l.export.set;
    l.export.over.inner = true;
    status = export && !outfile_check("export", l.fmu) ? EXIT_USAGE
             : export                                  ? export_fmu(&l.export)
             : strcmp(l.command, "check") == 0
                 ? check_fmu(l.fmu, l.json, l.patience > 0.0 ? l.patience : 60.0)
                 : info_fmu(l.fmu, l.json);
  }
  free(l.export.set);
  free(l.export.binary);
  return status;
}
