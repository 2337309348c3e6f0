/* SPDX-License-Identifier: MIT
 * ali3-omct: options and wiring. */
#include "base/build_info.h"
#include "omct.h"
#include "option_number.h"
#include "output.h"
#include "setup/setup.h"

#include "outfile/outfile.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-omct FILE [OPTION]...\n"
    "Measures how the motion platform of a configuration answers to motion of the vehicle: the objective "
    "motion\n"
    "cueing test, ten tests at twelve frequencies, through washout, limits and kinematics.\n"
    "\n"
    "  --set KEY=VAL  change a value of the file, as in platform.gain_lin=[0.3,0.3,0.5]; may be repeated\n"
    "  --force M/S2   amplitude of the specific force (default: 1)\n"
    "  --rate DEG/S   amplitude of the angular velocity (default: 1)\n"
    "  --csv FILE     write the responses as CSV; - for standard output\n"
    "  --png FILE     draw modulus and phase over frequency with gnuplot\n"
    "  --compare      draw the file without --set beside it, with dashed lines\n"
    "  --json         print the responses as JSON in place of the table\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the tests ran; 1 a test failed or a file could not be written; 2 wrong usage, or a "
    "mistake in FILE.\n";

struct options {
  const char *file, *csv, *png; /* csv, png NULL: not asked for */
  struct cueing_amplitudes amplitudes;
  bool json, compare;
  const char **set; /* (sets) texts of --set; to be freed */
  int sets;
};

enum {
  OPTION_FORCE = 1,
  OPTION_RATE,
  OPTION_SET,
  OPTION_CSV,
  OPTION_PNG,
  OPTION_COMPARE,
  OPTION_JSON,
  OPTION_HELP,
  OPTION_VERSION
};

static bool say_expected(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-omct: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

static bool take_amplitude(const char *option, const char *text, double scale, double *out)
{
  if (!option_number(text, 0.0, 1000.0, out) || !(*out > 0.0))
    return say_expected(option, "a number above 0, at most 1000", text);
  *out *= scale;
  return true;
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  /* List the options. */
  static const struct option table[] = {
      {"force", required_argument, NULL, OPTION_FORCE}, {"rate", required_argument, NULL, OPTION_RATE},
      {"set", required_argument, NULL, OPTION_SET},     {"csv", required_argument, NULL, OPTION_CSV},
      {"png", required_argument, NULL, OPTION_PNG},     {"compare", no_argument, NULL, OPTION_COMPARE},
      {"json", no_argument, NULL, OPTION_JSON},         {"help", no_argument, NULL, OPTION_HELP},
      {"version", no_argument, NULL, OPTION_VERSION},   {0},
  };
  const double degree = M_PI / 180.0;
  *o = (struct options){.amplitudes = {.force = 1.0, .rate = degree},
                        .set = calloc((size_t)argc, sizeof *o->set)};
  bool good = o->set != NULL;
  if (!good) fputs("ali3-omct: out of memory\n", stderr);
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    /* Read the amplitudes. */
    case OPTION_FORCE:
      good = take_amplitude("--force", optarg, 1.0, &o->amplitudes.force);
      break;
    case OPTION_RATE:
      good = take_amplitude("--rate", optarg, degree, &o->amplitudes.rate);
      break;
    case OPTION_SET:
      o->set[o->sets++] = optarg;
      break;
    /* Read the outputs. */
    case OPTION_CSV:
      o->csv = optarg;
      break;
    case OPTION_PNG:
      o->png = optarg;
      break;
    case OPTION_COMPARE:
      o->compare = true;
      break;
    case OPTION_JSON:
      o->json = true;
      break;
    /* Print a text and end. */
    case OPTION_HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case OPTION_VERSION:
      printf("ali3-omct " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      good = false;
    }
  if (good && optind + 1 != argc) good = say_expected("FILE", "one file", optind < argc ? "several" : "none");
  if (good && o->compare && (o->sets == 0 || !o->png))
    good = say_expected("--compare", "--set and --png beside it", o->sets == 0 ? "no --set" : "no --png");
  if (good && o->json && o->csv && strcmp(o->csv, "-") == 0)
    good = say_expected("--csv, --json", "one of them at most on standard output", "both");
  if (good) {
    o->file = argv[optind];
    return -1;
  }
  fputs("Try ali3-omct --help\n", stderr);
  return EXIT_USAGE;
}

/* before: the file without --set; NULL: not asked for. */
static bool write_reports(const struct options *o, const struct cueing *c, const struct cueing *before)
{
  char title[400];
  snprintf(title, sizeof title, "Objective motion cueing test, %s, %g m/s^2, %g deg/s%s", o->file,
           o->amplitudes.force, o->amplitudes.rate * 180.0 / M_PI, before ? "; dashed: without --set" : "");
  bool good = true;
  if (o->csv) good &= report_csv(c, o->csv);
  if (o->png) good &= report_picture(c, before, o->png, title);
  if (o->json)
    good &= report_json(c, o->file, &o->amplitudes);
  else if (!o->csv || strcmp(o->csv, "-") != 0)
    report_table(c);
  if (fflush(stdout) == 0 && !ferror(stdout)) return good;
  fprintf(stderr, "ali3-omct: standard output: %s\n", strerror(errno));
  return false;
}

/* Tests the platform of the file with the first `sets` texts of --set. Returns an exit status. */
static int test_file(const struct options *o, int sets, struct cueing *c)
{
  const struct settings_overrides over = {.set = o->set, .sets = sets};
  struct settings *s = setup_load(o->file, &over, stderr);
  if (!s) return EXIT_USAGE;
  int status = EXIT_USAGE;
  if (s->platform.enabled) {
    /* The washout is what the test judges, whatever mode the file begins in. */
    s->platform.spec.mode = PLATFORM_WASHOUT;
    status = cueing_run(&s->platform.spec, &o->amplitudes, c) ? EXIT_GOOD : EXIT_RUN;
  } else {
    fprintf(stderr, "ali3-omct: %s: expected a section platform, found none\n", o->file);
  }
  settings_free(s);
  return status;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  static struct cueing c, before;
  struct options o;
  int status = take_options(argc, argv, &o);
  /* A test that cannot be written does not begin. */
  if (status < 0 && !(outfile_check("--csv", o.csv) && outfile_check("--png", o.png))) status = EXIT_USAGE;
  if (status < 0) {
    status = test_file(&o, o.sets, &c);
    if (status == EXIT_GOOD && o.compare) status = test_file(&o, 0, &before);
    if (status == EXIT_GOOD && !write_reports(&o, &c, o.compare ? &before : NULL)) status = EXIT_RUN;
  }
  free(o.set);
  return status;
}
