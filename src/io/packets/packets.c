/* SPDX-License-Identifier: MIT */
#include "packets/packets.h"

#include "packets/encode.h"
#include "packets/io_map.h"
#include "packets/link.h"
#include "packets/receiver.h"
#include "rt/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  STACK_KB = 128,
  TURN_MS = 100, /* longest sleep; a line that has disappeared is tried at this interval */
};

struct sender {
  const struct packet *packet;
  struct packet_link link;
  uint64_t next_cycle;
  uint64_t number; /* number of the next packet */
  bool motion;     /* contains platform motion that nothing stands in for */
};

struct packets {
  struct port *port;
  struct counters *counters;
  uint64_t start_ns; /* time of the first frame; 0: none yet */
  int senders, receivers;
  struct sender sender[PACKETS_MAX];
  struct packet_receiver receiver[PACKETS_MAX];
  struct input_sample *sample; /* (channels) of all receivers */
  uint32_t channels;
};

static void count_result(struct counters *c, enum link_result result)
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
  count_result(p->counters, packet_link_send(&s->link, bytes, (size_t)s->packet->size, clock_now_ns()));
}

/* A repeated frame, as from a loop that is stuck, is not sent: its cycle is over. */
static void send_packets_of(struct packets *p, const struct frame *frame)
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

static void serve_links(struct packets *p, const struct pollfd *events)
{
  const uint64_t now_ns = clock_now_ns();
  for (int i = 0; i < p->senders; i++)
    if (packet_link_serve(&p->sender[i].link, events[i].revents, now_ns))
      counter_add(&p->counters->packets_reopened, 1);
}

static void receive_packets(struct packets *p, const struct pollfd *events)
{
  const uint64_t now_ns = clock_now_ns();
  bool any = false;
  for (int i = 0; i < p->receivers; i++) {
    bool reopened;
    any |= receiver_serve(&p->receiver[i], events[i].revents, now_ns, p->sample, &reopened);
    if (reopened) counter_add(&p->counters->packets_reopened, 1);
  }
  if (!any) return;
  memcpy(snapshot_begin(&p->port->inputs), p->sample, p->channels * sizeof *p->sample);
  snapshot_publish(&p->port->inputs);
}

static void *run_packets(void *arg)
{
  enum { STOP, FRAME, LINES };
  struct endpoint *e = arg;
  struct packets *p = e->state;
  bool last = false;
  do {
    struct pollfd events[LINES + PACKETS_MAX] = {
        [STOP] = {.fd = e->stop, .events = POLLIN}, [FRAME] = {.fd = p->port->event, .events = POLLIN}};
    struct pollfd *arrivals = events + LINES + p->senders;
    for (int i = 0; i < p->senders; i++) events[LINES + i] = packet_link_events(&p->sender[i].link);
    for (int i = 0; i < p->receivers; i++) arrivals[i] = receiver_events(&p->receiver[i]);
    /* The loop, a line or the stop event wakes the thread. Lines that have disappeared are tried without an event. */
    if (poll(events, LINES + (nfds_t)(p->senders + p->receivers), TURN_MS) < 0) continue;
    last = events[STOP].revents;
    uint64_t rung;
    if (events[FRAME].revents) (void)!read(p->port->event, &rung, sizeof rung);
    serve_links(p, events + LINES);
    receive_packets(p, arrivals);
    const struct frame *frame;
    if (port_take_frame(p->port, &frame)) send_packets_of(p, frame);
  } while (!last);
  return NULL;
}

/* --- the endpoint --- */

static bool is_signal(const struct packet_field *f)
{
  return packet_is_number(f->type) && f->source == PACKET_SIGNAL;
}

static bool carries_motion(const struct packet *p, const struct signals *signals)
{
  for (int i = 0; i < p->fields; i++)
    if (is_signal(&p->field[i]) && signals_is_motion(signals, p->field[i].signal) && !p->field[i].stands_in)
      return true;
  return false;
}

static void select_sent(const struct endpoint *e, int port, bool *wanted)
{
  const struct packet *packet = e->config;
  (void)port;
  for (int i = 0; i < e->count; i++)
    for (int k = 0; k < packet[i].fields && !packet[i].received; k++)
      if (is_signal(&packet[i].field[k])) wanted[packet[i].field[k].signal] = true;
}

static bool start_sender(struct endpoint *e, struct packets *p, const struct packet *packet, char *error,
                         size_t size)
{
  struct sender *s = &p->sender[p->senders++];
  s->packet = packet;
  s->motion = carries_motion(packet, e->signals);
  return packet_link_open(&s->link, packet, error, size);
}

/* The socket of the sender whose packet this one answers; -1: it answers none. */
static int shared_socket(const struct packets *p, const struct packet *packet)
{
  for (int i = 0; i < p->senders && packet->answers; i++)
    if (p->sender[i].packet == packet->answers) return p->sender[i].link.socket;
  return -1;
}

static bool start_receiver(struct endpoint *e, struct packets *p, const struct packet *packet, char *error,
                           size_t size)
{
  struct packet_receiver *r = &p->receiver[p->receivers];
  *r = (struct packet_receiver){.packet = packet,
                                .port = p->port,
                                .counters = e->counters,
                                .input_first = e->signals->input_first,
                                .client = (uint32_t)p->receivers++,
                                .shared = shared_socket(p, packet)};
  clients_name(&e->port->clients, r->client, packet->name);
  return receiver_open(r, error, size);
}

static bool start_packets(struct endpoint *e, char *error, size_t size)
{
  struct packets *p = e->state;
  p->port = e->port;
  p->counters = e->counters;
  p->channels = (uint32_t)e->signals->channels;
  p->sample = calloc((size_t)p->channels + 1, sizeof *p->sample);
  if (!p->sample) return endpoint_fail(e, ENOMEM, error, size);
  for (int i = 0; i < e->count; i++) {
    const struct packet *packet = (const struct packet *)e->config + i;
    if (!(packet->received ? start_receiver(e, p, packet, error, size)
                           : start_sender(e, p, packet, error, size)))
      return false;
  }
  return endpoint_run(e, "ali3-packets", STACK_KB, run_packets, e, error, size);
}

static void close_packets(struct endpoint *e)
{
  struct packets *p = e->state;
  for (int i = 0; i < p->senders; i++) packet_link_close(&p->sender[i].link);
  for (int i = 0; i < p->receivers; i++) receiver_close(&p->receiver[i]);
  free(p->sample);
}

/* "packet rig on /dev/ttyUSB0 115200 8N1, packet moog to 10.0.0.7:991" */
static void packets_text(const struct endpoint *e, char *text, size_t size)
{
  const struct packet *packet = e->config;
  size_t used = 0;
  for (int i = 0; i < e->count && used < size; i++) {
    char place[256];
    packet_place_text(&packet[i], place, sizeof place);
    used += (size_t)snprintf(text + used, size - used, "%spacket %s", i ? ", " : "", place);
  }
}

static bool map_packets(const struct endpoint *e, struct io_map *map)
{
  return packets_io_map(e->config, e->count, e->signals, map);
}

/* Senders first, then receivers. */
static bool packet_line(const struct endpoint *e, int i, struct endpoint_line *line)
{
  const struct packets *p = e->state;
  if (i >= p->senders + p->receivers) return false;
  const bool sends = i < p->senders;
  const struct packet *packet = sends ? p->sender[i].packet : p->receiver[i - p->senders].packet;
  const struct serial_line *own = sends ? &p->sender[i].link.line : &p->receiver[i - p->senders].line;
  *line = (struct endpoint_line){.path = packet->remote.serial.path, .lost = serial_line_is_lost(own)};
  snprintf(line->who, sizeof line->who, "packet %s", packet->name);
  return true;
}

const struct protocol packets_protocol = {.name = "packets",
                                          .state = sizeof(struct packets),
                                          .source = SOURCE_PACKETS,
                                          .event = true,
                                          .select = select_sent,
                                          .start = start_packets,
                                          .close = close_packets,
                                          .text = packets_text,
                                          .map = map_packets,
                                          .line = packet_line};
