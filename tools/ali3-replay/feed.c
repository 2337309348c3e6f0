/* SPDX-License-Identifier: MIT
 * Sends the recorded inputs to a running daemon over OSC: at their times, or, in lockstep, with a command for each step. */
#include "replay.h"

#include "rt/clock.h"

#include <inttypes.h>
#include <lo/lo.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_LENGTH = 256, BUNDLE_MESSAGES = 32, ANSWER_MS = 2000 };

struct feed {
  const struct recording *r;
  lo_address to;
  lo_server server; /* its port sends, and hears the answers */
  char *prefix;
  int32_t asked, answered, result;
};

/* Components of a vector, of which one message sends all. */
static bool is_component(const char *word)
{
  static const char *const words[] = {"x", "y", "z", "surge", "sway", "heave", "roll", "pitch", "yaw"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

/* Length of the quantity in the name of a channel: "input.push.force" of "input.push.force.x". */
static size_t quantity_length(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot && is_component(dot + 1) ? (size_t)(dot - name) : strlen(name);
}

static bool is_of_quantity(const char *name, const char *first, size_t length)
{
  return strncmp(name, first, length) == 0 && quantity_length(name) == length;
}

/* A message with the channels of a quantity from `channel` on; *next: the channel behind them. */
static lo_message make_message(const struct feed *f, hsize_t act, uint32_t channel, char *address,
                               uint32_t *next)
{
  const struct recording *r = f->r;
  const char *name = r->channel[channel];
  const size_t length = quantity_length(name);
  lo_message m = lo_message_new();
  snprintf(address, ADDRESS_LENGTH, "%s/%.*s", f->prefix, (int)length, name);
  for (char *p = address + strlen(f->prefix); *p; p++)
    if (*p == '.') *p = '/';
  for (*next = channel; *next < r->channels && is_of_quantity(r->channel[*next], name, length); ++*next)
    if (m) lo_message_add_double(m, r->inputs[act * r->channels + *next]);
  return m;
}

static bool send_step(struct feed *f)
{
  char address[ADDRESS_LENGTH];
  snprintf(address, sizeof address, "%s/step", f->prefix);
  const bool sent = lo_send_from(f->to, f->server, LO_TT_IMMEDIATE, address, "ii", 1, ++f->asked) > 0;
  const uint64_t end_ns = clock_now_ns() + (uint64_t)ANSWER_MS * 1000000;
  while (sent && f->answered != f->asked && clock_now_ns() < end_ns) lo_server_recv_noblock(f->server, 10);
  return f->answered == f->asked && f->result == 0;
}

/* All inputs of a cycle, at most BUNDLE_MESSAGES in a datagram. */
static bool send_inputs(struct feed *f, hsize_t act)
{
  bool sent = true;
  for (uint32_t channel = 0; sent && channel < f->r->channels;) {
    lo_bundle bundle = lo_bundle_new(LO_TT_IMMEDIATE);
    for (int n = 0; bundle && n < BUNDLE_MESSAGES && channel < f->r->channels; n++) {
      char address[ADDRESS_LENGTH];
      uint32_t next;
      lo_message m = make_message(f, act, channel, address, &next);
      if (m) lo_bundle_add_message(bundle, address, m);
      channel = next;
    }
    sent = bundle && lo_send_bundle_from(f->to, f->server, bundle) > 0;
    if (bundle) lo_bundle_free_recursive(bundle);
  }
  return sent;
}

static int take_step_answer(const char *path, const char *types, lo_arg **arg, int arguments, lo_message m,
                            void *user)
{
  (void)path, (void)types, (void)arguments, (void)m;
  struct feed *f = user;
  if (strcmp(&arg[0]->s, "step") != 0) return 0;
  /* Copied, since an argument may begin at any multiple of 4 bytes, and lo_arg wants 8. */
  memcpy(&f->answered, arg[1], sizeof f->answered);
  memcpy(&f->result, arg[2], sizeof f->result);
  return 0;
}

static bool open_feed(struct feed *f, const struct recording *r, const char *url)
{
  char address[ADDRESS_LENGTH];
  *f = (struct feed){.r = r, .to = lo_address_new_from_url(url), .server = lo_server_new(NULL, NULL)};
  f->prefix = lo_url_get_path(url);
  if (!f->to || !f->server || !f->prefix) return false;
  size_t n = strlen(f->prefix);
  while (n > 0 && f->prefix[n - 1] == '/') f->prefix[--n] = '\0';
  if (n == 0 || n > ADDRESS_LENGTH / 2) return false;
  snprintf(address, sizeof address, "%s/ack", f->prefix);
  return lo_server_add_method(f->server, address, "sii", take_step_answer, f) != NULL;
}

static void close_feed(struct feed *f)
{
  if (f->to) lo_address_free(f->to);
  if (f->server) lo_server_free(f->server);
  free(f->prefix);
}

/* Cycles in which the model moved by itself. */
static bool is_step(const struct recording *r, hsize_t act)
{
  return (r->act[act] & (FRAMES_STEPPED | FRAMES_WARMING)) == FRAMES_STEPPED;
}

static int send_cycles(struct feed *f, const struct replay_options *o)
{
  const struct recording *r = f->r;
  hsize_t first = 0;
  uint64_t sent = 0;
  while (first < r->acts && !is_step(r, first)) first++;
  /* Each step of the recording, between the two times. */
  const uint64_t start_ns = clock_now_ns();
  for (hsize_t act = first; act < r->acts; act++) {
    const double at = (double)(r->act_cycle[act] - r->act_cycle[first]) * r->period;
    if (!is_step(r, act) || at < o->from || (o->to >= 0.0 && at > o->to)) continue;
    if (!o->lockstep) clock_sleep_until_ns(start_ns + (uint64_t)((at - o->from) / o->speed * 1e9));
    if (!send_inputs(f, act)) return replay_fail(EXIT_USAGE, o->feed, "cannot be sent to");
    if (o->lockstep && !send_step(f))
      return replay_fail(
          EXIT_USAGE, o->feed,
          "no step; expected a daemon with cycle.clock: lockstep in state RUNNING that lets this host write");
    sent++;
  }
  printf("sent the inputs of %" PRIu64 " cycles\n", sent);
  return EXIT_SAME;
}

int feed_run(const struct recording *r, const struct replay_options *o)
{
  struct feed f;
  int status;
  if (r->channels == 0) return replay_fail(EXIT_USAGE, r->path, "the recorded model has no inputs");
  if (open_feed(&f, r, o->feed))
    status = send_cycles(&f, o);
  else
    status = replay_fail(EXIT_USAGE, o->feed, "expected a URL such as osc.udp://127.0.0.1:9100/ali3");
  close_feed(&f);
  return status;
}
