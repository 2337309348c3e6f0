/* SPDX-License-Identifier: MIT */
#include "signals/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PORT_RING = 64, REFUSALS = 16, STRAYS = 16 };

/* A slot of the snapshot: the written values follow the values, then owners and conditions. */
struct frame_slot {
  struct frame frame;
  double values[];
};

static bool select_all(struct port *p, uint32_t values)
{
  p->run = calloc(1, sizeof *p->run);
  if (!p->run) return false;
  p->run[0] = (struct value_run){.count = values};
  p->runs = 1;
  return true;
}

bool port_select(struct port *p, const bool *wanted, uint32_t values)
{
  free(p->run);
  p->runs = 0;
  p->run = calloc(values / 2 + 1, sizeof *p->run);
  if (!p->run) return false;
  for (uint32_t i = 0; i < values; i++) {
    if (!wanted[i]) continue;
    if (i == 0 || !wanted[i - 1]) p->run[p->runs++] = (struct value_run){.first = i};
    p->run[p->runs - 1].count++;
  }
  return true;
}

bool port_init(struct port *p, const char *name, uint32_t values, uint32_t channels, bool event)
{
  memset(p, 0, sizeof *p);
  p->name = name;
  p->event = -1;
  /* An input has at least one channel, so this many owners suffice. */
  const size_t slot = sizeof(struct frame_slot) + (values + channels) * sizeof(double) +
                      channels * (sizeof(struct input_owner) + sizeof(struct input_note));
  bool ok = snapshot_init(&p->frames, slot) &&
            snapshot_init(&p->inputs, (channels ? channels : 1) * sizeof(struct input_sample)) &&
            ring_init(&p->commands, sizeof(struct command), PORT_RING) &&
            ring_init(&p->answers, sizeof(struct answer), PORT_RING) &&
            ring_init(&p->refusals, sizeof(struct refusal), REFUSALS) &&
            ring_init(&p->strays, sizeof(struct stray), STRAYS) && select_all(p, values);
  if (ok && event) {
    p->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    ok = p->event >= 0;
  }
  if (!ok) {
    port_free(p);
    return false;
  }
  /* Values before the first frame are zeros. */
  p->shown.values = ((const struct frame_slot *)snapshot_value(&p->frames))->values;
  return true;
}

void port_free(struct port *p)
{
  snapshot_free(&p->frames);
  snapshot_free(&p->inputs);
  ring_free(&p->commands);
  ring_free(&p->answers);
  ring_free(&p->refusals);
  ring_free(&p->strays);
  free(p->run);
  p->run = NULL;
  if (p->event >= 0) close(p->event);
  p->event = -1;
}

void port_publish(struct port *p, const struct frame *f)
{
  struct frame_slot *slot = snapshot_begin(&p->frames);
  double *written = slot->values + f->count;
  struct input_owner *owner = (struct input_owner *)(void *)(written + f->channels);
  struct input_note *note = (struct input_note *)(void *)(owner + f->inputs);
  for (const struct value_run *r = p->run; r < p->run + p->runs; r++)
    memcpy(slot->values + r->first, f->values + r->first, r->count * sizeof *f->values);
  if (f->inputs) memcpy(owner, f->owner, f->inputs * sizeof *owner);
  if (f->note && f->inputs) memcpy(note, f->note, f->inputs * sizeof *note);
  if (f->channels) memcpy(written, f->written, f->channels * sizeof *written);
  slot->frame = *f;
  slot->frame.values = slot->values;
  slot->frame.owner = owner;
  slot->frame.note = f->note ? note : NULL;
  slot->frame.written = written;
  snapshot_publish(&p->frames);
}

/* A full eventfd already wakes the thread, so a failed write is no error. */
void port_wake(struct port *p)
{
  if (p->event < 0) return;
  const ssize_t written = write(p->event, &(uint64_t){1}, sizeof(uint64_t));
  (void)written;
}

bool port_take_frame(struct port *p, const struct frame **frame)
{
  const uint32_t fault = atomic_load_explicit(&p->stuck, memory_order_acquire);
  const bool fresh = snapshot_take(&p->frames);
  struct frame *f = &p->shown;
  if (fresh) *f = ((const struct frame_slot *)snapshot_value(&p->frames))->frame;
  *frame = f;
  if (fault == 0 || f->state == STATE_EXIT) return fresh;
  f->state = STATE_SAFE;
  f->flags &= ~(uint32_t)(FLAG_READY | FLAG_RUNNING | FLAG_PAUSED | FLAG_FAULT);
  f->flags |= FLAG_SAFE;
  f->fault = fault;
  return true;
}

void port_show_stuck(struct port *p, uint32_t fault)
{
  atomic_store_explicit(&p->stuck, fault, memory_order_release);
  port_wake(p);
}

bool port_estop(struct port *p, const struct command *c)
{
  atomic_store_explicit(&p->estop, PORT_ESTOP | c->client, memory_order_release);
  const bool answered = ring_room(&p->commands) > PORT_RING / 2 && ring_push(&p->commands, c);
  if (p->wakeup) wakeup_send(p->wakeup);
  return answered;
}

enum { STRAYS_OF_FLOODS = 2 };

void port_tell_stranger(struct port *p, const struct sockaddr *from)
{
  struct stray s = {.kind = STRAY_STRANGER};
  if (ring_count(&p->strays) > STRAYS_OF_FLOODS) return;
  clients_address_text(from, s.client);
  memcpy(s.address, s.client, sizeof s.address);
  char *port = strrchr(s.address, ':');
  if (port) *port = '\0';
  ring_push(&p->strays, &s);
}

/* The struct was zeroed. */
static void copy_cut(char *to, size_t size, const char *text)
{
  const size_t n = strlen(text);
  memcpy(to, text, n < size ? n : size - 1);
}

void port_tell_stray(struct port *p, enum stray_kind kind, const char *what, const char *reason,
                     const char *client)
{
  struct stray s = {.kind = kind};
  if (ring_count(&p->strays) > STRAYS_OF_FLOODS) return;
  copy_cut(s.address, sizeof s.address, what);
  copy_cut(s.expected, sizeof s.expected, reason);
  copy_cut(s.client, sizeof s.client, client);
  ring_push(&p->strays, &s);
}

bool port_command(struct port *p, const struct command *c)
{
  if (c->code == COMMAND_ESTOP) {
    port_estop(p, c);
    return true;
  }
  const bool sent = ring_push(&p->commands, c);
  if (p->wakeup) wakeup_send(p->wakeup);
  return sent;
}
