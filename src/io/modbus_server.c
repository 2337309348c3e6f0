/* SPDX-License-Identifier: MIT
 * Sockets of the Modbus server: who is connected, whose bytes have come, who has kept others waiting too
 * long.
 *
 * Invariants: 1. no call here waits for a client: every socket is non-blocking, and modbus_receive(), which
 * waits for the rest of a frame, is never used; 2. libmodbus gets only requests that mbap_next() found well
 * formed and modbus_map_accept() agreed to; 3. the loop is touched only through the port: frames in, inputs
 * and commands out. */
#include "io/modbus_server.h"
#include "io/mbap.h"
#include "io/modbus_line.h"
#include "io/modbus_listen.h"
#include "io/modbus_service.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = 16,
  CLIENT_BUFFER = 2 * MBAP_ADU_MAX, /* a frame, and as much again of what follows it */
  SEND_BUFFER = 32768,              /* bytes of answers a client may leave unread */
  FD_LIMIT = 1024,                  /* libmodbus keeps descriptors in fd_sets */
  HALF_FRAME_MS = 1000,
  IDLE_MS = 30000,
  ACCEPT_PAUSE_MS = 100, /* after accept() failed for want of descriptors */
  RATE = 2000,           /* requests per second a client is served for long, */
  RATE_BURST = 500,      /* and how many at once */
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

struct client {
  int fd; /* -1: free */
  struct map_peer peer;
  uint64_t active_ns; /* connected, or last request */
  uint64_t half_ns;   /* since when the head of the buffer is an unfinished frame; 0: it is not */
  uint64_t paid_ns;   /* by the agreed rate, all requests so far are worth the time up to here */
  size_t used;
  uint8_t buffer[CLIENT_BUFFER];
};

struct modbus_server {
  struct modbus_service service;
  struct peers peers;
  int max_clients;
  uint64_t half_frame_ns, idle_ns;

  pthread_t thread;
  int listener, stop; /* stop: an eventfd */
  modbus_t *context;
  uint64_t accept_ns; /* not before */
  struct client client[CLIENTS_MAX];
  struct modbus_line line;
};

static void count(_Atomic uint64_t *counter)
{
  counter_add(counter, 1);
}

static void show_client_count(struct modbus_server *s)
{
  uint64_t n = 0;
  for (int i = 0; i < s->max_clients; i++) n += s->client[i].fd >= 0;
  counter_set(&s->service.counters->modbus_clients, n);
}

static void close_client(struct modbus_server *s, struct client *c)
{
  close(c->fd);
  c->fd = -1;
  modbus_map_release(&s->service.map, c->peer.id);
  show_client_count(s);
}

/* What libmodbus does not know: the answer is sent as a whole or not at all, like modbus_reply(). */
static int reply_pdu(struct client *c, uint8_t *adu, int n)
{
  int length = MBAP_HEADER + n;
  memcpy(adu, c->buffer, MBAP_HEADER);
  adu[4] = 0;
  adu[5] = (uint8_t)(n + 1);
  ssize_t sent = send(c->fd, adu, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0 && sent < length) errno = EAGAIN;
  return sent == length ? length : -1;
}

/* Serves the request at the head of the buffer. Returns < 0 if the answer could not be sent. */
static int answer(struct modbus_server *s, struct client *c, const struct mbap_request *r, uint64_t now_ns)
{
  uint8_t adu[MBAP_ADU_MAX];
  int n;
  const int exception = modbus_service_judge(&s->service, &c->peer, r, now_ns, adu + MBAP_HEADER, &n);
  modbus_set_socket(s->context, c->fd);
  if (exception) return modbus_reply_exception(s->context, c->buffer, (unsigned)exception);
  if (n > 0) return reply_pdu(c, adu, n);
  return modbus_reply(s->context, c->buffer, (int)r->length, s->service.map.mapping);
}

/* A client that asks faster than RATE is made to wait: its bytes stay where they are, nobody else notices. */
static bool may_ask(const struct client *c, uint64_t now_ns)
{
  return c->paid_ns <= now_ns + RATE_BURST * (NS_PER_S / RATE);
}

static void pay(struct client *c, uint64_t now_ns)
{
  if (c->paid_ns < now_ns) c->paid_ns = now_ns;
  c->paid_ns += NS_PER_S / RATE;
}

/* Serves every whole frame in the buffer, all of them from one frame of the loop. */
static void serve_buffer(struct modbus_server *s, struct client *c, uint64_t now_ns)
{
  struct mbap_request r;
  enum mbap_verdict verdict;
  modbus_service_refresh(&s->service);
  while ((verdict = mbap_next(c->buffer, c->used, &r)) == MBAP_FRAME && may_ask(c, now_ns)) {
    pay(c, now_ns);
    c->active_ns = now_ns;
    c->half_ns = 0;
    if (answer(s, c, &r, clock_now_ns()) < 0) { /* what came first is the older */
      /* Gone is gone; but a full socket, or half an answer in it, is a client that does not read. */
      if (errno != EPIPE && errno != ECONNRESET) count(&s->service.counters->modbus_dropped);
      close_client(s, c);
      return;
    }
    c->used -= r.length;
    memmove(c->buffer, c->buffer + r.length, c->used);
  }
  if (verdict == MBAP_BAD) {
    count(&s->service.counters->modbus_bad_frames);
    close_client(s, c);
    return;
  }
  bool half = verdict == MBAP_MORE && c->used > 0;
  if (!half)
    c->half_ns = 0;
  else if (c->half_ns == 0)
    c->half_ns = now_ns;
}

static bool whole_frame_waits(const struct client *c)
{
  struct mbap_request r;
  return mbap_next(c->buffer, c->used, &r) == MBAP_FRAME;
}

static void read_client(struct modbus_server *s, struct client *c)
{
  ssize_t n = recv(c->fd, c->buffer + c->used, sizeof c->buffer - c->used, MSG_DONTWAIT);
  if (n > 0) {
    c->used += (size_t)n;
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    if (c->half_ns) count(&s->service.counters->modbus_half_frames);
    close_client(s, c);
  }
}

/* The instant by which a client has to have done something. */
static uint64_t client_deadline(const struct modbus_server *s, const struct client *c)
{
  uint64_t idle = c->active_ns + s->idle_ns;
  uint64_t half = c->half_ns ? c->half_ns + s->half_frame_ns : UINT64_MAX;
  return idle < half ? idle : half;
}

static void close_if_late(struct modbus_server *s, struct client *c, uint64_t now_ns)
{
  if (now_ns < client_deadline(s, c)) return;
  count(c->half_ns ? &s->service.counters->modbus_half_frames : &s->service.counters->modbus_idle_closed);
  close_client(s, c);
}

static struct client *free_client(struct modbus_server *s)
{
  for (int i = 0; i < s->max_clients; i++)
    if (s->client[i].fd < 0) return &s->client[i];
  return NULL;
}

/* -1 where nobody waits, or nobody can be let in. */
static int accept_one(struct modbus_server *s, union address *from, uint64_t now_ns)
{
  int fd = accept4(s->listener, &from->any, &(socklen_t){sizeof *from}, SOCK_NONBLOCK | SOCK_CLOEXEC);
  /* Otherwise the listener stays readable and the thread would spin. */
  if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
    s->accept_ns = now_ns + ACCEPT_PAUSE_MS * NS_PER_MS;
  return fd;
}

static void accept_clients(struct modbus_server *s, uint64_t now_ns)
{
  union address from;
  int fd;
  while ((fd = accept_one(s, &from, now_ns)) >= 0) {
    const enum access access = peers_access(&s->peers, &from.any);
    struct client *c = free_client(s);
    if (access == ACCESS_NONE || !c || fd >= FD_LIMIT) {
      count(access == ACCESS_NONE ? &s->service.counters->modbus_denied
                                  : &s->service.counters->modbus_refused);
      close(fd);
      continue;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SEND_BUFFER}, sizeof(int));
    *c = (struct client){.fd = fd, .peer.access = access, .active_ns = now_ns};
    clients_address_text(&from.any, c->peer.name);
    modbus_service_meet(&s->service, &c->peer);
    count(&s->service.counters->modbus_accepted);
    show_client_count(s);
  }
}

/* Waits until a client sends, or one has kept us waiting too long. */
static void wait_for_events(struct modbus_server *s, struct pollfd events[static EVENTS])
{
  uint64_t now_ns = clock_now_ns(), wake_ns = modbus_line_deadline(&s->line);
  events[EVENT_STOP] = (struct pollfd){.fd = s->stop, .events = POLLIN};
  events[EVENT_LISTENER] = (struct pollfd){.fd = s->listener, .events = POLLIN};
  events[EVENT_LINE] = (struct pollfd){.fd = s->line.serial.fd, .events = POLLIN};
  if (now_ns < s->accept_ns) {
    events[EVENT_LISTENER].fd = -1;
    if (s->accept_ns < wake_ns) wake_ns = s->accept_ns;
  }
  for (int i = 0; i < CLIENTS_MAX; i++) {
    const struct client *c = &s->client[i];
    events[EVENT_CLIENT + i] = (struct pollfd){.fd = c->fd, .events = POLLIN};
    if (c->fd < 0) continue;
    uint64_t until = client_deadline(s, c);
    if (whole_frame_waits(c)) { /* held back by its rate */
      events[EVENT_CLIENT + i].events = 0;
      until = now_ns + NS_PER_MS;
    }
    if (until < wake_ns) wake_ns = until;
  }

  int timeout_ms = -1;
  if (wake_ns != UINT64_MAX)
    timeout_ms = wake_ns > now_ns ? (int)((wake_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
  if (poll(events, EVENTS, timeout_ms) < 0)
    for (int i = 0; i < EVENTS; i++) events[i].revents = 0;
}

static void *run(void *arg)
{
  struct modbus_server *s = arg;
  struct pollfd events[EVENTS];
  for (;;) {
    wait_for_events(s, events);
    if (events[EVENT_STOP].revents) return NULL;
    for (int i = 0; i < CLIENTS_MAX; i++) {
      struct client *c = &s->client[i];
      if (c->fd < 0) continue;
      uint64_t now_ns = clock_now_ns();
      if (events[EVENT_CLIENT + i].revents) read_client(s, c);
      if (c->fd >= 0) serve_buffer(s, c, now_ns);
      if (c->fd >= 0) close_if_late(s, c, now_ns);
    }
    modbus_line_serve(&s->line, &s->service, events[EVENT_LINE].revents, clock_now_ns());
    modbus_service_refresh(&s->service);
    if (events[EVENT_LISTENER].revents) accept_clients(s, clock_now_ns());
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
    if (s->client[i].fd >= 0) close_client(s, &s->client[i]);
  if (s->listener >= 0) close(s->listener);
  if (s->stop >= 0) close(s->stop);
  if (s->context) modbus_free(s->context);
  modbus_line_close(&s->line);
  modbus_map_free(&s->service.map);
  free(s);
}

static bool open_server(struct modbus_server *s, const struct modbus_config *config, char *error, size_t size)
{
  s->stop = eventfd(0, EFD_CLOEXEC);
  s->context = modbus_new_tcp("127.0.0.1", 0); /* never connects: only lends its encoder to our sockets */
  if (s->stop < 0 || !s->context) {
    snprintf(error, size, "modbus: cannot start the server: %s", strerror(errno));
    return false;
  }
  if (config->tcp && (s->listener = modbus_listen(config, error, size)) < 0) return false;
  return !config->serial.path || modbus_line_open(&s->line, config, &s->service, error, size);
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
  s->service = (struct modbus_service){.port = port, .counters = counters};
  if (config->peers) s->peers = *config->peers;
  s->max_clients = config->max_clients < CLIENTS_MAX ? config->max_clients : CLIENTS_MAX;
  s->half_frame_ns = (uint64_t)(config->half_frame_ms ? config->half_frame_ms : HALF_FRAME_MS) * NS_PER_MS;
  s->idle_ns = (uint64_t)(config->idle_ms ? config->idle_ms : IDLE_MS) * NS_PER_MS;
  s->listener = s->line.serial.fd = -1;
  for (int i = 0; i < CLIENTS_MAX; i++) s->client[i].fd = -1;

  if (!open_server(s, config, error, size)) {
    free_server(s);
    return NULL;
  }
  int e = modbus_map_init(&s->service.map, config, signals)
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
