/* SPDX-License-Identifier: MIT
 * Buttons of control surfaces that send commands. A press sends f 1.0, T or i 1, the release sends f 0.0, F or i 0, and a
 * toggle sends them in turns. Only the press is a command. I, N and a message without arguments are a press. */
#include "osc/in_parts.h"
#include "rt/clock.h"

static const uint64_t REPEAT_NS =
    NS_PER_S / 2; /* a pressed button that sends on within this time is not pressed again */

int32_t osc_request_id(const struct osc_arguments *a)
{
  return osc_is_integer(a->types[0]) ? osc_integer(a, 0) : 0;
}

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
static bool is_integer_press(struct osc_button *b, double number)
{
  const bool release = number == 0.0 && b->down;
  b->down = number == 1.0;
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
  if (a->count != 1 || !osc_is_number(a->types[0])) return true;
  const bool integer = osc_is_integer(a->types[0]), down = !(osc_number(a, 0) < 0.5);
  /* A stop acts with every number that is not clearly a release: NaN, repeated values. */
  if (!integer && (code == COMMAND_ESTOP || code == COMMAND_PAUSE)) return down;
  struct osc_button *b = find_button(in, from, code);
  const bool press = integer ? is_integer_press(b, osc_number(a, 0)) : is_number_press(b, down, from->now_ns);
  b->t_ns = from->now_ns;
  return press;
}
