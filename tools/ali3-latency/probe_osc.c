/* SPDX-License-Identifier: MIT
 * The probe for OSC. The daemon's stream "input" shows the acting channels in every frame. If input frames pace the
 * loop, the probe sends numbered frames of all channels, else only the input. */
#include "latency.h"

#include "rt/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <lo/lo.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATAGRAM = 65536, LEASE_NS = 4000000000 }; /* renewed well before its end after 10 s */

struct osc {
  const struct toggle *toggle;
  const struct input_spec *input;
  int fd, place; /* place: of the argument in the message that shows the channel */
  int32_t sequence;
  uint64_t leased_ns;
  char shown[256]; /* address that shows the channel */
  uint8_t bytes[DATAGRAM];
};

static bool send_message(const struct osc *o, const char *tail, lo_message m)
{
  char address[256];
  uint8_t bytes[4096];
  size_t n = sizeof bytes;
  snprintf(address, sizeof address, "%s/%s", o->toggle->settings->osc.prefix, tail);
  const bool fits =
      m && lo_message_length(m, address) <= sizeof bytes && lo_message_serialise(m, address, bytes, &n);
  lo_message_free(m);
  return fits && send(o->fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static bool renew_lease(struct osc *o, uint64_t now_ns)
{
  lo_message m = lo_message_new();
  if (m) {
    lo_message_add_string(m, "input");
    lo_message_add_int32(m, 0); /* to the sender's port */
    lo_message_add_int32(m, 1); /* every cycle */
    lo_message_add_int32(m, 1); /* as 64-bit numbers */
  }
  o->leased_ns = now_ns;
  return send_message(o, "sub", m);
}

/* Sends the channel; all others stay 0. */
static bool send_channel(struct osc *o, double value)
{
  const struct signals *s = o->toggle->settings->signals;
  const bool frame = o->toggle->settings->cycle.beat == BEAT_OSC;
  const int first = frame ? 0 : o->input->first, count = frame ? s->channels : o->input->count;
  char tail[128] = "in/frame";
  lo_message m = lo_message_new();
  if (m && frame) {
    lo_message_add_int32(m, ++o->sequence);
    lo_message_add_int64(m, (int64_t)clock_now_ns());
  }
  for (int c = first; m && c < first + count; c++)
    lo_message_add_double(m, c == o->toggle->channel ? value : 0.0);
  if (!frame) snprintf(tail, sizeof tail, "input/%s", o->input->name);
  return send_message(o, tail, m);
}

static uint32_t read_osc_word(const uint8_t *at)
{
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return ntohl(v);
}

/* Reads the argument of a message of doubles; returns false for any other message. */
static bool read_message(const struct osc *o, const uint8_t *at, size_t n, double *value)
{
  const size_t address = (strlen(o->shown) + 4) / 4 * 4;
  if (n <= address || strncmp((const char *)at, o->shown, n) != 0 || at[address] != ',') return false;
  const size_t types = (strnlen((const char *)at + address, n - address) + 4) / 4 * 4;
  const size_t argument = address + types + 8 * (size_t)o->place;
  if (argument + 8 > n || at[address + 1 + (size_t)o->place] != 'd') return false;
  const uint64_t bits = (uint64_t)read_osc_word(at + argument) << 32 | read_osc_word(at + argument + 4);
  memcpy(value, &bits, sizeof bits);
  return true;
}

/* Reads the channel from a datagram. */
static bool read_datagram(const struct osc *o, size_t n, double *value)
{
  if (n < 16 || memcmp(o->bytes, "#bundle", 8) != 0) return false;
  for (size_t at = 16; at + 4 <= n;) {
    const size_t size = read_osc_word(o->bytes + at);
    at += 4;
    if (size > n - at) return false;
    if (read_message(o, o->bytes + at, size, value)) return true;
    at += size;
  }
  return false;
}

static uint64_t ask_osc(void *probe, double value, char *error, size_t size)
{
  struct osc *o = probe;
  const uint64_t start_ns = clock_now_ns(), end_ns = start_ns + o->toggle->wait_ns;
  bool sent = true;
  int frames = 0;
  double shown = 0.0;
  /* Set the channel, and read frames until one shows it. */
  if (start_ns > o->leased_ns + LEASE_NS) sent = renew_lease(o, start_ns);
  sent = sent && send_channel(o, value);
  for (uint64_t now_ns = start_ns; sent && now_ns < end_ns; now_ns = clock_now_ns()) {
    struct pollfd wait = {.fd = o->fd, .events = POLLIN};
    if (poll(&wait, 1, (int)((end_ns - now_ns) / 1000000) + 1) <= 0) continue;
    const ssize_t n = recv(o->fd, o->bytes, sizeof o->bytes, 0);
    if (n < 0 && errno != EINTR && errno != EAGAIN) sent = false;
    if (n <= 0 || !read_datagram(o, (size_t)n, &shown)) continue;
    if (shown == value) return clock_now_ns() - start_ns;
    frames++;
  }
  /* Say what came instead. */
  if (sent && frames == 0) snprintf(error, size, "no frame came");
  if (sent && frames > 0)
    snprintf(error, size, "%d frame%s came, the last one with %.9g instead of %.9g", frames,
             frames == 1 ? "" : "s", shown, value);
  if (sent) return 0;
  snprintf(error, size, "OSC: %s", strerror(errno));
  return UINT64_MAX;
}

static void close_osc(void *probe)
{
  struct osc *o = probe;
  if (!o) return;
  if (o->fd >= 0) close(o->fd);
  free(o);
}

/* Finds the address and the argument that show the channel. */
static void find_shown(struct osc *o)
{
  const struct settings *s = o->toggle->settings;
  for (int i = 0; i < s->signals->groups; i++) {
    const struct signal_group *g = &s->signals->group[i];
    if (o->toggle->signal < g->first || o->toggle->signal >= g->first + g->count) continue;
    o->place = o->toggle->signal - g->first;
    snprintf(o->shown, sizeof o->shown, "%s/%s", s->osc.prefix, g->name);
    for (char *p = o->shown + strlen(s->osc.prefix); (p = strchr(p, '.'));) *p = '/';
  }
}

static void *open_osc(const struct toggle *t, char *error, size_t size)
{
  const struct settings *s = t->settings;
  struct osc *o = calloc(1, sizeof *o);
  if (!o) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  /* Find the input and the address that show the channel. */
  o->toggle = t;
  o->fd = -1;
  for (int i = 0; i < s->inputs; i++)
    if (t->channel >= s->signals->input[i].first) o->input = &s->signals->input[i];
  find_shown(o);
  /* Connect and subscribe. */
  char service[12];
  snprintf(service, sizeof service, "%d", s->osc.port);
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
  const int code = getaddrinfo(s->osc.bind, service, &hints, &found);
  if (code == 0) {
    o->fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool ok = o->fd >= 0 && connect(o->fd, found->ai_addr, found->ai_addrlen) == 0 &&
                    renew_lease(o, clock_now_ns());
    freeaddrinfo(found);
    if (ok) return o;
  }
  snprintf(error, size, "OSC %s port %d: %s", s->osc.bind, s->osc.port,
           code ? gai_strerror(code) : strerror(errno));
  close_osc(o);
  return NULL;
}

const struct probe probe_osc = {"OSC", open_osc, close_osc, ask_osc};
