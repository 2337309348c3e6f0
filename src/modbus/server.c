/* SPDX-License-Identifier: MIT
 * The thread of the Modbus server: waits for clients and the line, lets clients in, and shuts them out.
 *
 * Invariants: 1. no call here waits for a client: every socket is non-blocking, and modbus_receive(), which
 * waits for the rest of a frame, is never used; 2. libmodbus gets only requests that mbap_next() found well
 * formed and modbus_map_accept() agreed to; 3. the loop is touched only through the port: frames in, inputs
 * and commands out. */
#include "modbus/server.h"
#include "modbus/connection.h"
#include "modbus/line.h"
#include "modbus/listen.h"
#include "modbus/places.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = PLACES_MAX,
  FD_LIMIT = 1024, /* libmodbus keeps descriptors in fd_sets */
  HALF_FRAME_MS = 1000,
  IDLE_MS = 30000,
  ACCEPT_PAUSE_MS = 100, /* after accept() failed for want of descriptors */
  ACCEPTS_A_TURN = 16,   /* then a rest, in which only those who are connected are served */
  ACCEPT_REST_MS = 2,
  LOOK_MS = 5, /* how often a stream that brings values is seen to be empty, see stream_arrival.h */
  STACK_KB = 128,
};

/* Of poll(): stop, listener, line, clients. */
enum { EVENT_STOP, EVENT_LISTENER, EVENT_LINE, EVENT_CLIENT, EVENTS = EVENT_CLIENT + CLIENTS_MAX };

#define NS_PER_MS UINT64_C(1000000)

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

struct modbus_server {
  struct modbus_desk desk;
  struct peers peers;
  int max_clients;

  pthread_t thread;
  int listener, stop;      /* stop: an eventfd */
  uint64_t accept_ns;      /* not before */
  uint64_t none_waited_ns; /* nobody was waiting to be let in, then or later */
  struct modbus_connection client[CLIENTS_MAX];
  struct modbus_line line;
};

static void count_one(_Atomic uint64_t *counter)
{
  counter_add(counter, 1);
}

static void show_client_count(struct modbus_server *s)
{
  uint64_t n = 0;
  for (int i = 0; i < s->max_clients; i++) n += s->client[i].fd >= 0;
  counter_set(&s->desk.service.counters->modbus_clients, n);
}

/* -1 where nobody waits, or nobody can be let in. */
static int accept_one(struct modbus_server *s, union address *from, uint64_t now_ns)
{
  int fd = accept4(s->listener, &from->any, &(socklen_t){sizeof *from}, SOCK_NONBLOCK | SOCK_CLOEXEC);
  /* Otherwise the listener stays readable and the thread would spin. */
  if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
    s->accept_ns = now_ns + ACCEPT_PAUSE_MS * NS_PER_MS;
  if (fd < 0 && errno == EAGAIN) s->none_waited_ns = now_ns;
  return fd;
}

/* The place for a newcomer, empty; NULL: there is none. */
static struct modbus_connection *find_place(struct modbus_server *s, const struct place *newcomer)
{
  struct place place[CLIENTS_MAX];
  for (int i = 0; i < s->max_clients; i++) {
    const struct modbus_connection *c = &s->client[i];
    place[i] = (struct place){.taken = c->fd >= 0, .access = c->peer.access, .heard_ns = c->active_ns};
    memcpy(place[i].host, c->host, sizeof c->host);
  }
  const int i = places_choose(place, s->max_clients, newcomer);
  if (i < 0) return NULL;
  if (place[i].taken) {
    count_one(&s->desk.service.counters->modbus_replaced);
    modbus_connection_close(&s->desk, &s->client[i]);
  }
  return &s->client[i];
}

static void let_in(struct modbus_server *s, int fd, const union address *from, uint64_t now_ns)
{
  struct counters *counters = s->desk.service.counters;
  struct place newcomer = {.taken = true, .access = peers_access(&s->peers, &from->any), .heard_ns = now_ns};
  struct modbus_connection *c = NULL;
  if (newcomer.access != ACCESS_NONE && peers_host(&from->any, newcomer.host) && fd < FD_LIMIT)
    c = find_place(s, &newcomer);
  if (!c) {
    count_one(newcomer.access == ACCESS_NONE ? &counters->modbus_denied : &counters->modbus_refused);
    close(fd);
    return;
  }
  modbus_connection_prepare(fd);
  *c = (struct modbus_connection){.fd = fd, .peer.access = newcomer.access, .active_ns = now_ns};
  memcpy(c->host, newcomer.host, sizeof c->host);
  stream_begin(&c->arrival, s->none_waited_ns);
  clients_address_text(&from->any, c->peer.name);
  modbus_service_meet(&s->desk.service, &c->peer);
  count_one(&counters->modbus_accepted);
}

/* Few a turn, and then a rest: a storm of connections must not hold up those who are connected. The rest is what counts: without
 * it this thread uses up its share of the processor, and the scheduler makes it wait for milliseconds. */
static void accept_clients(struct modbus_server *s, uint64_t now_ns)
{
  union address from;
  int fd;
  for (int i = 0; i < ACCEPTS_A_TURN; i++) {
    if ((fd = accept_one(s, &from, now_ns)) < 0) return;
    let_in(s, fd, &from, now_ns);
  }
  s->accept_ns = now_ns + ACCEPT_REST_MS * NS_PER_MS;
}

/* Fills in what to wait for. Returns the instant to wake at even if nothing comes; UINT64_MAX: none. */
static uint64_t ask_for_events(const struct modbus_server *s, struct pollfd events[static EVENTS],
                               uint64_t now_ns)
{
  uint64_t wake_ns = modbus_line_deadline(&s->line);
  bool values = s->line.serial.fd >= 0; /* may come, whose age matters */
  events[EVENT_STOP] = (struct pollfd){.fd = s->stop, .events = POLLIN};
  events[EVENT_LISTENER] = (struct pollfd){.fd = s->listener, .events = POLLIN};
  events[EVENT_LINE] = (struct pollfd){.fd = s->line.serial.fd, .events = POLLIN};
  if (now_ns < s->accept_ns) {
    events[EVENT_LISTENER].fd = -1;
    if (s->accept_ns < wake_ns) wake_ns = s->accept_ns;
  }
  for (int i = 0; i < CLIENTS_MAX; i++) {
    const struct modbus_connection *c = &s->client[i];
    events[EVENT_CLIENT + i] = (struct pollfd){.fd = c->fd, .events = POLLIN};
    if (c->fd < 0) continue;
    uint64_t until = modbus_connection_deadline(&s->desk, c);
    if (modbus_connection_is_held(c)) {
      events[EVENT_CLIENT + i].events = 0;
      until = now_ns + NS_PER_MS;
    }
    values |= c->writes;
    if (until < wake_ns) wake_ns = until;
  }
  if (values && now_ns + LOOK_MS * NS_PER_MS < wake_ns) wake_ns = now_ns + LOOK_MS * NS_PER_MS;
  return wake_ns;
}

/* What poll() looked at and found nothing to read in was empty at that instant, or later. */
static void note_silence(struct modbus_server *s, const struct pollfd events[static EVENTS], uint64_t at_ns)
{
  const struct pollfd *listener = &events[EVENT_LISTENER], *line = &events[EVENT_LINE];
  if (listener->fd >= 0 && !listener->revents) s->none_waited_ns = at_ns;
  if (line->fd >= 0 && !line->revents) stream_seen_empty(&s->line.arrival, at_ns);
  for (int i = 0; i < CLIENTS_MAX; i++) {
    const struct pollfd *e = &events[EVENT_CLIENT + i];
    if (e->fd >= 0 && e->events && !e->revents) stream_seen_empty(&s->client[i].arrival, at_ns);
  }
}

/* Waits until a client sends, or one has kept us waiting too long. */
static void wait_for_events(struct modbus_server *s, struct pollfd events[static EVENTS])
{
  kernel_clock_look(&s->desk.clock);
  const uint64_t now_ns = clock_now_ns(), wake_ns = ask_for_events(s, events, now_ns);
  int timeout_ms = -1;
  if (wake_ns != UINT64_MAX)
    timeout_ms = wake_ns > now_ns ? (int)((wake_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
  const int ready = poll(events, EVENTS, timeout_ms);
  if (ready < 0)
    for (int i = 0; i < EVENTS; i++) events[i].revents = 0;
  else /* where the time was up it looked once more at the end of it */
    note_silence(s, events, ready == 0 ? now_ns + (uint64_t)timeout_ms * NS_PER_MS : now_ns);
}

static void *run(void *arg)
{
  struct modbus_server *s = arg;
  struct modbus_desk *d = &s->desk;
  struct pollfd events[EVENTS];
  thread_favour_self();
  for (;;) {
    wait_for_events(s, events);
    if (events[EVENT_STOP].revents) return NULL;
    for (int i = 0; i < CLIENTS_MAX; i++) {
      struct modbus_connection *c = &s->client[i];
      if (c->fd < 0) continue;
      uint64_t now_ns = clock_now_ns();
      if (events[EVENT_CLIENT + i].revents) modbus_connection_read(d, c);
      if (c->fd >= 0) modbus_connection_serve(d, c, now_ns);
      if (c->fd >= 0) modbus_connection_close_if_late(d, c, now_ns);
    }
    modbus_line_serve(&s->line, &d->service, events[EVENT_LINE].revents, clock_now_ns());
    modbus_service_refresh(&d->service);
    if (events[EVENT_LISTENER].revents) accept_clients(s, clock_now_ns());
    show_client_count(s);
  }
}

/* poll() refuses more events than the process may have descriptors, used or not: the thread would spin, and never
 * hear that it is to stop. */
static bool may_poll(char *error, size_t size)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= EVENTS) return true;
  snprintf(error, size, "modbus: expected room for %d open files at least, found a limit of %d (ulimit -n)",
           EVENTS, (int)files.rlim_cur);
  return false;
}

static void free_server(struct modbus_server *s)
{
  for (int i = 0; i < CLIENTS_MAX; i++)
    if (s->client[i].fd >= 0) modbus_connection_close(&s->desk, &s->client[i]);
  if (s->listener >= 0) close(s->listener);
  if (s->stop >= 0) close(s->stop);
  if (s->desk.context) modbus_free(s->desk.context);
  modbus_line_close(&s->line);
  modbus_map_free(&s->desk.service.map);
  free(s);
}

static bool open_server(struct modbus_server *s, const struct modbus_config *config, char *error, size_t size)
{
  s->stop = eventfd(0, EFD_CLOEXEC);
  s->desk.context =
      modbus_new_tcp("127.0.0.1", 0); /* never connects: only lends its encoder to our sockets */
  if (s->stop < 0 || !s->desk.context) {
    snprintf(error, size, "modbus: cannot start the server: %s", strerror(errno));
    return false;
  }
  if (config->tcp && (s->listener = modbus_listen(config, error, size)) < 0) return false;
  return !config->serial.path || modbus_line_open(&s->line, config, &s->desk.service, error, size);
}

struct modbus_server *modbus_server_start(const struct modbus_config *config, const struct signals *signals,
                                          struct port *port, struct counters *counters, char *error,
                                          size_t size)
{
  if (!may_poll(error, size)) return NULL;
  struct modbus_server *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(error, size, "modbus: out of memory");
    return NULL;
  }
  s->desk.service = (struct modbus_service){.port = port, .counters = counters};
  s->peers = config->peers;
  s->max_clients = config->max_clients < CLIENTS_MAX ? config->max_clients : CLIENTS_MAX;
  s->desk.half_frame_ns =
      (uint64_t)(config->half_frame_ms ? config->half_frame_ms : HALF_FRAME_MS) * NS_PER_MS;
  s->desk.idle_ns = (uint64_t)(config->idle_ms ? config->idle_ms : IDLE_MS) * NS_PER_MS;
  s->listener = s->line.serial.fd = -1;
  s->none_waited_ns = clock_now_ns();
  for (int i = 0; i < CLIENTS_MAX; i++) s->client[i].fd = -1;

  if (!open_server(s, config, error, size)) {
    free_server(s);
    return NULL;
  }
  int e = modbus_map_init(&s->desk.service.map, config, signals)
              ? thread_start_ordinary(&s->thread, "modbus", STACK_KB, run, s)
              : ENOMEM;
  if (e) {
    snprintf(error, size, "modbus: cannot start the server: %s", strerror(e));
    free_server(s);
    return NULL;
  }
  return s;
}

bool modbus_server_line_is_lost(const struct modbus_server *s)
{
  return serial_line_is_lost(&s->line.serial);
}

int modbus_server_port(const struct modbus_server *s)
{
  union address a = {.v6 = {0}};
  if (getsockname(s->listener, &a.any, &(socklen_t){sizeof a}) != 0) return -1;
  return ntohs(a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port);
}

void modbus_server_stop(struct modbus_server *s)
{
  if (!s) return;
  while (write(s->stop, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno == EINTR) continue;
  pthread_join(s->thread, NULL);
  free_server(s);
}
