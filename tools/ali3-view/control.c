/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "rt/clock.h"
#include "signals/states.h"
#include "telemetry/read.h"

#include <lo/lo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint64_t AGAIN_NS = NS_PER_S / 50, LEASE_NS = 3 * NS_PER_S / 10;
enum { PACKET = 1024, LIST_MOST = 64 };

bool control_open(struct control *c)
{
  static const int families[CONTROL_SOCKETS] = {AF_INET, AF_INET6};
  bool any = false;
  *c = (struct control){0};
  for (int i = 0; i < CONTROL_SOCKETS; i++) {
    c->socket[i] = socket(families[i], SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    any |= c->socket[i] >= 0;
  }
  return any;
}

void control_close(struct control *c)
{
  for (int i = 0; i < CONTROL_SOCKETS; i++) {
    if (c->socket[i] >= 0) close(c->socket[i]);
    c->socket[i] = -1;
  }
  json_decref(c->known.description);
  c->known.description = NULL;
}

/* --- the daemon's addresses --- */

static bool is_known(const struct known_daemon *known, const struct telemetry_reader *r)
{
  return known->description && strcmp(known->instance, r->instance) == 0 && known->pid == r->pid &&
         known->start_ns == r->start_ns;
}

/* The description that a daemon wrote for OSCQuery, a reference; NULL: *why says why. A page with a button that is held asks for
 * it 20 times a second, so it is parsed once for each daemon. */
static json_t *describe_daemon(struct control *c, const char *instance, const char **why)
{
  char name[1][64], error[200];
  struct telemetry_reader r;
  *why = "no such daemon runs";
  if (!*instance && telemetry_list(name, 1) == 0) return NULL;
  if (!telemetry_open(&r, *instance ? instance : name[0], error, sizeof error)) return NULL;
  /* Read and parse the description of a daemon that is not known. */
  const bool alive = telemetry_alive(&r), known = alive && is_known(&c->known, &r);
  char *text = alive && !known ? telemetry_description(&r) : NULL;
  if (!known) {
    json_decref(c->known.description);
    c->known = (struct known_daemon){
        .pid = r.pid, .start_ns = r.start_ns, .description = text ? json_loads(text, 0, NULL) : NULL};
    snprintf(c->known.instance, sizeof c->known.instance, "%s", r.instance);
  }
  telemetry_close(&r);
  free(text);
  if (telemetry_valid_name(instance)) *why = "the daemon has no OSC: it needs osc.port in its file";
  return json_incref(c->known.description);
}

/* Where the daemon takes OSC. Anybody can write a description, so only an address of this machine counts. */
static bool find_osc_port(const json_t *all, struct inet_address *to, const char **why)
{
  const json_t *info = json_object_get(all, "HOST_INFO");
  const char *ip = json_string_value(json_object_get(info, "OSC_IP"));
  const json_int_t port = json_integer_value(json_object_get(info, "OSC_PORT"));
  *why = "the daemon describes no address for OSC";
  if (!ip || port < 1 || port > UINT16_MAX || inet_address_parse(ip, (int)port, to) != 0) return false;
  /* A daemon that listens on all addresses is reached by the loopback. */
  if (inet_address_is_any(to))
    return inet_address_parse(to->name.any.sa_family == AF_INET6 ? "::1" : "127.0.0.1", (int)port, to) == 0;
  *why = "the daemon describes an address that is not of this machine";
  return inet_address_may_be_answered(to) && inet_address_is_of_this_machine(to);
}

/* The first node below the root that has a child `cmd`: its path is the prefix of all addresses. */
static json_t *find_prefix(json_t *node, int depth)
{
  enum { DEEPEST = 8 };
  json_t *contents = json_object_get(node, "CONTENTS");
  if (!contents || depth > DEEPEST) return NULL;
  if (json_object_get(contents, "cmd")) return node;
  for (void *i = json_object_iter(contents); i; i = json_object_iter_next(contents, i)) {
    json_t *found = find_prefix(json_object_iter_value(i), depth + 1);
    if (found) return found;
  }
  return NULL;
}

/* Sends a message and releases it. */
static bool send_osc(const struct control *c, const struct inet_address *to, const char *address,
                     lo_message m)
{
  unsigned char bytes[PACKET];
  size_t n = sizeof bytes;
  const bool made =
      m && lo_message_length(m, address) <= sizeof bytes && lo_message_serialise(m, address, bytes, &n);
  if (m) lo_message_free(m);
  const int socket = c->socket[to->name.any.sa_family == AF_INET6];
  return made && sendto(socket, bytes, n, 0, &to->name.any, to->length) == (ssize_t)n;
}

/* --- commands --- */

/* A number for a request, which its answer has. */
static int32_t next_request(struct control *c)
{
  c->request = c->request % 1000000 + 1;
  return c->request;
}

/* Sends a message with the number `request` to an address below the prefix of the daemon, and releases it. */
static unsigned send_request(struct control *c, const char *instance, const char *address, lo_message m,
                             int32_t request, uint64_t now_ns, struct control_wait *wait, const char **why)
{
  char whole[CONTROL_ADDRESS];
  bool found, sent = false;
  /* Find where the daemon listens. */
  json_t *all = describe_daemon(c, instance, why);
  const json_t *node = all ? find_prefix(json_object_get(all, "ROOT"), 0) : NULL;
  const char *prefix = json_string_value(json_object_get(node, "FULL_PATH"));
  *wait = (struct control_wait){.until_ns = now_ns + (uint64_t)CONTROL_ANSWER_MS * 1000000u};
  found = prefix && find_osc_port(all, &wait->to, why);
  /* Send the message. */
  if (m && found) {
    wait->request = request;
    snprintf(whole, sizeof whole, "%s/%s", prefix, address);
    sent = send_osc(c, &wait->to, whole, m);
  } else if (m) {
    lo_message_free(m);
  }
  if (!all) return 404;
  json_decref(all);
  if (found) *why = "the command could not be sent to the daemon";
  return sent ? 202 : 502;
}

/* Commands without arguments. A page has no business with lockstep or injected faults. */
static bool is_page_command(const char *name)
{
  static const int codes[] = {COMMAND_INIT,  COMMAND_ARM,  COMMAND_RUN,   COMMAND_PAUSE, COMMAND_STOP,
                              COMMAND_RESET, COMMAND_PARK, COMMAND_ESTOP, COMMAND_CLEAR};
  const int code = command_from_name(name);
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (code == codes[i]) return true;
  return false;
}

unsigned control_command(struct control *c, const char *instance, const json_t *body, uint64_t now_ns,
                         struct control_wait *wait, const char **why)
{
  char address[CONTROL_ADDRESS];
  const char *name = json_string_value(json_object_get(body, "command"));
  *why = "command: expected init, arm, run, pause, stop, reset, park, estop or clear";
  if (!name || !is_page_command(name)) return 400;
  snprintf(address, sizeof address, "cmd/%s", name);
  lo_message m = lo_message_new();
  const int32_t request = next_request(c);
  if (m) lo_message_add_int32(m, request);
  return send_request(c, instance, address, m, request, now_ns, wait, why);
}

/* A whole number from 1 on. */
static bool read_count(const json_t *body, const char *key, int32_t *count)
{
  const json_t *o = json_object_get(body, key);
  const json_int_t n = json_integer_value(o);
  *count = n >= 1 && n <= INT32_MAX ? (int32_t)n : 0;
  return json_is_integer(o) && *count > 0;
}

unsigned control_jog(struct control *c, const char *instance, const json_t *body, uint64_t took_ns,
                     uint64_t now_ns, struct control_wait *wait, const char **why)
{
  const char *part = json_string_value(json_object_get(body, "part"));
  const json_t *speed = json_object_get(body, "speed");
  const double fraction = json_number_value(speed);
  int32_t hand, number;
  /* Judge the fields of the body, and its age. */
  *why = "expected part, surge to yaw or leg1 to leg6, and speed, -1 to 1 of the crawl speed";
  if (!part || strlen(part) >= LIST_MOST || !json_is_number(speed) || !(fabs(fraction) <= 1.0)) return 400;
  *why = "expected hand, a number of this page, and number, which rises with each jog of the page: both from "
         "1 on";
  if (!read_count(body, "hand", &hand) || !read_count(body, "number", &number)) return 400;
  *why = "the request took longer than 0.3 s from its head to its end: press again";
  if (fraction != 0.0 && took_ns > CONTROL_JOG_NS) return 408;
  /* Send it on. */
  lo_message m = lo_message_new();
  const int32_t request = next_request(c);
  if (m && (lo_message_add_string(m, part) != 0 || lo_message_add_float(m, (float)fraction) != 0 ||
            lo_message_add_int32(m, request) != 0 || lo_message_add_int32(m, hand) != 0 ||
            lo_message_add_int32(m, number) != 0)) {
    lo_message_free(m);
    m = NULL;
  }
  return send_request(c, instance, "platform/jog", m, request, now_ns, wait, why);
}

/* The next datagram of any of the sockets; its size, -1: none. */
static ssize_t receive_any(const struct control *c, char bytes[static PACKET], struct inet_address *from)
{
  ssize_t n = -1;
  for (int i = 0; i < CONTROL_SOCKETS && n < 0; i++) {
    from->length = sizeof from->name;
    n = recvfrom(c->socket[i], bytes, PACKET, 0, &from->name.any, &from->length);
  }
  return n;
}

bool control_receive(struct control *c, int32_t *request, struct inet_address *from, int32_t *result)
{
  static const char ack[] = "/ack";
  for (;;) {
    char bytes[PACKET];
    const ssize_t n = receive_any(c, bytes, from);
    if (n < 0) return false;
    const char *end = memchr(bytes, '\0', (size_t)n);
    if (!end || end - bytes < (ssize_t)strlen(ack) || strcmp(end - strlen(ack), ack) != 0) continue;
    lo_message m = lo_message_deserialise(bytes, (size_t)n, NULL);
    const bool fits = m && strcmp(lo_message_get_types(m), "sii") == 0;
    if (fits) { /* copied, since an argument may begin at any multiple of 4 bytes, and lo_arg wants 8 */
      memcpy(request, lo_message_get_argv(m)[1], sizeof *request);
      memcpy(result, lo_message_get_argv(m)[2], sizeof *result);
    }
    if (m) lo_message_free(m);
    if (fits) return true;
  }
}

/* --- inputs --- */

static bool send_input(const struct control *c, const struct held_input *h)
{
  lo_message m = lo_message_new();
  for (int i = 0; m && i < h->channels; i++) lo_message_add_float(m, h->value[i]);
  return send_osc(c, &h->to, h->address, m);
}

/* The entry of an input that is held already, or a free one; NULL: all are in use. */
static struct held_input *find_held_input(struct control *c, const struct held_input *wanted)
{
  struct held_input *empty = NULL;
  for (int i = 0; i < CONTROL_HELD; i++) {
    struct held_input *h = &c->held[i];
    if (h->channels == 0)
      empty = empty ? empty : h;
    else if (strcmp(h->instance, wanted->instance) == 0 && strcmp(h->address, wanted->address) == 0)
      return h;
  }
  return empty;
}

static bool read_input_values(const json_t *body, struct held_input *h)
{
  const json_t *values = json_object_get(body, "values");
  const size_t n = json_array_size(values);
  if (n < 1 || n > CONTROL_CHANNELS) return false;
  for (size_t i = 0; i < n; i++) {
    const json_t *one = json_array_get(values, i);
    if (!json_is_number(one) || !isfinite((float)json_number_value(one))) return false;
    h->value[i] = (float)json_number_value(one);
  }
  h->channels = (int)n;
  return true;
}

unsigned control_input(struct control *c, const char *instance, const json_t *body, uint64_t now_ns,
                       const char **why)
{
  struct held_input wanted = {.until_ns = now_ns + LEASE_NS};
  const char *name = json_string_value(json_object_get(body, "name"));
  snprintf(wanted.instance, sizeof wanted.instance, "%s", instance);
  *why = "expected name, an input, and values, its numbers";
  if (!name || strlen(name) >= LIST_MOST || strchr(name, '/') || !read_input_values(body, &wanted))
    return 400;
  /* The input must be one that the daemon describes, with as many numbers. */
  json_t *all = describe_daemon(c, instance, why);
  if (!all) return 404;
  const json_t *node = find_prefix(json_object_get(all, "ROOT"), 0);
  const json_t *inputs =
      json_object_get(json_object_get(json_object_get(node, "CONTENTS"), "input"), "CONTENTS");
  const json_t *input = json_object_get(inputs, name);
  const char *path = json_string_value(json_object_get(input, "FULL_PATH"));
  const char *types = json_string_value(json_object_get(input, "TYPE"));
  const bool there = path && types && strlen(path) < CONTROL_ADDRESS && (int)strlen(types) == wanted.channels;
  const bool found = there && find_osc_port(all, &wanted.to, why);
  if (there) snprintf(wanted.address, sizeof wanted.address, "%s", path);
  json_decref(all);
  if (!there) *why = "the daemon has no input of this name with this number of channels";
  if (!found) return there ? 502 : 404;
  *why = "too many inputs at once";
  struct held_input *held = find_held_input(c, &wanted);
  if (!held) return 503;
  *held = wanted;
  *why = "the input could not be sent to the daemon";
  return send_input(c, held) ? 200 : 502;
}

uint64_t control_tick(struct control *c, uint64_t now_ns)
{
  bool any = false;
  const bool now = now_ns >= c->sent_ns + AGAIN_NS;
  for (int i = 0; i < CONTROL_HELD; i++) {
    struct held_input *h = &c->held[i];
    if (h->channels && now_ns > h->until_ns) h->channels = 0;
    if (h->channels == 0) continue;
    any = true;
    if (now) send_input(c, h);
  }
  if (now) c->sent_ns = now_ns;
  return any ? c->sent_ns + AGAIN_NS : UINT64_MAX;
}
