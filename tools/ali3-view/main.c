/* SPDX-License-Identifier: MIT
 * ali3-view: running mechanisms and recordings in a browser. It cannot disturb the daemons: it reads their shared
 * memory, and with --control it is one OSC sender among others. */
#include "base/build_info.h"
#include "listener.h"
#include "output.h"
#include "server.h"
#include "step_back.h"
#include "where.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char usage[] =
    "usage: ali3-view [--name INSTANCE] [--listen ADDRESS:PORT] [--expose] [--host NAME]...\n"
    "                 [--control | --token-file FILE]\n"
    "       ali3-view --file RUN.h5 [--meshes DIR] [--listen ADDRESS:PORT] [--expose] [--host NAME]...\n"
    "\n"
    "Shows running ali3d in a browser: the mechanism in 3-D, signals, deadline misses, inputs.\n"
    "\n"
    "  --name INSTANCE        list this daemon only in the health check (default: all daemons)\n"
    "  --file RUN.h5          play a recording of ali3-record\n"
    "  --meshes DIR           find the mesh files of the recording below this folder\n"
    "  --listen ADDRESS:PORT  numeric address, IPv6 in brackets; port 0: any (default 127.0.0.1:9466)\n"
    "  --expose               allow an address that other machines can reach\n"
    "  --host NAME            also answer requests for this host name; up to 16 times\n"
    "  --control              allow commands and inputs, and print an address with the right to them\n"
    "  --token-file FILE      like --control, with the token in the first line of FILE\n"
    "  --help, --version\n"
    "\n"
    "The page is no safety function: a mechanism needs an emergency stop that does not pass through it.\n"
    "\n"
    "Exit status: 0 ended by a signal; 1 cannot serve; 2 wrong usage\n";

struct view_options {
  struct address address;
  const char *file, *meshes, *token_file; /* meshes: absolute, of realpath(); NULL: as in the recording */
  bool control;
};

static volatile sig_atomic_t ended;

static void note_end_signal(int number)
{
  ended = number;
}

static __attribute__((noreturn)) void refuse_view_option(const char *text)
{
  fprintf(stderr, "ali3-view: %s\n", text);
  exit(EXIT_USAGE);
}

static struct view_options read_view_options(int argc, char **argv, struct view *v)
{
  static const struct option known[] = {{"name", required_argument, NULL, 'n'},
                                        {"file", required_argument, NULL, 'f'},
                                        {"meshes", required_argument, NULL, 'm'},
                                        {"listen", required_argument, NULL, 'l'},
                                        {"expose", no_argument, NULL, 'e'},
                                        {"host", required_argument, NULL, 'H'},
                                        {"control", no_argument, NULL, 'c'},
                                        {"token-file", required_argument, NULL, 't'},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, 'v'},
                                        {0}};
  struct view_options o = {0};
  char error[300];
  const char *listen = "127.0.0.1:9466";
  bool expose = false;
  /* Options that take a value or set a flag. */
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
    case 'n':
      v->census.only = optarg;
      break;
    case 'f':
      o.file = optarg;
      break;
    case 'm':
      if (!(o.meshes = realpath(optarg, NULL)))
        refuse_view_option("--meshes: expected a folder that exists, with the mesh files of the recording");
      break;
    case 'l':
      listen = optarg;
      break;
    case 'e':
      expose = true;
      break;
    case 'H':
      if (!where_host(&v->hosts, optarg, error, sizeof error)) refuse_view_option(error);
      break;
    case 'c':
      o.control = true;
      break;
    case 't':
      o.token_file = optarg;
      break;
    /* Options that end the program. */
    case 'h':
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    case 'v':
      printf("ali3-view " ALI3_VERSION "\n%s\n", build_info());
      exit(EXIT_SUCCESS);
    default:
      fputs(usage, stderr);
      exit(EXIT_USAGE);
    }
  }
  /* Checks that need all options. */
  if (optind < argc) refuse_view_option("unexpected argument: see ali3-view --help");
  if (v->census.only && !telemetry_valid_name(v->census.only))
    refuse_view_option("--name: expected 1 to 63 of A-Z a-z 0-9 _ -");
  if (o.meshes && !o.file)
    refuse_view_option("--meshes belongs to --file: a daemon knows the folder of its meshes");
  if (o.file && (o.control || o.token_file))
    refuse_view_option(
        "--file shows a recording, which takes no commands: leave out --control and --token-file");
  if (!where_listen("--listen", listen, expose, &o.address, error, sizeof error)) refuse_view_option(error);
  return o;
}

/* The token, from a file or random. Prints the reason when it fails. */
static bool give_rights(const struct view_options *o, struct view *v)
{
  char error[300];
  if (o->token_file && !rights_read_token(&v->rights, o->token_file, error, sizeof error)) {
    fprintf(stderr, "ali3-view: %s\n", error);
    return false;
  }
  if (o->control && !o->token_file && !rights_make_token(&v->rights)) {
    fprintf(stderr, "ali3-view: the system gives no random numbers for a token\n");
    return false;
  }
  if (control_open(&v->control)) return true;
  fprintf(stderr, "ali3-view: no UDP socket: %s\n", strerror(errno));
  return false;
}

static void greet_user(const struct view_options *o, const struct view *v, const char *address,
                       const char *scheduling)
{
  printf("ali3-view: http://%s/%s%s; %s\n", address, o->control && !o->token_file ? "#token=" : "",
         o->control && !o->token_file ? v->rights.token : "", scheduling);
  if (v->rights.token[0])
    printf("ali3-view: whoever has the token can move the mechanism; this page is no safety function\n");
  fflush(stdout);
}

static int serve_view(struct view_options *o, struct view *v)
{
  char address[64], scheduling[64];
  step_back(scheduling, sizeof scheduling);
  const int listener = listener_open(&o->address);
  address_text(&o->address, address, sizeof address);
  if (listener < 0) {
    fprintf(stderr, "ali3-view: %s: %s\n", address, strerror(errno));
    return EXIT_FAILURE;
  }
  struct view_server *s = view_server_start(listener, v);
  if (!s) {
    fprintf(stderr, "ali3-view: %s: libmicrohttpd cannot serve there\n", address);
    return EXIT_FAILURE;
  }
  /* Serve until a signal. */
  greet_user(o, v, address, scheduling);
  while (!ended) view_server_run(s);
  view_server_stop(s);
  printf("ali3-view: SIG%s: ended\n", sigabbrev_np(ended));
  return EXIT_SUCCESS;
}

/* Large answers would raise glibc's dynamic mmap threshold, and freed memory would stay in the heap. Fixed thresholds prevent
 * that. */
static void hold_heap_small(void)
{
  enum { ALONE = 128 << 10, KEPT = 512 << 10 };
  mallopt(M_MMAP_THRESHOLD, ALONE);
  mallopt(M_TRIM_THRESHOLD, KEPT);
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  static struct view v; /* a megabyte */
  char error[300];
  const struct sigaction note = {.sa_handler = note_end_signal};
  struct view_options o = read_view_options(argc, argv, &v);
  hold_heap_small();
  sigaction(SIGTERM, &note, NULL);
  sigaction(SIGINT, &note, NULL);
  signal(SIGPIPE, SIG_IGN);
  if (!give_rights(&o, &v)) return EXIT_FAILURE;
  if (o.file && !(v.playback = playback_open(o.file, o.meshes, error, sizeof error))) {
    fprintf(stderr, "ali3-view: %s\n", error);
    return EXIT_FAILURE;
  }
  const int status = serve_view(&o, &v);
  control_close(&v.control);
  playback_close(v.playback);
  free(v.three);
  free((char *)o.meshes);
  return status;
}
