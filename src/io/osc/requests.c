/* SPDX-License-Identifier: MIT
 * Requests that need no answer of the loop: ping, status, subscriptions. */
#include "osc/in_parts.h"
#include "rt/clock.h"

#include <string.h>

enum verdict osc_on_ping(struct osc_in *in, const struct request *r)
{
  in->once.ping = true;
  in->once.ping_id = osc_integer(r->a, 0);
  in->once.ping_t = osc_long(r->a, 1);
  in->once.ping_bytes = r->from.bytes;
  return ACCEPTED;
}

enum verdict osc_on_status(struct osc_in *in, const struct request *r)
{
  in->once.status = true;
  in->once.status_bytes = r->from.bytes;
  return ACCEPTED;
}

void osc_answer_once(struct osc_in *in, const struct osc_sender *to)
{
  struct osc_sender sender = *to;
  if (in->once.ping) {
    struct osc_writer w;
    osc_write(&w, in->config->prefix, OSC_SENT_PONG);
    osc_write_i(&w, in->once.ping_id);
    osc_write_h(&w, in->once.ping_t);
    osc_write_h(&w, (int64_t)to->now_ns);
    osc_write_h(&w, (int64_t)clock_now_ns());
    sender.bytes = in->once.ping_bytes;
    osc_out_answer(in->out, &sender, &w);
  }
  if (in->once.status) {
    sender.bytes = in->once.status_bytes;
    osc_out_status(in->out, &sender);
  }
}

/* Returns STREAM_NONE if there is no such stream. */
static enum stream stream_from_name(const char *name)
{
  static const char *const names[] = {
#define STREAM_NAME(id, text) [id] = (text),
      STREAM_LIST(STREAM_NAME)
#undef STREAM_NAME
  };
  int s = 0;
  while (s < STREAM_NONE && strcmp(name, names[s]) != 0) s++;
  return (enum stream)s;
}

/* The sender's host with the given port; port 0 means the sender's port. */
static bool receiver_address(const struct request *r, int32_t port, struct inet_address *to)
{
  if (port < 0 || port > UINT16_MAX) return false;
  *to = r->from.at;
  if (port != 0) inet_address_set_port(to, port);
  return true;
}

static void acknowledge_stream(struct osc_in *in, const struct request *r, enum osc_sent what,
                               unsigned result)
{
  struct osc_writer w;
  osc_write(&w, in->config->prefix, what);
  osc_write_s(&w, osc_string(r->a, 0));
  osc_write_i(&w, (int32_t)result);
  osc_out_answer(in->out, &r->from, &w);
}

/* sub STREAM PORT DIVISOR PROFILE */
enum verdict osc_on_subscribe(struct osc_in *in, const struct request *r)
{
  const enum stream stream = stream_from_name(osc_string(r->a, 0));
  const int32_t divisor = osc_integer(r->a, 2), profile = osc_integer(r->a, 3);
  struct inet_address to;
  unsigned result = RESULT_OK;
  if (stream == STREAM_NONE || !receiver_address(r, osc_integer(r->a, 1), &to) || divisor < 1 ||
      divisor > OSC_DIVISOR_MAX || profile < 0 || profile > 1)
    result = RESULT_BAD_ARGUMENT;
  else if (!osc_out_subscribe(in->out, &r->from, &to, stream, (uint32_t)divisor, profile == 1))
    result = RESULT_NOT_AUTHORISED;
  acknowledge_stream(in, r, OSC_SENT_SUB_ACK, result);
  return ACCEPTED;
}

/* unsub STREAM [PORT] */
enum verdict osc_on_unsubscribe(struct osc_in *in, const struct request *r)
{
  const enum stream stream = stream_from_name(osc_string(r->a, 0));
  struct inet_address to;
  const bool ok = stream != STREAM_NONE &&
                  receiver_address(r, r->a->count > 1 ? osc_integer(r->a, 1) : 0, &to) &&
                  osc_out_unsubscribe(in->out, &r->from, &to, stream);
  acknowledge_stream(in, r, OSC_SENT_UNSUB_ACK, ok ? RESULT_OK : RESULT_BAD_ARGUMENT);
  return ACCEPTED;
}

/* heartbeat COUNT: an unchanged count is no sign of life. */
enum verdict osc_on_heartbeat(struct osc_in *in, const struct request *r)
{
  if (r->access >= ACCESS_WRITE) osc_owner_beats(in, &r->from, osc_integer(r->a, 0));
  return osc_out_heartbeat(in->out, &r->from, osc_integer(r->a, 0)) ? ACCEPTED : REPEATED;
}
