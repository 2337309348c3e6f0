/* SPDX-License-Identifier: MIT
 * Stops: the e-stop and `pause`. A datagram need not be well-formed to stop the motion.
 *
 * The e-stop acts wherever the bytes of its address stand in the first OSC_IN_MAX bytes of a datagram: without type tags,
 * unpadded, beside a broken message, at any depth, and also as the text of an argument. A stop too many is the safe side. The
 * only exception is the release of a button in a well-formed datagram. `pause` is read from well-formed datagrams as every
 * command is, and found in malformed ones by its bytes. */
#include "osc/in_parts.h"

#include <string.h>

/* The message whose address stands at this byte; NULL without one. The messages have the order of their bytes, so that a
 * search begins where the last one ended. */
static const struct osc_raw *message_at(const struct osc_datagram *d, const uint8_t *byte, int *next)
{
  while (*next < d->messages && (const uint8_t *)d->message[*next].address < byte) ++*next;
  if (*next == d->messages) return NULL;
  const struct osc_raw *m = &d->message[*next];
  return (const uint8_t *)m->address == byte ? m : NULL;
}

void osc_in_estop(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                  uint64_t t_ns)
{
  const size_t length = strlen(in->estop), end = n < OSC_IN_MAX ? n : OSC_IN_MAX;
  const uint8_t *at = memmem(bytes, end, in->estop, length);
  if (!at) return; /* most datagrams end here and need no parsing */
  osc_parse(bytes, n, &in->datagram);
  for (int next = 0; at; at = memmem(at + 1, (size_t)(bytes + end - at - 1), in->estop, length)) {
    const struct osc_sender sender = {.at = *from, .bytes = n, .now_ns = t_ns};
    const struct osc_raw *m = message_at(&in->datagram, at, &next);
    in->arguments.types = "";
    in->arguments.count = 0;
    if (m && m->known && strcmp(m->address, in->estop) == 0) osc_arguments(m, &in->arguments);
    if (!osc_is_press(in, &sender, COMMAND_ESTOP, &in->arguments)) continue;
    osc_raise_estop(in, &sender, osc_request_id(&in->arguments));
    return;
  }
}

void osc_raise_estop(struct osc_in *in, const struct osc_sender *from, int32_t id)
{
  const struct command c = {
      .code = COMMAND_ESTOP, .id = (uint32_t)id, .client = osc_take_client(in, from), .t_ns = from->now_ns};
  in->estop_ns = from->now_ns;
  counter_add(&in->counters->osc_commands, 1);
  if (port_estop(in->port, &c)) return;
  /* The e-stop acts through its flag, which the loop does not answer. */
  in->client[c.client].awaited = false;
  osc_out_acknowledge(in->out, from, command_name(c.code), id, RESULT_OK);
}

/* osc_in_estop() has passed on the first e-stop of the datagram; it stands for all of them. */
enum verdict osc_on_estop(struct osc_in *in, const struct request *r)
{
  if (in->once.estop)
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_ESTOP), osc_request_id(r->a), RESULT_OK);
  in->once.estop = true;
  return ACCEPTED;
}

const char *osc_stop_of_malformed(struct osc_in *in, const uint8_t *bytes, size_t n, const struct request *r)
{
  const size_t end = n < OSC_IN_MAX ? n : OSC_IN_MAX;
  if (memmem(bytes, end, in->estop, strlen(in->estop))) return "estop";
  if (!memmem(bytes, end, in->pause, strlen(in->pause))) return NULL;
  osc_send_command(in, r, COMMAND_PAUSE, 0, 0);
  return r->access >= ACCESS_WRITE ? "pause" : NULL;
}
