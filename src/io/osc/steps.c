/* SPDX-License-Identifier: MIT
 * Steps in lockstep. A step with a request number may be repeated, because UDP loses datagrams: it is made once, and a repeat
 * gets the answer and the frame again. The numbers of a sender rise. */
#include "osc/in_parts.h"

#include <stdio.h>
#include <string.h>

static struct osc_stepper *find_stepper(struct osc_in *in, const struct inet_address *at)
{
  for (int i = 0; i < OSC_STEPPERS; i++)
    if (in->stepper[i].used_ns && inet_address_same(&in->stepper[i].at, at)) return &in->stepper[i];
  return NULL;
}

/* The request is the last one or up to OSC_LATE_MAX numbers behind it. Farther behind, the sender has restarted. */
static bool was_made(const struct osc_stepper *s, int32_t request)
{
  const int32_t ahead = (int32_t)((uint32_t)request - (uint32_t)s->request);
  return ahead <= 0 && ahead >= -OSC_LATE_MAX;
}

bool osc_steps_again(struct osc_in *in, const struct osc_datagram *d, const struct osc_sender *from)
{
  for (int i = 0; i < d->messages; i++) {
    const struct osc_raw *m = &d->message[i];
    if (!m->known || strcmp(m->address, in->step) != 0) continue;
    osc_arguments(m, &in->arguments);
    if (!osc_types_are(&in->arguments, "ii") || osc_integer(&in->arguments, 1) <= 0) continue;
    const struct osc_stepper *s = find_stepper(in, &from->at);
    if (s && was_made(s, osc_integer(&in->arguments, 1))) return true;
  }
  return false;
}

/* A sender whose last use is oldest gives its place, but a sender whose step is under way does so last. */
void osc_remember_step(struct osc_in *in, const struct osc_sender *from, int32_t request)
{
  struct osc_stepper *s = find_stepper(in, &from->at);
  for (int i = 0; i < OSC_STEPPERS && !s; i++)
    if (!in->stepper[i].used_ns) s = &in->stepper[i];
  if (!s) {
    s = &in->stepper[0];
    for (struct osc_stepper *o = s + 1; o < in->stepper + OSC_STEPPERS; o++)
      if (o->awaited != s->awaited ? s->awaited : o->used_ns < s->used_ns) s = o;
  }
  *s = (struct osc_stepper){
      .at = from->at, .request = request, .set_ns = from->now_ns, .awaited = true, .used_ns = from->now_ns};
}

void osc_forget_steps(struct osc_in *in, const struct osc_sender *from)
{
  struct osc_stepper *s = find_stepper(in, &from->at);
  if (s) s->used_ns = 0;
}

/* --- answers --- */

static void send_answer(struct osc_in *in, const struct osc_sender *to, int32_t request, uint32_t result,
                        uint64_t cycle)
{
  if (result == RESULT_OK) {
    struct osc_writer w;
    osc_write(&w, in->config->prefix, OSC_SENT_STEPPED);
    osc_write_i(&w, request);
    osc_write_h(&w, (int64_t)cycle);
    osc_write_i(&w, osc_out_packets(in->out, &to->at));
    osc_out_owed(in->out, to, &w);
  }
  osc_out_owed_ack(in->out, to, command_name(COMMAND_STEP), request, result);
}

void osc_answer_step(struct osc_in *in, const struct osc_sender *to, const struct answer *a)
{
  struct osc_stepper *s = find_stepper(in, &to->at);
  uint32_t result = a->result;
  if (s && s->awaited && s->request == (int32_t)a->id) {
    if (result == RESULT_OK && osc_lost_input(in, &to->at, s->set_ns)) result = RESULT_NOT_AUTHORISED;
    s->awaited = false;
    s->result = result;
    s->cycle = a->cycle;
  }
  send_answer(in, to, (int32_t)a->id, result, a->cycle);
}

static void tell_number(struct osc_in *in, const struct request *r, int32_t last)
{
  char expected[80];
  snprintf(expected, sizeof expected, "a request number above %d for a new step, until a reset", last);
  osc_tell_types(in, r, expected);
}

bool osc_was_stepped(struct osc_in *in, const struct request *r, int32_t request, enum verdict *verdict)
{
  struct osc_stepper *s = request > 0 ? find_stepper(in, &r->from.at) : NULL;
  if (!s || !was_made(s, request)) return false;
  *verdict = REPEATED;
  s->used_ns = r->from.now_ns;
  if (request != s->request) {
    tell_number(in, r, s->request);
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_STEP), request, RESULT_BAD_ARGUMENT);
    *verdict = LATE;
    return true;
  }
  if (s->awaited) return true;
  /* Few networks lose as many answers in a row. A program that gives all steps one number makes no steps. */
  if (++s->repeats == OSC_REPEATS_TOLD) tell_number(in, r, s->request);
  if (s->result == RESULT_OK) osc_out_frame_again(in->out, &r->from.at);
  send_answer(in, &r->from, request, s->result, s->cycle);
  return true;
}
