/* SPDX-License-Identifier: MIT
 * ali3-link: the command line. */
#include "base/build_info.h"
#include "link.h"
#include "option_number.h"
#include "output.h"

#include <ali3/ali3.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-link LINK.yaml [OPTION]...\n"
    "Couples mechanisms and FMUs in lockstep: each ali3d and each FMU that LINK.yaml names makes a step, "
    "then\n"
    "the values of its wires go to the inputs of the others, and so on. Lost, doubled and late datagrams\n"
    "change no bit. An FMU runs in a process of its own.\n"
    "\n"
    "  --duration S    simulated seconds of the run (default: until SIGINT)\n"
    "  --steps N       communication steps of the run\n"
    "  --pace WORD     lockstep: without a clock (default); frames: FMUs step with the frames of one ali3d\n"
    "                  that has a clock, and their outputs go to its inputs in real time\n"
    "  --check         read the file, print its wires, and end\n"
    "  --record FILE   write the values on the wires after each communication step as CSV\n"
    "  --json          print the report as JSON in place of text\n"
    "  --quiet         no line of progress on a terminal\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done; 1 a participant refused or failed; 2 wrong usage, or a mistake in a file; 3 a\n"
    "participant was silent.\n";

struct options {
  const char *file;
  double duration; /* s; 0: not given */
  long steps;      /* 0: not given */
  bool check, paced;
  struct run_options run;
};

static volatile int stop_came;

static void ask_to_stop(int number)
{
  (void)number;
  stop_came = 1;
}

static bool usage(const char *text, const char *found)
{
  fprintf(stderr, "ali3-link: %s%s%s\nTry 'ali3-link --help'.\n", text, found ? ", found " : "",
          found ? found : "");
  return false;
}

static bool take_pace(const char *word, bool *paced)
{
  *paced = strcmp(word, "frames") == 0;
  return *paced || strcmp(word, "lockstep") == 0 || usage("--pace: expected lockstep or frames", word);
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  enum { DURATION = 256, STEPS, PACE, CHECK, RECORD, JSON, QUIET, HELP_TEXT, VERSION };
  static const struct option table[] = {
      {"duration", required_argument, NULL, DURATION},
      {"steps", required_argument, NULL, STEPS},
      {"pace", required_argument, NULL, PACE},
      {"check", no_argument, NULL, CHECK},
      {"record", required_argument, NULL, RECORD},
      {"json", no_argument, NULL, JSON},
      {"quiet", no_argument, NULL, QUIET},
      {"help", no_argument, NULL, HELP_TEXT},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  /* Each option by itself. */
  bool good = true;
  *o = (struct options){.run = {.steps = UINT64_MAX, .stop = &stop_came}};
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    case DURATION:
      good = (option_number(optarg, 1e-9, 1e9, &o->duration) ||
              usage("--duration: expected seconds, 1e-9 to 1e9", optarg));
      break;
    case STEPS:
      good = (option_count(optarg, 1, 1000000000000, &o->steps) ||
              usage("--steps: expected a whole number from 1 to 1e12", optarg));
      break;
    case PACE:
      good = take_pace(optarg, &o->paced);
      break;
    case CHECK:
      o->check = true;
      break;
    case RECORD:
      o->run.record = optarg;
      break;
    case JSON:
      o->run.json = true;
      break;
    case QUIET:
      o->run.quiet = true;
      break;
    case HELP_TEXT:
      fputs(help, stdout);
      return LINK_GOOD;
    case VERSION:
      printf("ali3-link " ALI3_VERSION "\n%s\n", build_info());
      return LINK_GOOD;
    default:
      fputs("Try 'ali3-link --help'.\n", stderr);
      return LINK_USAGE;
    }
  /* All of them together. */
  if (good && o->steps && o->duration > 0.0) good = usage("expected one of --duration and --steps", NULL);
  if (good && optind + 1 != argc) good = usage("expected one file LINK.yaml", NULL);
  if (!good) return LINK_USAGE;
  o->file = argv[optind];
  return -1;
}

/* A duration that is no whole number of steps ends with the step that reaches it. */
static uint64_t steps_of(const struct options *o, double step)
{
  if (o->steps) return (uint64_t)o->steps;
  if (!(o->duration > 0.0)) return UINT64_MAX;
  return (uint64_t)ceil(o->duration / step * (1.0 - 1e-12));
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = take_options(argc, argv, &o);
  if (status >= 0) return status;
  struct link l;
  const struct sigaction action = {.sa_handler = ask_to_stop};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  status = link_read(&l, o.file, o.paced) ? LINK_GOOD : LINK_USAGE;
  if (status == LINK_GOOD && o.check) {
    link_print(&l, stdout, o.run.json);
  } else if (status == LINK_GOOD) {
    o.run.steps = steps_of(&o, l.step);
    status = o.paced ? link_run_frames(&l, &o.run) : link_run(&l, &o.run);
  }
  link_close(&l); /* ends the processes of FMUs */
  return status;
}
