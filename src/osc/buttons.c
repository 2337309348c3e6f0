/* SPDX-License-Identifier: MIT
 * Buttons of control surfaces that send commands. A press sends f 1.0, T or i 1, the release sends f 0.0, F or i 0, and a
 * toggle sends them in turns. Only the press is a command. */
#include "osc/in_parts.h"
#include "rt/clock.h"

static const uint64_t REPEAT_NS =
    NS_PER_S / 2; /* a pressed button that sends on within this time is not pressed again */

/* The memory of a sender's button; without one, the memory that was used least recently. */
static struct osc_button *find_button(struct osc_in *in, const struct osc_sender *from, unsigned code)
{
  struct osc_button *oldest = &in->button[0];
  for (int i = 0; i < OSC_BUTTONS; i++) {
    struct osc_button *b = &in->button[i];
    if (b->t_ns && b->code == code && inet_address_same(&b->at, &from->at)) return b;
    if (b->t_ns < oldest->t_ns) oldest = b;
  }
  *oldest = (struct osc_button){.at = from->at, .code = code};
  return oldest;
}

/* An integer is the number of a request, so that 0 is a release only after the 1 of a press. */
static bool is_integer_press(struct osc_button *b, int32_t number)
{
  const bool release = number == 0 && b->down;
  b->down = number == 1;
  return !release;
}

/* The datagram with a release may be lost. After a pause the next value is therefore a new press. */
static bool is_number_press(struct osc_button *b, bool down, uint64_t now_ns)
{
  const bool repeats = b->down && now_ns - b->t_ns < REPEAT_NS;
  b->down = down;
  return down && !repeats;
}

bool osc_is_press(struct osc_in *in, const struct osc_sender *from, unsigned code,
                  const struct osc_arguments *a)
{
  if (a->count == 0 || !osc_is_number(a->types[0])) return true;
  struct osc_button *b = find_button(in, from, code);
  const bool press = a->types[0] == 'i' ? is_integer_press(b, osc_integer(a, 0))
                                        : is_number_press(b, osc_number(a, 0) >= 0.5, from->now_ns);
  b->t_ns = from->now_ns;
  return press;
}

/* Every message that is not clearly a release acts: NaN, several arguments, repeated values. */
bool osc_is_estop_press(struct osc_in *in, const struct osc_sender *from, const struct osc_raw *m)
{
  if (!m->known) return true;
  osc_arguments(m, &in->arguments);
  const struct osc_arguments *a = &in->arguments;
  if (a->count != 1 || !osc_is_number(a->types[0])) return true;
  if (a->types[0] != 'i') return !(osc_number(a, 0) < 0.5);
  struct osc_button *b = find_button(in, from, COMMAND_ESTOP);
  const bool press = is_integer_press(b, osc_integer(a, 0));
  b->t_ns = from->now_ns;
  return press;
}
