/* SPDX-License-Identifier: MIT */
#include "modbus_client/devices_parts.h"

#include "rt/clock.h"
#include "telemetry/device_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  COUNTER_BITS = 16, /* width of the alive register */
  NO_SUCH_ADDRESS = 2,
  NO_SUCH_VALUE = 3, /* exception 3: illegal value or length */
};
static const uint64_t LEAVE_NS = 3 * NS_PER_S / 10; /* for each answer, when the daemon stops */

static uint64_t device_ns(double seconds)
{
  return (uint64_t)llround(seconds * (double)NS_PER_S);
}

bool station_init(struct station *s, const struct modbus_device *device, const struct signals *signals,
                  struct port *port, struct device_view *view)
{
  *s = (struct station){.device = device,
                        .port = port,
                        .view = view,
                        .period_ns = device_ns(device->period),
                        .timeout_ns = device_ns(device->timeout),
                        .signals = signals,
                        .input_first = signals->input_first,
                        .channels = signals->channels};
  s->sample = calloc((size_t)signals->channels + 1, sizeof *s->sample);
  return s->sample && modbus_plan_reads(&s->reads[0], &device->map, device->alive, true) &&
         modbus_plan_reads(&s->reads[1], &device->map, device->alive, false) &&
         modbus_plan_writes(&s->writes, &device->map);
}

void station_free(struct station *s)
{
  modbus_plan_free(&s->reads[0]);
  modbus_plan_free(&s->reads[1]);
  modbus_plan_free(&s->writes);
  free(s->sample);
}

static void count_event(_Atomic uint64_t *counter)
{
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static enum bus_result note_result(struct station *s, enum bus_result result, const char *error)
{
  static const enum device_error kind[] = {[BUS_EXCEPTION] = DEVICE_ERROR_exception,
                                           [BUS_WRONG] = DEVICE_ERROR_wrong,
                                           [BUS_TIMEOUT] = DEVICE_ERROR_timeout,
                                           [BUS_LOST] = DEVICE_ERROR_lost,
                                           [BUS_UNREACHABLE] = DEVICE_ERROR_unreachable};
  if (result == BUS_OK) return result;
  count_event(&s->view->errors[kind[result]]);
  device_tell(s->view, error);
  return result;
}

static enum bus_result worse_result(enum bus_result a, enum bus_result b)
{
  return a > b ? a : b;
}

/* False without a connection, and on a line whose device has just kept silent. */
static bool may_go_on(const struct bus *b, enum bus_result result)
{
  return b->open && result != BUS_TIMEOUT;
}

/* A value of NaN or "no value" changes nothing: the last value stays and ages. If the device has an alive register,
 * nothing counts before that register has changed. */
static void take_value(struct station *s, const struct wired *w, const uint16_t *at, uint64_t t_ns)
{
  const double value = wire_get(&w->wire, at);
  const bool counts = s->device->alive >= 0;
  if (!isfinite(value))
    count_event(&s->view->errors[DEVICE_ERROR_nonfinite]);
  else if (!counts || s->counted)
    s->sample[w->signal - s->input_first] = (struct input_sample){
        .value = value, .t_ns = t_ns, .sequence = s->sequence, .counted = counts ? COUNTER_BITS : 0};
}

static void take_answer(struct station *s, const struct modbus_plan *p, const struct modbus_request *r,
                        const uint16_t *words)
{
  const uint64_t t_ns = clock_now_ns();
  for (int i = 0; i < r->items; i++) {
    const int item = p->item[r->first + i];
    if (item != PLAN_ALIVE) continue;
    s->sequence = words[s->device->alive - r->address];
    s->counted = true;
  }
  for (int i = 0; i < r->items; i++) {
    const int item = p->item[r->first + i];
    const struct wired *w = item == PLAN_ALIVE ? NULL : &s->device->map.item[item];
    if (w) take_value(s, w, words + (w->address - r->address), t_ns);
  }
}

static void publish_inputs(struct station *s)
{
  memcpy(snapshot_begin(&s->port->inputs), s->sample, (size_t)s->channels * sizeof *s->sample);
  snapshot_publish(&s->port->inputs);
}

static enum bus_result read_inputs(struct station *s, struct bus *b, bool *answered)
{
  enum bus_result worst = BUS_OK;
  const struct modbus_plan *p = &s->reads[s->gapless];
  for (int i = 0; i < p->requests; i++) {
    const struct modbus_request *r = &p->request[i];
    uint16_t words[PLAN_READ_BITS];
    char error[DEVICE_TEXT] = "";
    const enum bus_result result =
        note_result(s, bus_read(b, r->table, r->address, r->count, words, error, sizeof error), error);
    *answered |= result <= BUS_EXCEPTION;
    if (result == BUS_OK) take_answer(s, p, r, words);
    /* The device refuses a gap that was read along: from now on read without gaps. */
    if (result == BUS_EXCEPTION && r->bridges &&
        (b->exception == NO_SUCH_ADDRESS || b->exception == NO_SUCH_VALUE)) {
      s->gapless = 1;
      return read_inputs(s, b, answered);
    }
    worst = worse_result(worst, result);
    if (!may_go_on(b, result)) break;
  }
  return worst;
}

static double value_to_write(const struct station *s, const struct wired *w, bool runs)
{
  const double value = s->frame->values[w->signal];
  return !isnan(w->safe) && (!runs || !isfinite(value)) ? w->safe : value;
}

/* Returns false if nothing must be written, because the device would take the value that stands for "no value" as a
 * number. The safe value of a rig that is not armed is withheld, too, because nobody knows its distance from that pose. */
static bool put_output(struct station *s, const struct wired *w, bool runs, uint16_t *at)
{
  if ((s->frame->flags & FLAG_WITHHELD) && signals_is_motion(s->signals, w->signal)) return false;
  const double value = value_to_write(s, w, runs);
  const enum wire_fit fit = isfinite(value) ? wire_put(&w->wire, value, at) : WIRE_NO_VALUE;
  if (fit == WIRE_CLAMPED) count_event(&s->view->errors[DEVICE_ERROR_clamped]);
  if (fit == WIRE_NO_VALUE) count_event(&s->view->errors[DEVICE_ERROR_withheld]);
  return fit != WIRE_NO_VALUE;
}

/* Writes the words from `first` to before `end` of a request. */
static enum bus_result write_request_words(struct station *s, struct bus *b, const struct modbus_request *r,
                                           const uint16_t *words, int first, int end)
{
  char error[DEVICE_TEXT] = "";
  if (first == end) return BUS_OK;
  return note_result(
      s, bus_write(b, r->table, r->address + first, end - first, words + first, error, sizeof error), error);
}

/* Writes a request in parts if some of its words must not be written. */
static enum bus_result write_request(struct station *s, struct bus *b, const struct modbus_request *r,
                                     bool runs)
{
  uint16_t words[PLAN_WRITE_BITS];
  enum bus_result worst = BUS_OK, result = BUS_OK;
  int first = 0, end = 0; /* range of words that wait to be written */
  for (int i = 0; i < r->items && may_go_on(b, result); i++) {
    const struct wired *w = &s->device->map.item[s->writes.item[r->first + i]];
    const int at = w->address - r->address, next = at + wire_registers(w->wire.type);
    if (!put_output(s, w, runs, words + at)) {
      result = write_request_words(s, b, r, words, first, end);
      worst = worse_result(worst, result);
      first = next;
    }
    end = next;
  }
  if (may_go_on(b, result)) worst = worse_result(worst, write_request_words(s, b, r, words, first, end));
  return worst;
}

static void take_frame(struct station *s)
{
  const struct frame *f;
  port_take_frame(s->port, &f);
  if (f->t_ns) s->frame = f;
}

static enum bus_result write_outputs(struct station *s, struct bus *b, bool *answered)
{
  enum bus_result worst = BUS_OK, result = BUS_OK;
  take_frame(s);
  if (!s->frame) return BUS_OK;
  const uint32_t state = s->frame->state;
  const bool runs = state == STATE_READY || state == STATE_RUNNING || state == STATE_PAUSED;
  for (int i = 0; i < s->writes.requests && may_go_on(b, result); i++) {
    result = write_request(s, b, &s->writes.request[i], runs);
    *answered |= result <= BUS_EXCEPTION;
    worst = worse_result(worst, result);
  }
  return worst;
}

static enum bus_result reach_device(struct station *s, struct bus *b)
{
  char error[DEVICE_TEXT] = "";
  const bool was_open = b->open;
  bus_address(b, s->device->unit, s->timeout_ns);
  const enum bus_result result = note_result(s, bus_open(b, error, sizeof error), error);
  if (result == BUS_OK && !was_open) {
    if (s->connected) count_event(&s->view->reconnects);
    s->connected = true;
  }
  return result;
}

static void show_state(struct station *s, enum bus_result result)
{
  struct device_view *v = s->view;
  const bool gone = result == BUS_LOST || result == BUS_UNREACHABLE;
  if (result == BUS_OK) atomic_store_explicit(&v->polled_ns, clock_now_ns(), memory_order_relaxed);
  atomic_store_explicit(&v->state,
                        result == BUS_OK ? DEVICE_UP
                        : gone           ? DEVICE_CONNECTING
                                         : DEVICE_FAILING,
                        memory_order_release);
}

enum bus_result station_poll(struct station *s, struct bus *b, bool *answered)
{
  *answered = false;
  count_event(&s->view->polls);
  enum bus_result worst = reach_device(s, b);
  if (worst == BUS_OK) {
    worst = read_inputs(s, b, answered);
    if (s->reads[0].requests && *answered) publish_inputs(s);
    if (may_go_on(b, worst)) worst = worse_result(worst, write_outputs(s, b, answered));
  }
  show_state(s, worst);
  return worst;
}

static bool has_safe(const struct station *s, const struct modbus_request *r)
{
  for (int i = 0; i < r->items; i++)
    if (!isnan(s->device->map.item[s->writes.item[r->first + i]].safe)) return true;
  return false;
}

void station_leave(struct station *s, struct bus *b)
{
  char error[DEVICE_TEXT] = "";
  const uint64_t patience_ns = s->timeout_ns;
  bus_address(b, s->device->unit, patience_ns < LEAVE_NS ? patience_ns : LEAVE_NS);
  take_frame(s);
  for (int i = 0; s->frame && i < s->writes.requests; i++) {
    const struct modbus_request *r = &s->writes.request[i];
    if (!has_safe(s, r)) continue;
    if (bus_open(b, error, sizeof error) != BUS_OK || !may_go_on(b, write_request(s, b, r, false))) return;
  }
}
