/* SPDX-License-Identifier: MIT
 * ali3-omct: options and wiring. */
#include "command/command_line.h"
#include "common/output.h"
#include "config/setup.h"
#include "omct.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
  const char *file, *csv, *png;        /* csv, png NULL: not asked for */
  struct cueing_amplitudes amplitudes; /* rate in deg/s until all options are read */
  bool json, compare;
  struct command_texts set;
};

static const struct command_option omct_list[] = {
    COMMAND_TEXTS(struct options, set, "set", "KEY=VALUE",
                  "change a value of the file, as in platform.gain_lin=[0.3,0.3,0.5]; may be repeated"),
    COMMAND_NUMBER(struct options, amplitudes.force, "force", "M/S2", DBL_MIN, 1000,
                   "amplitude of the specific force (default: 1)"),
    COMMAND_NUMBER(struct options, amplitudes.rate, "rate", "DEG/S", DBL_MIN, 1000,
                   "amplitude of the angular velocity (default: 1)"),
    COMMAND_TEXT(struct options, csv, "csv", "FILE", "write the responses as CSV; - for standard output"),
    COMMAND_TEXT(struct options, png, "png", "FILE", "draw modulus and phase over frequency with gnuplot"),
    COMMAND_SWITCH(struct options, compare, "compare",
                   "draw the file without --set beside it, with dashed lines"),
    COMMAND_SWITCH(struct options, json, "json", "print the responses as JSON in place of the table"),
    {0},
};
static const struct command_line omct_command = {
    .name = "ali3-omct",
    .head = "Usage: ali3-omct FILE [OPTION]...\n"
            "Measures how the motion platform of a configuration answers to motion of the vehicle: the "
            "objective motion cueing test, ten tests at twelve frequencies, through washout, limits and "
            "kinematics.\n",
    .tail =
        "Exit status: 0 the tests ran; 1 a test failed or a file could not be written; 2 wrong usage, or a "
        "mistake in FILE.\n",
    .option = omct_list,
    .wrong = EXIT_USAGE};

static bool judge_omct_options(const struct options *o, int files)
{
  const struct command_line *c = &omct_command;
  if (files != 1) return command_wrong(c, "FILE", "one file", files ? "several" : "none");
  if (o->compare && (o->set.count == 0 || !o->png))
    return command_wrong(c, "--compare", "--set and --png beside it",
                         o->set.count == 0 ? "no --set" : "no --png");
  if (o->json && o->csv && strcmp(o->csv, "-") == 0)
    return command_wrong(c, "--csv, --json", "one of them at most on standard output", "both");
  return true;
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  *o = (struct options){.amplitudes = {.force = 1.0, .rate = 1.0}};
  const int status = command_read(&omct_command, argc, argv, o);
  if (status >= 0) return status;
  if (!judge_omct_options(o, argc - optind)) return command_refuse(&omct_command);
  o->amplitudes.rate *= M_PI / 180.0;
  o->file = argv[optind];
  return -1;
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
  const struct settings_overrides over = {.set = o->set.text, .sets = sets};
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
    status = test_file(&o, o.set.count, &c);
    if (status == EXIT_GOOD && o.compare) status = test_file(&o, 0, &before);
    if (status == EXIT_GOOD && !write_reports(&o, &c, o.compare ? &before : NULL)) status = EXIT_RUN;
  }
  free(o.set.text);
  return status;
}
