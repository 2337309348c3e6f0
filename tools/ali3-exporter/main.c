/* SPDX-License-Identifier: MIT
 * ali3-exporter: the figures of ali3-top over HTTP. It cannot disturb the daemons: it copies their blocks, sends them
 * nothing, and runs at low priority. */
#include "census.h"
#include "command/command_line.h"
#include "common/output.h"
#include "common/step_back.h"
#include "http/listener.h"
#include "http/where.h"
#include "oscquery.h"
#include "prometheus.h"
#include "server.h"
#include "telemetry/read.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

struct options {
  const char *instance;
  const char *listen, *describe; /* as given; describe NULL: no OSCQuery */
  struct address address, oscquery;
  struct hosts hosts;
  bool once, expose;
};

static bool take_host(char *name, void *options);

static const struct command_option exporter_options[] = {
    COMMAND_TEXT(struct options, instance, "name", "INSTANCE",
                 "serve this daemon only, running or not (default: all daemons)"),
    COMMAND_TEXT(struct options, listen, "listen", "ADDRESS:PORT",
                 "numeric address, IPv6 in brackets; port 0: any (default 127.0.0.1:9464)"),
    COMMAND_TEXT(
        struct options, describe, "oscquery", "ADDRESS:PORT",
        "also describe the OSC addresses of one daemon there, for OSCQuery clients: of the daemon of "
        "--name, else of the one started last"),
    COMMAND_SWITCH(struct options, expose, "expose", "allow an address that other machines can reach"),
    COMMAND_OTHER(
        take_host, "host", "NAME",
        "also answer requests for this host name; needed by clients that use neither localhost nor the "
        "address; up to 16 times"),
    COMMAND_SWITCH(struct options, once, "once", "print the text of /metrics, and exit"),
    {0},
};
static const struct command_line exporter_command = {
    .name = "ali3-exporter",
    .head = "Usage: ali3-exporter [--name INSTANCE] [--listen ADDRESS:PORT] [--oscquery ADDRESS:PORT]\n"
            "                     [--expose] [--host NAME]...\n"
            "       ali3-exporter --once [--name INSTANCE]\n"
            "\n"
            "Serves the figures of running ali3d, read from shared memory, over HTTP.\n",
    .tail = "  /metrics           text format of Prometheus\n"
            "  /api/v1/instances  list of the daemons, JSON\n"
            "  /api/v1/status     one daemon, like ali3-top --json; ?name=INSTANCE (default: the one started "
            "last)\n"
            "  /healthz           200 healthy, 503 degraded or gone; ?name=INSTANCE (default: all)\n"
            "\n"
            "Exit status: 0 ended by a signal, or printed; 1 cannot serve or print; 2 wrong usage\n",
    .option = exporter_options,
    .wrong = EXIT_USAGE};

static bool take_host(char *name, void *options)
{
  struct options *o = options;
  char error[300];
  if (where_host(&o->hosts, name, error, sizeof error)) return true;
  fprintf(stderr, "ali3-exporter: %s\n", error);
  return false;
}

/* -1: go on; otherwise the exit status. */
static int read_options(int argc, char **argv, struct options *o)
{
  char error[300] = "";
  *o = (struct options){.listen = "127.0.0.1:9464"};
  const int status = command_read(&exporter_command, argc, argv, o);
  if (status >= 0) return status;
  bool good = optind == argc || command_wrong(&exporter_command, "arguments", "options only", argv[optind]);
  if (good && o->instance && !telemetry_valid_name(o->instance))
    good = command_wrong(&exporter_command, "--name", "1 to 63 of A-Z a-z 0-9 _ -", o->instance);
  /* Addresses, when it is known whether others may reach them. */
  const bool heard =
      good && where_listen("--listen", o->listen, o->expose, &o->address, error, sizeof error) &&
      (!o->describe || where_listen("--oscquery", o->describe, o->expose, &o->oscquery, error, sizeof error));
  if (heard) return -1;
  if (good) fprintf(stderr, "ali3-exporter: %s\n", error);
  return command_refuse(&exporter_command);
}

static int print_once(struct census *c)
{
  census_take(c);
  prometheus_write(c, stdout);
  if (fflush(stdout) == 0) return EXIT_SUCCESS;
  fprintf(stderr, "ali3-exporter: cannot print: %s\n", strerror(errno));
  return EXIT_FAILURE;
}

static void figures_page(const struct request *r, void *context, struct page *page)
{
  struct census *c = context;
  census_take(c);
  page_make(r, c, page);
}

static void osc_page(const struct request *r, void *context, struct page *page)
{
  const struct options *o = context;
  oscquery_page(r, o->instance, page);
}

/* Returns NULL after printing the reason. */
static struct server *open_server(struct address *at, const struct hosts *hosts, server_page *make,
                                  void *context, char *text, size_t size)
{
  const int listener = listener_open(at);
  address_text(at, text, size);
  if (listener < 0) {
    fprintf(stderr, "ali3-exporter: %s: %s\n", text, strerror(errno));
    return NULL;
  }
  struct server *server = server_start(listener, hosts, make, context);
  if (!server) fprintf(stderr, "ali3-exporter: %s: libmicrohttpd cannot serve there\n", text);
  return server;
}

/* Returns the signal that ends the program. */
static int wait_for_end(const sigset_t *ends, struct server *server, struct server *second)
{
  const struct timespec second_long = {.tv_sec = 1};
  for (;;) {
    const int number = sigtimedwait(ends, NULL, &second_long);
    if (number > 0) return number;
    server_sweep(server);
    if (second) server_sweep(second);
  }
}

static int serve_pages(struct options *o, struct census *c)
{
  char address[64], oscquery[64], scheduling[64];
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, NULL); /* the threads of the servers inherit this mask */
  signal(SIGPIPE, SIG_IGN);
  step_back(scheduling, sizeof scheduling);

  struct server *server = open_server(&o->address, &o->hosts, figures_page, c, address, sizeof address),
                *second = NULL;
  if (!server) return EXIT_FAILURE;
  if (o->describe &&
      !(second = open_server(&o->oscquery, &o->hosts, osc_page, o, oscquery, sizeof oscquery))) {
    server_stop(server);
    return EXIT_FAILURE;
  }
  printf("ali3-exporter: http://%s/metrics of %s; %s, %s; at most %d connections, %d from one address\n",
         address, o->instance ? o->instance : "all instances", second ? "two threads" : "one thread",
         scheduling, SERVER_CONNECTIONS, SERVER_CONNECTIONS_PER_IP);
  if (second) printf("ali3-exporter: OSCQuery on http://%s/\n", oscquery);
  fflush(stdout);
  const int number = wait_for_end(&ends, server, second);
  if (second) server_stop(second);
  server_stop(server);
  printf("ali3-exporter: SIG%s: ended\n", sigabbrev_np(number));
  return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  static struct census census; /* a megabyte */
  struct options o;
  const int status = read_options(argc, argv, &o);
  if (status >= 0) return status;
  census.only = o.instance;
  return o.once ? print_once(&census) : serve_pages(&o, &census);
}
