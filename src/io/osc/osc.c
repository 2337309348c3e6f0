/* SPDX-License-Identifier: MIT
 * The thread of OSC. Its work per turn is bounded, and every turn begins with the socket, so that a flood delays an
 * e-stop and the state stream by at most one turn:
 *
 *   receive   socket to queue; e-stops act
 *   frame     streams to targets and subscribers
 *   answers   of the loop, to the senders of the commands
 *   serve     queue: writers first, then readers */
#include "osc/osc.h"
#include "osc/in.h"
#include "osc/out.h"
#include "osc/queue.h"
#include "osc/socket.h"
#include "osc_messages/describe.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum {
  STACK_KB = 256,
  TURN_MS = 10,      /* longest sleep; the loop rings no event for its answers */
  TURN_BATCHES = 16, /* batches of datagrams per turn: a flood must not keep the thread from its frames */
};

struct osc {
  struct osc_socket *socket;
  struct port *port;
  struct counters *counters;
  struct osc_space *space;
  struct osc_out *out;
  struct osc_in *in;
  struct osc_queue *queue;
};

/* First pass: reads everything that waits in the socket and acts on e-stops. */
static void receive_datagrams(struct osc *o)
{
  struct osc_received received[OSC_BATCH];
  int n = OSC_BATCH;
  for (int batch = 0; batch < TURN_BATCHES && n == OSC_BATCH; batch++) {
    n = osc_socket_read(o->socket, received);
    for (int i = 0; i < n; i++) {
      const struct osc_received *r = &received[i];
      const enum access access = osc_in_access(o->in, &r->from);
      if (access == ACCESS_NONE) continue;
      osc_in_estop(o->in, r->bytes, r->size, &r->from, r->t_ns);
      if (!osc_queue_put(o->queue, &r->from, access, r->t_ns, r->bytes, r->size))
        counter_add(&o->counters->osc_over_budget, 1);
    }
  }
}

/* Returns false if datagrams of the class wait for the next turn. */
static bool serve_class(struct osc *o, enum access access)
{
  const struct osc_waiting *w;
  for (size_t bytes = 0; (w = osc_queue_next(o->queue, access)) != NULL; osc_queue_drop(o->queue, access)) {
    if (bytes >= OSC_QUEUE_TURN_BYTES) return false;
    bytes += w->size;
    osc_in_datagram(o->in, w->bytes, w->size, &w->from, w->access, w->t_ns);
  }
  return true;
}

/* Second pass: writers first. Returns true if datagrams still wait. */
static bool serve_queue(struct osc *o)
{
  const bool wrote = serve_class(o, ACCESS_WRITE);
  return !(serve_class(o, ACCESS_READ) && wrote);
}

static void *run_osc(void *arg)
{
  enum { STOP, FRAME, SOCKET, EVENTS };
  struct endpoint *e = arg;
  struct osc *o = e->state;
  struct pollfd wait[EVENTS] = {[STOP] = {.fd = e->stop, .events = POLLIN},
                                [FRAME] = {.fd = o->port->event, .events = POLLIN},
                                [SOCKET] = {.fd = osc_socket_fd(o->socket), .events = POLLIN}};
  bool last, more = false;
  thread_favour_self(); /* an e-stop must not wait for other threads of the host */
  do {
    poll(wait, EVENTS, more ? 0 : TURN_MS);
    last = wait[STOP].revents;
    uint64_t events, now = clock_now_ns();
    osc_out_turn(o->out);
    receive_datagrams(o);
    if (wait[FRAME].revents) (void)!read(o->port->event, &events, sizeof events);
    /* The loop publishes the frame of finished steps before it answers. Answers that come after this count may belong
     * to a frame that is not read yet. */
    const uint32_t answers = ring_count(&o->port->answers);
    const struct frame *frame;
    if (port_take_frame(o->port, &frame)) {
      osc_out_frame(o->out, frame, now);
      osc_in_conditions(o->in, now);
    }
    osc_in_replies(o->in);
    osc_in_answers(o->in, answers);
    more = serve_queue(o);
    osc_out_expire(o->out, now);
  } while (!last);
  return NULL;
}

/* --- the endpoint --- */

static bool start_endpoint(struct endpoint *e, char *error, size_t size)
{
  struct osc *o = e->state;
  const struct osc_config *config = e->config;
  o->port = e->port;
  o->counters = e->counters;
  o->socket = osc_socket_open(config, e->counters, error, size);
  if (!o->socket) return false;
  o->space = osc_space_new(config, e->signals, error, size);
  if (!o->space) return false;
  o->out = osc_out_new(config, o->space, e->signals, e->counters, osc_socket_fd(o->socket), error, size);
  if (!o->out) return false;
  o->in = osc_in_new(config, o->space, e->signals, e->port, e->counters, o->out);
  o->queue = osc_queue_new();
  if (!o->in || !o->queue) return endpoint_fail(e, ENOMEM, error, size);
  return endpoint_run(e, "ali3-osc", STACK_KB, run_osc, e, error, size);
}

static void close_endpoint(struct endpoint *e)
{
  struct osc *o = e->state;
  osc_in_free(o->in);
  osc_out_free(o->out);
  osc_space_free(o->space);
  osc_queue_free(o->queue);
  osc_socket_close(o->socket);
}

int osc_port(const struct endpoint *e)
{
  const struct osc *o = e->state;
  return osc_socket_port(o->socket);
}

static void osc_text(const struct endpoint *e, char *text, size_t size)
{
  const struct osc_config *config = e->config;
  snprintf(text, size, "OSC %s:%d", config->bind, osc_port(e));
}

static char *describe_osc(const struct endpoint *e, const char *instance)
{
  return osc_query_text(e->config, e->signals, osc_port(e), instance);
}

static bool map_osc(const struct endpoint *e, struct io_map *map)
{
  return osc_io_map(e->config, e->signals, map);
}

const struct protocol osc_protocol = {.name = "osc",
                                      .off = "OSC off",
                                      .state = sizeof(struct osc),
                                      .source = SOURCE_OSC,
                                      .event = true,
                                      .start = start_endpoint,
                                      .close = close_endpoint,
                                      .text = osc_text,
                                      .describe = describe_osc,
                                      .map = map_osc};
