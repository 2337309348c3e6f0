/* SPDX-License-Identifier: MIT */
#include "packets/packets.h"

#include "packets/encode.h"
#include "packets/link.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  STACK_KB = 128,
  TURN_MS = 100, /* longest sleep: a line that is gone is looked for */
};

struct sender {
  const struct packet *packet;
  struct packet_link link;
  uint64_t next_cycle;
  uint64_t number; /* of the next packet */
  bool motion;     /* it carries some of the platform's motion */
};

struct packets {
  struct port *port;
  struct counters *counters;
  atomic_bool stop;
  pthread_t thread;
  uint64_t start_ns; /* of the first frame; 0: there was none */
  int senders;
  struct sender sender[PACKETS_MAX];
};

static void count(struct counters *c, enum link_result result)
{
  switch (result) {
  case LINK_SENT:
    counter_add(&c->packets_sent, 1);
    break;
  case LINK_DROPPED:
    counter_add(&c->packets_dropped, 1);
    break;
  case LINK_ERROR:
    counter_add(&c->packets_errors, 1);
    break;
  }
}

static void send_packet(struct packets *p, struct sender *s, const struct frame *frame)
{
  uint8_t bytes[PACKET_BYTES_MAX];
  const struct packet_moment moment = {.number = s->number++, .start_ns = p->start_ns};
  const int clamped = packet_encode(s->packet, frame, &moment, bytes);
  if (clamped == PACKET_UNFIT) {
    counter_add(&p->counters->packets_withheld, 1);
    return;
  }
  counter_add(&p->counters->packets_clamped, (uint64_t)clamped);
  count(p->counters, packet_link_send(&s->link, bytes, (size_t)s->packet->size, clock_now_ns()));
}

/* A frame that comes again, as of a loop that stands still, is due to nobody: its cycle is over. */
static void send_frame(struct packets *p, const struct frame *frame)
{
  if (frame->cycle == 0) return;
  if (p->start_ns == 0) p->start_ns = frame->t_ns;
  for (int i = 0; i < p->senders; i++) {
    struct sender *s = &p->sender[i];
    const uint64_t divisor = (uint64_t)s->packet->divisor;
    if (frame->cycle < s->next_cycle) continue;
    if (s->motion && (frame->flags & FLAG_WITHHELD)) continue;
    s->next_cycle = (frame->cycle / divisor + 1) * divisor;
    send_packet(p, s, frame);
  }
}

static void serve(struct packets *p, const struct pollfd *events)
{
  const uint64_t now_ns = clock_now_ns();
  for (int i = 0; i < p->senders; i++)
    if (packet_link_serve(&p->sender[i].link, events[i].revents, now_ns))
      counter_add(&p->counters->packets_reopened, 1);
}

static void *run(void *arg)
{
  struct packets *p = arg;
  bool last;
  do {
    struct pollfd events[1 + PACKETS_MAX] = {{.fd = p->port->event, .events = POLLIN}};
    for (int i = 0; i < p->senders; i++) events[1 + i] = packet_link_events(&p->sender[i].link);
    poll(events, (nfds_t)p->senders + 1, TURN_MS);
    last = atomic_load(&p->stop);
    uint64_t rung;
    if (events[0].revents) (void)!read(p->port->event, &rung, sizeof rung);
    serve(p, events + 1);
    const struct frame *frame;
    if (port_take_frame(p->port, &frame)) send_frame(p, frame);
  } while (!last);
  return NULL;
}

static bool carries_motion(const struct packet *p, const struct signals *signals)
{
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (packet_is_number(f->type) && f->source == PACKET_SIGNAL && signals_is_motion(signals, f->signal))
      return true;
  }
  return false;
}

static void release(struct packets *p)
{
  for (int i = 0; i < p->senders; i++) packet_link_close(&p->sender[i].link);
  free(p);
}

struct packets *packets_start(const struct packet *packet, int packets, const struct signals *signals,
                              struct port *port, struct counters *counters, char *error, size_t size)
{
  struct packets *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  p->port = port;
  p->counters = counters;
  atomic_init(&p->stop, false);
  bool open = true;
  for (int i = 0; i < packets && open; i++) {
    struct sender *s = &p->sender[p->senders++];
    s->packet = &packet[i];
    s->motion = carries_motion(s->packet, signals);
    open = packet_link_open(&s->link, s->packet, error, size);
  }
  const int code = open ? thread_start_ordinary(&p->thread, "ali3-packets", STACK_KB, run, p) : 0;
  if (open && code == 0) return p;
  if (code != 0) snprintf(error, size, "cannot start the thread of the packets: %s", strerror(code));
  release(p);
  return NULL;
}

bool packets_line_is_lost(const struct packets *p, int i)
{
  return serial_line_is_lost(&p->sender[i].link.line);
}

void packets_stop(struct packets *p)
{
  if (!p) return;
  atomic_store(&p->stop, true);
  (void)!write(p->port->event, &(uint64_t){1}, sizeof(uint64_t)); /* full: it is to be woken already */
  pthread_join(p->thread, NULL);
  release(p);
}
