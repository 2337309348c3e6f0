/* SPDX-License-Identifier: MIT
 * The socket and the thread of OSC. The thread has a bounded amount of work per turn, so that a flood of
 * datagrams delays the state stream by no more than one batch. */
#include "io/osc.h"
#include "io/osc_in.h"
#include "io/osc_out.h"
#include "io/osc_parse.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  STACK_KB = 256,
  TURN_MS = 10,             /* longest sleep: answers of the loop carry no event of their own */
  BATCH = 64,               /* datagrams read per turn */
  RECEIVE_BUFFER = 1 << 20, /* asked for; the kernel may grant less */
  STOOD_STILL_MS = 100,     /* from one turn to the next */
};

struct osc {
  int fd;
  int udp_port;
  atomic_bool stop;
  pthread_t thread;
  struct port *port;
  struct osc_space *space;
  struct osc_out *out;
  struct osc_in *in;
  uint64_t turn_ns; /* when datagrams were read last; 0: never */
  uint8_t buffer[OSC_IN_MAX];
};

/* A socket of our own, because liblo 0.31 binds its servers to every interface. Returns the descriptor, -1 on
 * failure. */
static int open_socket(const struct osc_config *config, int *udp_port, char *error, size_t size)
{
  const char *reason;
  struct osc_address at;
  int fd = -1, code = osc_address_parse(config->bind, config->port, &at);
  if (code != 0) {
    reason = gai_strerror(code);
  } else {
    int one = 1, buffer = RECEIVE_BUFFER, family = at.name.any.sa_family;
    fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (fd >= 0 && family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (fd >= 0 && bind(fd, &at.name.any, at.length) == 0 && getsockname(fd, &at.name.any, &at.length) == 0) {
      *udp_port = osc_address_port(&at);
      return fd;
    }
    reason = strerror(errno);
  }
  snprintf(error, size, "cannot listen for OSC on %s port %d: %s", config->bind, config->port, reason);
  if (fd >= 0) close(fd);
  return -1;
}

/* When a datagram that is read now came. A thread that stood still, its process stopped perhaps, finds what came meanwhile:
 * none of it is to pass for fresher than it may be, though it is newer than all before. */
static uint64_t received_ns(const struct osc *o, uint64_t now_ns)
{
  const uint64_t ms = NS_PER_S / 1000;
  const bool stood_still = o->turn_ns && now_ns > o->turn_ns + STOOD_STILL_MS * ms;
  return stood_still ? o->turn_ns + TURN_MS * ms : now_ns;
}

static void read_datagrams(struct osc *o)
{
  const uint64_t begin_ns = clock_now_ns();
  for (int i = 0; i < BATCH; i++) {
    struct osc_address from = {.length = sizeof from.name};
    /* MSG_TRUNC: the length of the datagram, not of what fitted */
    ssize_t n = recvfrom(o->fd, o->buffer, sizeof o->buffer, MSG_TRUNC, &from.name.any, &from.length);
    if (n < 0) break;
    osc_in_packet(o->in, o->buffer, (size_t)n, &from, received_ns(o, clock_now_ns()));
  }
  o->turn_ns = begin_ns;
}

static void *run(void *arg)
{
  struct osc *o = arg;
  struct pollfd wait[] = {{.fd = o->port->event, .events = POLLIN}, {.fd = o->fd, .events = POLLIN}};
  bool last;
  do {
    poll(wait, sizeof wait / sizeof wait[0], TURN_MS);
    last = atomic_load(&o->stop);
    uint64_t events, now = clock_now_ns();
    if (wait[0].revents) (void)!read(o->port->event, &events, sizeof events);
    /* The loop publishes the frame that shows steps as done before it answers: those that are not there yet may belong to
     * a frame that is not either. */
    const uint32_t answers = ring_count(&o->port->answers);
    const struct frame *frame;
    if (port_take_frame(o->port, &frame)) osc_out_frame(o->out, frame, now);
    osc_in_answers(o->in, answers);
    read_datagrams(o);
    osc_out_expire(o->out, now);
  } while (!last);
  return NULL;
}

static void release(struct osc *o)
{
  osc_in_free(o->in);
  osc_out_free(o->out);
  osc_space_free(o->space);
  if (o->fd >= 0) close(o->fd);
  free(o);
}

struct osc *osc_start(const struct osc_config *config, const struct signals *signals, struct port *port,
                      struct counters *counters, char *error, size_t size)
{
  struct osc *o = calloc(1, sizeof *o);
  if (!o) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  o->port = port;
  atomic_init(&o->stop, false);
  o->fd = open_socket(config, &o->udp_port, error, size);
  if (o->fd < 0) goto fail;
  o->space = osc_space_new(config, signals, error, size);
  if (!o->space) goto fail;
  o->out = osc_out_new(config, o->space, signals, counters, o->fd, error, size);
  if (!o->out) goto fail;
  o->in = osc_in_new(config, o->space, signals, port, counters, o->out);
  if (!o->in) {
    snprintf(error, size, "out of memory");
    goto fail;
  }
  int code = thread_start_ordinary(&o->thread, "ali3-osc", STACK_KB, run, o);
  if (code != 0) {
    snprintf(error, size, "cannot start the OSC thread: %s", strerror(code));
    goto fail;
  }
  return o;

fail:
  release(o);
  return NULL;
}

void osc_stop(struct osc *o)
{
  if (!o) return;
  atomic_store(&o->stop, true);
  pthread_join(o->thread, NULL);
  release(o);
}

int osc_port(const struct osc *o)
{
  return o->udp_port;
}
