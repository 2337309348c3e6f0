/* SPDX-License-Identifier: MIT
 * ali3-view: running mechanisms and recordings in a browser. It cannot disturb the daemons: it reads their shared
 * memory, and with --control it is one OSC sender among others. */
#include "command/command_line.h"
#include "common/output.h"
#include "common/step_back.h"
#include "http/listener.h"
#include "http/where.h"
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

struct view_options {
  struct address address;
  struct hosts hosts;
  const char *name, *listen;
  const char *file, *given_meshes, *token_file;
  char *meshes; /* absolute, of realpath(); NULL: as in the recording */
  bool control, expose;
};

static volatile sig_atomic_t ended;

static void note_end_signal(int number)
{
  ended = number;
}

static bool take_host_name(char *name, void *options);

static const struct command_option view_list[] = {
    COMMAND_TEXT(struct view_options, name, "name", "INSTANCE",
                 "list this daemon only in the health check (default: all daemons)"),
    COMMAND_TEXT(struct view_options, file, "file", "RUN.h5", "play a recording of ali3-record"),
    COMMAND_TEXT(struct view_options, given_meshes, "meshes", "DIR",
                 "find the mesh files of the recording below this folder"),
    COMMAND_TEXT(struct view_options, listen, "listen", "ADDRESS:PORT",
                 "numeric address, IPv6 in brackets; port 0: any (default 127.0.0.1:9466)"),
    COMMAND_SWITCH(struct view_options, expose, "expose", "allow an address that other machines can reach"),
    COMMAND_OTHER(take_host_name, "host", "NAME", "also answer requests for this host name; up to 16 times"),
    COMMAND_SWITCH(struct view_options, control, "control",
                   "allow commands and inputs, and print an address with the right to them"),
    COMMAND_TEXT(struct view_options, token_file, "token-file", "FILE",
                 "like --control, with the token in the first line of FILE"),
    {0},
};
static const struct command_line view_command = {
    .name = "ali3-view",
    .head =
        "Usage: ali3-view [--name INSTANCE] [--listen ADDRESS:PORT] [--expose] [--host NAME]...\n"
        "                 [--control | --token-file FILE]\n"
        "       ali3-view --file RUN.h5 [--meshes DIR] [--listen ADDRESS:PORT] [--expose] [--host NAME]...\n"
        "\n"
        "Shows running ali3d in a browser: the mechanism in 3-D, signals, deadline misses, inputs.\n",
    .tail =
        "The page is no safety function: a mechanism needs an emergency stop that does not pass through it.\n"
        "\n"
        "Exit status: 0 ended by a signal; 1 cannot serve; 2 wrong usage\n",
    .option = view_list,
    .wrong = EXIT_USAGE};

static bool take_host_name(char *name, void *options)
{
  struct view_options *o = options;
  char error[300];
  if (where_host(&o->hosts, name, error, sizeof error)) return true;
  fprintf(stderr, "ali3-view: %s\n", error);
  return false;
}

/* The rules between options. */
static bool judge_view_options(struct view_options *o)
{
  char error[300];
  if (o->name && !telemetry_valid_name(o->name))
    return command_wrong(&view_command, "--name", "1 to 63 of A-Z a-z 0-9 _ -", o->name);
  if (o->given_meshes && !o->file)
    return command_wrong(&view_command, "--meshes",
                         "--file beside it, because a daemon knows the folder of its meshes", "none");
  if (o->given_meshes && !(o->meshes = realpath(o->given_meshes, NULL)))
    return command_wrong(&view_command, "--meshes",
                         "a folder that exists, with the mesh files of the recording", o->given_meshes);
  if (o->file && (o->control || o->token_file))
    return command_wrong(&view_command, "--file", "a recording alone, because it takes no commands",
                         "--control or --token-file");
  if (where_listen("--listen", o->listen, o->expose, &o->address, error, sizeof error)) return true;
  fprintf(stderr, "ali3-view: %s\n", error);
  return false;
}

/* -1: go on; otherwise the exit status. */
static int read_view_options(int argc, char **argv, struct view_options *o)
{
  *o = (struct view_options){.listen = "127.0.0.1:9466"};
  const int status = command_read(&view_command, argc, argv, o);
  if (status >= 0) return status;
  const bool good = optind == argc ? judge_view_options(o)
                                   : command_wrong(&view_command, "arguments", "options only", argv[optind]);
  return good ? -1 : command_refuse(&view_command);
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
  struct view_options o;
  const int usage = read_view_options(argc, argv, &o);
  if (usage >= 0) return usage;
  v.census.only = o.name;
  v.hosts = o.hosts;
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
  free(o.meshes);
  return status;
}
