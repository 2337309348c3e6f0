/* SPDX-License-Identifier: MIT
 * The thread of the Modbus server: waits for clients and the serial line, accepts clients and disconnects them.
 *
 * Invariants: 1. No call here waits for a client: every socket is non-blocking, and modbus_receive(), which waits for
 * the rest of a frame, is never used. 2. libmodbus gets only requests that mbap_next() found well formed and
 * modbus_map_accept() accepted. 3. The thread reaches the loop only through the port: frames in, inputs and commands
 * out. */
#include "modbus_server/server.h"
#include "modbus_server/admission.h"
#include "modbus_server/connection.h"
#include "modbus_server/line.h"
#include "rt/clock.h"
#include "rt/realtime.h"
#include "transport/inet_address.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = ADMISSION_MAX,
  FD_LIMIT = 1024, /* libmodbus keeps descriptors in fd_sets */
  /* Length of the listen queue. A short queue lets the kernel slow down a storm of connections, and a client behind the
   * storm waits a short time only. */
  WAITING_MAX = 256,
  HALF_FRAME_MS = 1000,
  IDLE_MS = 30000,
  ACCEPT_PAUSE_MS = 100, /* after accept() failed because no descriptor was free */
  ACCEPTS_A_TURN = 16,   /* then the listener rests, and only connected clients are served */
  ACCEPT_REST_MS = 2,
  /* Interval at which a stream that brings values is checked for being empty, see stream_arrival.h. */
  LOOK_MS = 5,
  STACK_KB = 128,
};

/* Events of poll(): stop, listener, line, clients. */
enum { EVENT_STOP, EVENT_LISTENER, EVENT_LINE, EVENT_CLIENT, EVENTS = EVENT_CLIENT + CLIENTS_MAX };

#define NS_PER_MS UINT64_C(1000000)

struct modbus_server {
  struct modbus_desk desk;
  struct peers peers;
  int max_clients;

  int listener, stop;      /* `stop` belongs to the endpoint */
  uint64_t accept_ns;      /* earliest time of the next accept() */
  uint64_t none_waited_ns; /* the listen queue was empty at this time or later */
  struct modbus_connection client[CLIENTS_MAX];
  struct modbus_line line;
};

static void show_client_count(struct modbus_server *s)
{
  uint64_t n = 0;
  for (int i = 0; i < s->max_clients; i++) n += s->client[i].fd >= 0;
  counter_set(&s->desk.service.counters->modbus_clients, n);
}

/* Returns -1 if no client waits or none can be accepted. */
static int accept_one(struct modbus_server *s, struct inet_address *from, uint64_t now_ns)
{
  from->length = sizeof from->name;
  int fd = accept4(s->listener, &from->name.any, &from->length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  /* Pause: the listener stays readable, and the thread would spin. */
  if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
    s->accept_ns = now_ns + ACCEPT_PAUSE_MS * NS_PER_MS;
  if (fd < 0 && errno == EAGAIN) s->none_waited_ns = now_ns;
  return fd;
}

/* Returns an empty place for a newcomer, or NULL if there is none. */
static struct modbus_connection *admit_newcomer(struct modbus_server *s, const struct admission *newcomer)
{
  struct admission held[CLIENTS_MAX];
  for (int i = 0; i < s->max_clients; i++) {
    const struct modbus_connection *c = &s->client[i];
    held[i] = (struct admission){.taken = c->fd >= 0, .access = c->peer.access, .heard_ns = c->active_ns};
    memcpy(held[i].host, c->host, sizeof c->host);
  }
  const int i = admission_choose(held, s->max_clients, newcomer);
  if (i < 0) return NULL;
  if (held[i].taken) {
    counter_add(&s->desk.service.counters->modbus_replaced, 1);
    modbus_connection_close(&s->desk, &s->client[i]);
  }
  return &s->client[i];
}

static void tell_full(struct modbus_server *s, const struct inet_address *from)
{
  char client[CLIENT_NAME];
  clients_address_text(&from->name.any, client);
  port_tell_stray(s->desk.service.port, STRAY_REFUSED, "a connection",
                  "modbus.max_clients are connected, or half of them from this host", client);
}

static void let_in(struct modbus_server *s, int fd, const struct inet_address *from, uint64_t now_ns)
{
  struct counters *counters = s->desk.service.counters;
  struct admission newcomer = {
      .taken = true, .access = peers_access(&s->peers, &from->name.any), .heard_ns = now_ns};
  /* Find a place if the peer has access. */
  struct modbus_connection *c = NULL;
  if (newcomer.access != ACCESS_NONE && peers_host(&from->name.any, newcomer.host) && fd < FD_LIMIT)
    c = admit_newcomer(s, &newcomer);
  if (!c) {
    counter_add(newcomer.access == ACCESS_NONE ? &counters->modbus_denied : &counters->modbus_refused, 1);
    if (newcomer.access == ACCESS_NONE)
      port_tell_stranger(s->desk.service.port, &from->name.any);
    else
      tell_full(s, from);
    close(fd);
    return;
  }
  /* Begin the connection. */
  modbus_connection_prepare(fd);
  *c = (struct modbus_connection){.fd = fd, .peer.access = newcomer.access, .active_ns = now_ns};
  memcpy(c->host, newcomer.host, sizeof c->host);
  stream_begin(&c->arrival, s->none_waited_ns);
  clients_address_text(&from->name.any, c->peer.name);
  modbus_service_meet(&s->desk.service, &c->peer);
  counter_add(&counters->modbus_accepted, 1);
}

/* Accepts few clients per turn, then rests, so that a storm of connections does not delay connected clients. Without
 * the rest this thread uses up its share of the processor, and the scheduler lets it wait for milliseconds. */
static void accept_clients(struct modbus_server *s, uint64_t now_ns)
{
  struct inet_address from;
  int fd;
  for (int i = 0; i < ACCEPTS_A_TURN; i++) {
    if ((fd = accept_one(s, &from, now_ns)) < 0) return;
    let_in(s, fd, &from, now_ns);
  }
  s->accept_ns = now_ns + ACCEPT_REST_MS * NS_PER_MS;
}

/* Fills in the events to wait for. Returns the time to wake up without an event; UINT64_MAX: never. */
static uint64_t ask_for_events(const struct modbus_server *s, struct pollfd events[static EVENTS],
                               uint64_t now_ns)
{
  uint64_t wake_ns = modbus_line_deadline(&s->line);
  bool values = s->line.serial.fd >= 0; /* the line may bring values, whose age matters */
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

/* A source that poll() found empty was empty at this time or later. */
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

/* Waits until a client sends or a timeout expires. */
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
  else /* after a timeout poll() looks at every source once more */
    note_silence(s, events, ready == 0 ? now_ns + (uint64_t)timeout_ms * NS_PER_MS : now_ns);
}

static void *run_server(void *server)
{
  struct modbus_server *s = server;
  struct modbus_desk *d = &s->desk;
  struct pollfd events[EVENTS];
  thread_favour_self();
  for (;;) {
    wait_for_events(s, events);
    if (events[EVENT_STOP].revents) return NULL;
    /* Connected clients first, newcomers last. */
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

/* --- the endpoint --- */

/* poll() refuses more events than the limit of open files, used or not. The thread would then spin and never see its
 * stop event. */
static bool may_poll(char *error, size_t size)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= EVENTS) return true;
  snprintf(error, size,
           "modbus: the limit of open files is %d, expected at least %d; raise it with ulimit -n",
           (int)files.rlim_cur, EVENTS);
  return false;
}

/* Returns a non-blocking listening socket, or -1 with the reason in error[size]. */
static int open_listener(const struct modbus_config *config, char *error, size_t size)
{
  struct inet_address at;
  if (inet_address_parse(config->bind, config->port, &at) != 0) {
    snprintf(error, size, "modbus: expected a numeric address to listen on, found \"%s\"", config->bind);
    return -1;
  }
  int fd = socket(at.name.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0 &&
      bind(fd, &at.name.any, at.length) == 0 && listen(fd, WAITING_MAX) == 0) {
    kernel_stamp_ask(fd);
    return fd;
  }
  /* Tell the reason and what to do. */
  const char *hint = errno == EACCES
                         ? "; change modbus.port or grant CAP_NET_BIND_SERVICE, which ports below 1024 need"
                     : errno == EADDRINUSE ? "; change modbus.port or stop the program that has the port"
                                           : "";
  snprintf(error, size, "modbus: cannot listen on %s port %d: %s%s", config->bind, config->port,
           strerror(errno), hint);
  if (fd >= 0) close(fd);
  return -1;
}

static void set_limits(struct modbus_server *s, const struct modbus_config *config)
{
  struct modbus_desk *d = &s->desk;
  s->peers = config->peers;
  s->max_clients = config->max_clients < CLIENTS_MAX ? config->max_clients : CLIENTS_MAX;
  d->half_frame_ns = (uint64_t)(config->half_frame_ms ? config->half_frame_ms : HALF_FRAME_MS) * NS_PER_MS;
  d->idle_ns = (uint64_t)(config->idle_ms ? config->idle_ms : IDLE_MS) * NS_PER_MS;
}

static bool start_server(struct endpoint *e, char *error, size_t size)
{
  struct modbus_server *s = e->state;
  const struct modbus_config *config = e->config;
  /* close_server() needs these fields, so set them first. */
  s->stop = e->stop;
  s->listener = s->line.serial.fd = -1;
  for (int i = 0; i < CLIENTS_MAX; i++) s->client[i].fd = -1;
  s->desk.service = (struct modbus_service){.port = e->port,
                                            .counters = e->counters,
                                            .parameter = config->parameter,
                                            .parameters = config->parameters};
  s->none_waited_ns = clock_now_ns();
  set_limits(s, config);

  if (!may_poll(error, size)) return false;
  s->desk.context = modbus_new_tcp("127.0.0.1", 0); /* never connects; only its encoder is used */
  if (!s->desk.context || !modbus_map_init(&s->desk.service.map, config, e->signals))
    return endpoint_fail(e, ENOMEM, error, size);
  s->desk.service.map.port = e->port;
  if (config->tcp && (s->listener = open_listener(config, error, size)) < 0) return false;
  if (config->serial.path && !modbus_line_open(&s->line, config, &s->desk.service, error, size)) return false;
  return endpoint_run(e, "modbus", STACK_KB, run_server, s, error, size);
}

static void close_server(struct endpoint *e)
{
  struct modbus_server *s = e->state;
  for (int i = 0; i < CLIENTS_MAX; i++)
    if (s->client[i].fd >= 0) modbus_connection_close(&s->desk, &s->client[i]);
  if (s->listener >= 0) close(s->listener);
  if (s->desk.context) modbus_free(s->desk.context);
  modbus_line_close(&s->line);
  modbus_map_free(&s->desk.service.map);
}

int modbus_server_port(const struct endpoint *e)
{
  const struct modbus_server *s = e->state;
  struct inet_address at;
  return inet_address_of(s->listener, &at) ? inet_address_port(&at) : -1;
}

static void server_text(const struct endpoint *e, char *text, size_t size)
{
  const struct modbus_config *config = e->config;
  const struct serial_config *line = &config->serial;
  char place[300] = "";
  if (line->path) serial_config_text(line, place, sizeof place);
  int used = snprintf(text, size, "Modbus");
  if (config->tcp)
    used += snprintf(text + used, size - (size_t)used, " %s:%d%s", config->bind, modbus_server_port(e),
                     line->path ? "," : "");
  if (line->path && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, " %s unit %d", place, config->unit);
}

static bool map_server(const struct endpoint *e, struct io_map *map)
{
  return modbus_io_map(e->config, e->signals, map);
}

static bool server_line(const struct endpoint *e, int i, struct endpoint_line *line)
{
  const struct modbus_server *s = e->state;
  const struct modbus_config *config = e->config;
  *line = (struct endpoint_line){
      .who = "modbus", .path = config->serial.path, .lost = serial_line_is_lost(&s->line.serial)};
  return i == 0;
}

const struct protocol modbus_protocol = {.name = "modbus",
                                         .off = "Modbus off",
                                         .state = sizeof(struct modbus_server),
                                         .source = SOURCE_MODBUS,
                                         .start = start_server,
                                         .close = close_server,
                                         .text = server_text,
                                         .map = map_server,
                                         .line = server_line};
