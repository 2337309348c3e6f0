/* SPDX-License-Identifier: MIT
 * liblo decodes single messages only. Its server is not used: that would listen on every interface, answer
 * unmatched addresses ending in '/', recurse as deep as a packet says, and dispatch the front of a packet
 * whose end is bad. */
#include "io/osc_in.h"
#include "rt/clock.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  NESTING_MAX = 4,
  MESSAGES_MAX = OSC_IN_MAX / 12, /* a size of 4 bytes, "/" and "," of 4 each */
  RETURN_ADDRESSES = 256,         /* more than can be under way in both rings of a port, and steps owed */
};

struct osc_in {
  const char *prefix;
  size_t prefix_length;
  const struct signals *signals;
  struct port *port;
  struct counters *counters;
  struct osc_out *out;

  struct input_sample *sample; /* (signals->channels) last value of each channel ever received */
  bool changed;                /* sample is newer than what the loop was given */
  bool beat;                   /* and a frame is in it that may pace the loop */
  bool framed;                 /* a frame was received, its number is in sequence */
  int32_t sequence;

  uint32_t next_client; /* goes round; a command's client is its place in return_to */
  struct {
    struct osc_address address;
    bool awaited; /* an answer is to go there */
  } return_to[RETURN_ADDRESSES];

  /* of the datagram in hand */
  int commands;
  struct command command[MESSAGES_MAX];
  int messages;
  struct message {
    const char *address;
    lo_message decoded; /* NULL: has arguments of types that are used nowhere here */
  } message[MESSAGES_MAX];
};

enum verdict { ACCEPTED, UNKNOWN, WRONG_TYPES, NONFINITE, REPEATED };

/* A message on its way to a handler. */
struct request {
  const char *tail; /* address below the prefix */
  const char *types;
  int count;
  lo_arg **argument; /* not aligned for 64-bit values: read with number() and integer() only */
  const struct osc_address *from;
  uint64_t now_ns;
};

struct osc_in *osc_in_new(const char *prefix, const struct signals *signals, struct port *port,
                          struct counters *counters, struct osc_out *out)
{
  struct osc_in *in = calloc(1, sizeof *in);
  if (!in) return NULL;
  in->prefix = prefix;
  in->prefix_length = strlen(prefix);
  in->signals = signals;
  in->port = port;
  in->counters = counters;
  in->out = out;
  in->sample = calloc((size_t)signals->channels + 1, sizeof *in->sample);
  if (!in->sample) {
    osc_in_free(in);
    return NULL;
  }
  return in;
}

void osc_in_free(struct osc_in *in)
{
  if (!in) return;
  free(in->sample);
  free(in);
}

/* --- arguments --- */

static bool is_number(char type)
{
  return type == LO_FLOAT || type == LO_DOUBLE || type == LO_INT32;
}

static double number(const struct request *r, int i)
{
  union {
    float f;
    double d;
    int32_t i;
  } v;
  switch (r->types[i]) {
  case LO_FLOAT:
    memcpy(&v.f, (const void *)r->argument[i], sizeof v.f);
    return (double)v.f;
  case LO_DOUBLE:
    memcpy(&v.d, (const void *)r->argument[i], sizeof v.d);
    return v.d;
  default:
    memcpy(&v.i, (const void *)r->argument[i], sizeof v.i);
    return v.i;
  }
}

static int32_t integer(const struct request *r, int i)
{
  int32_t v;
  memcpy(&v, (const void *)r->argument[i], sizeof v);
  return v;
}

static int64_t long_integer(const struct request *r, int i)
{
  int64_t v;
  memcpy(&v, (const void *)r->argument[i], sizeof v);
  return v;
}

static const char *string(const struct request *r, int i)
{
  return (const char *)r->argument[i];
}

static bool types_are(const struct request *r, const char *types)
{
  return strcmp(r->types, types) == 0;
}

static bool all_numbers(const struct request *r, int first, int count)
{
  if (r->count != first + count) return false;
  for (int i = first; i < r->count; i++)
    if (!is_number(r->types[i])) return false;
  return true;
}

static bool all_finite(const struct request *r)
{
  for (int i = 0; i < r->count; i++)
    if (is_number(r->types[i]) && !isfinite(number(r, i))) return false;
  return true;
}

/* --- handlers --- */

static void acknowledge(struct osc_in *in, const struct osc_address *to, unsigned code, int32_t id,
                        unsigned result)
{
  lo_message m = lo_message_new();
  if (m) {
    lo_message_add_string(m, command_name(code));
    lo_message_add_int32(m, id);
    lo_message_add_int32(m, (int32_t)result);
  }
  osc_out_answer(in->out, to, "ack", m);
}

/* Steps are answered when they are done, perhaps long after what came later: their place is not given away. Where answers
 * were lost for lack of room no place may be free. */
static uint32_t place_for(struct osc_in *in, const struct osc_address *from)
{
  uint32_t place = in->next_client;
  for (int i = 0; i < RETURN_ADDRESSES && in->return_to[place].awaited; i++)
    place = (place + 1) % RETURN_ADDRESSES;
  in->next_client = (place + 1) % RETURN_ADDRESSES;
  in->return_to[place].address = *from;
  in->return_to[place].awaited = true;
  return place;
}

/* With the inputs of the same datagram, after them: see hand_over(). */
static void send_command(struct osc_in *in, const struct request *r, unsigned code, uint32_t argument,
                         int32_t id)
{
  /* A loop that stands still answers nothing, and must not find this when it goes on. */
  if (atomic_load_explicit(&in->port->stuck, memory_order_acquire) && code != COMMAND_RESET &&
      code != COMMAND_ESTOP) {
    acknowledge(in, r->from, code, id, RESULT_WRONG_STATE);
    return;
  }
  in->command[in->commands++] = (struct command){.code = code,
                                                 .argument = argument,
                                                 .id = (uint32_t)id,
                                                 .client = place_for(in, r->from),
                                                 .t_ns = r->now_ns};
}

static enum verdict on_command(struct osc_in *in, const struct request *r)
{
  int code = command_from_name(r->tail + strlen("cmd/"));
  /* These have arguments and addresses of their own. */
  if (code == 0 || code == COMMAND_STEP || code == COMMAND_INJECT) return UNKNOWN;
  if (!types_are(r, "") && !types_are(r, "i")) return WRONG_TYPES;
  send_command(in, r, (unsigned)code, 0, r->count ? integer(r, 0) : 0);
  return ACCEPTED;
}

/* step CYCLES [REQUEST]: acknowledged when they are done, in lockstep; the frame goes out before. */
static enum verdict on_step(struct osc_in *in, const struct request *r)
{
  if (!types_are(r, "i") && !types_are(r, "ii")) return WRONG_TYPES;
  const int32_t cycles = integer(r, 0), id = r->count > 1 ? integer(r, 1) : 0;
  if (cycles >= 1)
    send_command(in, r, COMMAND_STEP, (uint32_t)cycles, id);
  else
    acknowledge(in, r->from, COMMAND_STEP, id, RESULT_BAD_ARGUMENT);
  return ACCEPTED;
}

static void set_channels(struct osc_in *in, const struct request *r, int first_argument, int first_channel)
{
  for (int i = first_argument; i < r->count; i++)
    in->sample[first_channel + i - first_argument] =
        (struct input_sample){.value = number(r, i), .t_ns = r->now_ns};
  in->changed = true;
}

/* input/NAME, and its parts: input/NAME/force, input/NAME/torque, input/NAME/value */
static enum verdict on_input(struct osc_in *in, const struct request *r)
{
  const char *name = r->tail + strlen("input/");
  size_t length = strcspn(name, "/");
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_spec *known = &in->signals->input[i];
    if (strlen(known->name) != length || memcmp(known->name, name, length) != 0) continue;
    int first = known->first, count = known->count;
    if (name[length] != '\0') {
      const struct input_part *part = input_parts(known->kind);
      while (part->name && strcmp(part->name, name + length + 1) != 0) part++;
      if (!part->name) return UNKNOWN;
      first += part->first;
      count = part->count;
    }
    if (!all_numbers(r, 0, count)) return WRONG_TYPES;
    set_channels(in, r, 0, first);
    return ACCEPTED;
  }
  return UNKNOWN;
}

/* All channels at once, numbered. A number that comes again is no sign of life: the sender's program hangs
 * while its network stack still sends, or the network doubled the datagram. */
static enum verdict on_frame(struct osc_in *in, const struct request *r)
{
  if (strncmp(r->types, "ih", 2) != 0 || !all_numbers(r, 2, in->signals->channels)) return WRONG_TYPES;
  int32_t sequence = integer(r, 0);
  if (in->framed && sequence == in->sequence) return REPEATED;
  in->framed = true;
  in->sequence = sequence;
  set_channels(in, r, 2, 0);
  in->beat = true;
  return ACCEPTED;
}

static enum verdict on_ping(struct osc_in *in, const struct request *r)
{
  if (!types_are(r, "ih")) return WRONG_TYPES;
  lo_message m = lo_message_new();
  if (m) {
    lo_message_add_int32(m, integer(r, 0));
    lo_message_add_int64(m, long_integer(r, 1));
    lo_message_add_int64(m, (int64_t)r->now_ns);
    lo_message_add_int64(m, (int64_t)clock_now_ns());
  }
  osc_out_answer(in->out, r->from, "pong", m);
  return ACCEPTED;
}

static enum verdict on_status(struct osc_in *in, const struct request *r)
{
  if (!types_are(r, "")) return WRONG_TYPES;
  osc_out_status(in->out, r->from);
  return ACCEPTED;
}

static unsigned stream_from_name(const char *name)
{
  if (strcmp(name, "body") == 0) return OSC_STREAM_STATE;
  if (strcmp(name, "status") == 0) return OSC_STREAM_STATUS;
  if (strcmp(name, "loop") == 0) return OSC_STREAM_LOOP;
  if (strcmp(name, "all") == 0) return OSC_STREAM_STATE | OSC_STREAM_STATUS;
  return 0;
}

/* The sender's host with another port; port 0 keeps the sender's. */
static bool receiver_address(const struct request *r, int32_t port, struct osc_address *to)
{
  if (port < 0 || port > UINT16_MAX) return false;
  *to = *r->from;
  if (port == 0) return true;
  if (to->name.any.sa_family == AF_INET6)
    to->name.v6.sin6_port = htons((uint16_t)port);
  else
    to->name.v4.sin_port = htons((uint16_t)port);
  return true;
}

static void acknowledge_stream(struct osc_in *in, const struct request *r, const char *address, int result)
{
  lo_message m = lo_message_new();
  if (m) {
    lo_message_add_string(m, string(r, 0));
    lo_message_add_int32(m, result);
  }
  osc_out_answer(in->out, r->from, address, m);
}

/* sub STREAM PORT DIVISOR PROFILE */
static enum verdict on_subscribe(struct osc_in *in, const struct request *r)
{
  if (!types_are(r, "siii")) return WRONG_TYPES;
  unsigned streams = stream_from_name(string(r, 0));
  int32_t divisor = integer(r, 2), profile = integer(r, 3);
  struct osc_address to;
  int result = RESULT_OK;
  if (!streams || !receiver_address(r, integer(r, 1), &to) || divisor < 1 || divisor > OSC_DIVISOR_MAX ||
      profile < 0 || profile > 1)
    result = RESULT_BAD_ARGUMENT;
  else if (!osc_out_subscribe(in->out, &to, streams, (uint32_t)divisor, profile == 1, r->now_ns))
    result = RESULT_NOT_AUTHORISED;
  acknowledge_stream(in, r, "sub/ack", result);
  return ACCEPTED;
}

/* unsub STREAM [PORT] */
static enum verdict on_unsubscribe(struct osc_in *in, const struct request *r)
{
  if (!types_are(r, "s") && !types_are(r, "si")) return WRONG_TYPES;
  unsigned streams = stream_from_name(string(r, 0));
  struct osc_address to;
  bool ok = streams && receiver_address(r, r->count > 1 ? integer(r, 1) : 0, &to) &&
            osc_out_unsubscribe(in->out, &to, streams);
  acknowledge_stream(in, r, "unsub/ack", ok ? RESULT_OK : RESULT_BAD_ARGUMENT);
  return ACCEPTED;
}

static const struct {
  const char *address; /* ending in '/': all below it */
  enum verdict (*handle)(struct osc_in *in, const struct request *r);
} HANDLERS[] = {
    {"in/frame", on_frame}, {"input/", on_input},  {"cmd/", on_command},  {"step", on_step},
    {"ping", on_ping},      {"status", on_status}, {"sub", on_subscribe}, {"unsub", on_unsubscribe},
};

static enum verdict dispatch(struct osc_in *in, const struct message *m, const struct osc_address *from,
                             uint64_t now_ns)
{
  if (strncmp(m->address, in->prefix, in->prefix_length) != 0 || m->address[in->prefix_length] != '/')
    return UNKNOWN;
  const char *tail = m->address + in->prefix_length + 1;
  for (size_t i = 0; i < sizeof HANDLERS / sizeof HANDLERS[0]; i++) {
    size_t n = strlen(HANDLERS[i].address);
    bool below = HANDLERS[i].address[n - 1] == '/';
    if (below ? strncmp(tail, HANDLERS[i].address, n) != 0 : strcmp(tail, HANDLERS[i].address) != 0) continue;
    if (!m->decoded) return WRONG_TYPES;
    struct request r = {.tail = tail,
                        .types = lo_message_get_types(m->decoded),
                        .count = lo_message_get_argc(m->decoded),
                        .argument = lo_message_get_argv(m->decoded),
                        .from = from,
                        .now_ns = now_ns};
    return all_finite(&r) ? HANDLERS[i].handle(in, &r) : NONFINITE;
  }
  return UNKNOWN;
}

/* --- datagrams --- */

/* Where the string at `at` ends, padding included; 0 if it does not end within n bytes. */
static size_t string_end(const uint8_t *bytes, size_t at, size_t n)
{
  const uint8_t *nul = at < n ? memchr(bytes + at, 0, n - at) : NULL;
  return nul ? ((size_t)(nul - bytes) & ~(size_t)3) + 4 : 0;
}

/* Adds a message to those of the datagram; false if it is malformed. Only arguments that liblo's decoder
 * reads safely get there: with a blob it looks at a length that may lie beyond the end. */
static bool collect_message(struct osc_in *in, const uint8_t *bytes, size_t n)
{
  size_t types = string_end(bytes, 0, n);
  if (bytes[0] != '/' || types == 0 || types >= n || bytes[types] != ',') return false;
  if (string_end(bytes, types, n) == 0 || in->messages == MESSAGES_MAX) return false;
  const char *tags = (const char *)bytes + types + 1;
  lo_message decoded = NULL;
  if (tags[strspn(tags, "ifdhs")] == '\0') {
    int result = 0;
    decoded = lo_message_deserialise((void *)bytes, n, &result);
    if (!decoded) return false;
  }
  in->message[in->messages++] = (struct message){(const char *)bytes, decoded};
  return true;
}

static bool collect(struct osc_in *in, const uint8_t *bytes, size_t n, int depth)
{
  if (n < 8 || n % 4 != 0) return false;
  if (memcmp(bytes, "#bundle", 8) != 0) return collect_message(in, bytes, n);
  if (n < 16 || depth == NESTING_MAX) return false;
  for (size_t at = 16; at < n;) {
    uint32_t size;
    memcpy(&size, bytes + at, sizeof size);
    size = be32toh(size);
    at += sizeof size;
    if (size > n - at || !collect(in, bytes + at, size, depth + 1)) return false;
    at += size;
  }
  return true;
}

/* The loop finds the inputs of a datagram in one piece, and before what the same datagram tells it to do. */
static void hand_over(struct osc_in *in, uint64_t now_ns)
{
  if (in->changed) {
    size_t size = (size_t)in->signals->channels * sizeof *in->sample;
    memcpy(snapshot_begin(&in->port->inputs), in->sample, size);
    snapshot_publish(&in->port->inputs);
    if (in->beat) port_beat(in->port, now_ns);
  }
  for (int i = 0; i < in->commands; i++) {
    const struct command *c = &in->command[i];
    const bool sent = port_command(in->port, c);
    if (!sent) in->return_to[c->client].awaited = false;
    counter_add(sent ? &in->counters->osc_commands : &in->counters->commands_dropped, 1);
  }
  in->changed = in->beat = false;
  in->commands = 0;
}

void osc_in_packet(struct osc_in *in, const uint8_t *bytes, size_t n, const struct osc_address *from,
                   uint64_t now_ns)
{
  _Atomic uint64_t *const counter[] = {[ACCEPTED] = &in->counters->osc_received,
                                       [UNKNOWN] = &in->counters->osc_unknown,
                                       [WRONG_TYPES] = &in->counters->osc_type_errors,
                                       [NONFINITE] = &in->counters->osc_nonfinite,
                                       [REPEATED] = &in->counters->osc_repeated};
  in->messages = 0;
  if (n <= OSC_IN_MAX && collect(in, bytes, n, 0)) {
    for (int i = 0; i < in->messages; i++)
      counter_add(counter[dispatch(in, &in->message[i], from, now_ns)], 1);
  } else {
    counter_add(&in->counters->osc_malformed, 1);
  }
  for (int i = 0; i < in->messages; i++)
    if (in->message[i].decoded) lo_message_free(in->message[i].decoded);
  hand_over(in, now_ns);
}

void osc_in_answers(struct osc_in *in, uint32_t most)
{
  struct answer a;
  for (uint32_t n = 0; n < most && ring_pop(&in->port->answers, &a); n++) {
    if (a.client >= RETURN_ADDRESSES) continue;
    in->return_to[a.client].awaited = false;
    acknowledge(in, &in->return_to[a.client].address, a.code, (int32_t)a.id, a.result);
  }
}
