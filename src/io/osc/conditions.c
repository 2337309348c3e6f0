/* SPDX-License-Identifier: MIT
 * The conditions of inputs: state, limits, age, owner, and the written beside the acting values. */
#include "osc/in_parts.h"
#include "rt/clock.h"

#include <string.h>

static const uint64_t TELL_NS = NS_PER_S / 5; /* interval of the messages about one input */

static const char *limits_text(uint32_t limits)
{
  static const char *const text[] = {"", "clamped", "slowed", "clamped slowed"};
  return text[limits & (INPUT_CLAMPED | INPUT_SLOWED)];
}

static void write_condition(const struct osc_in *in, const struct frame *f, int input, struct osc_writer *w)
{
  const struct input_spec *spec = &in->signals->input[input];
  const struct input_note note = frame_note(f, input);
  char types[sizeof "sssfs" + 2 * INPUT_WRENCH_CHANNELS] = "sssfs", owner[CLIENT_NAME];
  memset(types + strlen(types), 'f', 2 * (size_t)spec->count);
  port_owner_text(in->port, frame_owner(f, input), owner, sizeof owner);
  /* The whole input, then its channels. */
  osc_write_types(w, in->config->prefix, OSC_SENT_INPUT_STATE, types);
  osc_write_s(w, spec->name);
  osc_write_s(w, input_state_name(note.state));
  osc_write_s(w, limits_text(note.limits));
  osc_write_f(w, note.age_ms == UINT32_MAX ? -1.0 : 1e-3 * note.age_ms);
  osc_write_s(w, owner);
  for (int c = spec->first; c < spec->first + spec->count; c++) {
    osc_write_f(w, frame_written(f, c));
    osc_write_f(w, f->values[in->signals->input_first + c]);
  }
}

/* inputs [NAME] */
enum verdict osc_on_inputs(struct osc_in *in, const struct request *r)
{
  const struct frame *f = osc_out_last_frame(in->out);
  bool found = r->a->count == 0;
  for (int i = 0; f && f->count > 0 && i < in->signals->inputs; i++) {
    struct osc_writer w;
    if (r->a->count > 0 && strcmp(in->signals->input[i].name, osc_string(r->a, 0)) != 0) continue;
    found = true;
    write_condition(in, f, i, &w);
    osc_out_answer(in->out, &r->from, &w);
  }
  if (!found) osc_out_acknowledge(in->out, &r->from, "inputs", 0, RESULT_NO_SUCH_NAME);
  return ACCEPTED;
}

void osc_in_conditions(struct osc_in *in, uint64_t now_ns)
{
  const struct frame *f = osc_out_last_frame(in->out);
  for (int i = 0; f->count > 0 && i < in->signals->inputs; i++) {
    const struct input_note note = frame_note(f, i);
    const struct input_owner owner = frame_owner(f, i);
    struct osc_reported *reported = &in->reported[i];
    const bool same = reported->t_ns && reported->state == note.state && reported->limits == note.limits &&
                      reported->owner.source == owner.source && reported->owner.client == owner.client;
    if (same || (reported->t_ns && now_ns < reported->t_ns + TELL_NS)) continue;
    *reported =
        (struct osc_reported){.state = note.state, .limits = note.limits, .owner = owner, .t_ns = now_ns};
    struct osc_writer w;
    write_condition(in, f, i, &w);
    osc_out_tell(in->out, &w);
  }
}
