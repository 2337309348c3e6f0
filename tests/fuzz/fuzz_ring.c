/* SPDX-License-Identifier: MIT
 * libFuzzer: any changes of a frame ring that another user wrote. The first byte changes the length of the file. A ring that a
 * reader takes leads it to no place outside, and through no more slots, events and states than the file holds. */
#include "edits.h"
#include "frames/reader.h"
#include "shared_files.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum {
  SIGNALS = 3,
  INPUTS = 1,
  SLOTS = 3,
  EVENTS = 2,
  STATES = 2,
  TUNING = 2,
  FLAT = 64,
  STATE = 48,
  TEXTS = 64
};

/* A small ring, all parts behind one another. */
static struct {
  struct frames_head head;
  struct frames_name name[SIGNALS + INPUTS];
  char texts[TEXTS];
  uint8_t flat[FLAT];
  struct frames_event event[EVENTS];
  struct {
    struct frames_state state;
    uint8_t bytes[STATE];
  } state[STATES];
  struct {
    struct frames_slot slot;
    struct frames_input input[INPUTS];
    double tuning[TUNING], values[SIGNALS];
  } slot[SLOTS];
} good;

static void make_ring(const struct telemetry *t)
{
  const char *base = (const char *)&good;
  struct frames_head *h = &good.head;
#define AT(member) ((uint64_t)((const char *)&good.member - base))
  *h = (struct frames_head){.magic = FRAMES_MAGIC,
                            .version = FRAMES_VERSION,
                            .head_bytes = sizeof *h,
                            .size = sizeof good,
                            .pid = t->pid,
                            .start_ns = t->start_ns,
                            .period_ns = t->period_ns,
                            .signals = SIGNALS,
                            .inputs = INPUTS,
                            .signals_at = AT(name[0]),
                            .inputs_at = AT(name[SIGNALS]),
                            .texts_at = AT(texts),
                            .texts_bytes = TEXTS,
                            .flat_at = AT(flat),
                            .flat_bytes = FLAT,
                            .channel_first = 1,
                            .channels = 1,
                            .tuning = TUNING,
                            .events_at = AT(event),
                            .events = EVENTS,
                            .states_at = AT(state),
                            .states = STATES,
                            .state_bytes = sizeof good.state[0],
                            .model_bytes = STATE - 8,
                            .platform_bytes = 8,
                            .slots_at = AT(slot),
                            .slots = SLOTS,
                            .slot_bytes = sizeof good.slot[0],
                            .input_at = AT(slot[0].input) - AT(slot),
                            .tuning_at = AT(slot[0].tuning) - AT(slot),
                            .values_at = AT(slot[0].values) - AT(slot)};
  memcpy(good.texts, "signal\0m\0input", 14);
  h->version_at = h->model_at = h->config_at = h->yaml_at = h->extras_at = h->record_at = h->texts_at;
  for (int i = 0; i < SIGNALS + INPUTS; i++)
    good.name[i] = (struct frames_name){h->texts_at, h->texts_at + 7, h->texts_at, 0, 1};
  /* Slot 4, event 3 and state 2 are the newest ones. */
  for (uint64_t k = 2; k < 5; k++) good.slot[k % SLOTS].slot.sequence = 2 * k + 2;
  for (uint64_t k = 2; k < 4; k++) good.event[k % EVENTS].sequence = 2 * k + 2;
  for (uint64_t k = 1; k < 3; k++) good.state[k % STATES].state.sequence = 2 * k + 2;
  h->slots_written = 5;
  h->events_written = 4;
  h->states_written = 3;
#undef AT
}

static size_t walk_names(const struct frames_reader *r)
{
  size_t sum = strlen(frames_version(r)) + strlen(frames_model(r)) + strlen(frames_config(r)) +
               strlen(frames_yaml(r)) + strlen(frames_extras(r)) + strlen(frames_record(r));
  for (uint32_t i = 0; i <= r->head.signals; i++)
    sum += strlen(frames_signal_name(r, i)) + strlen(frames_signal_unit(r, i)) +
           strlen(frames_signal_quantity(r, i));
  for (uint32_t i = 0; i <= r->head.inputs; i++) sum += strlen(frames_input_name(r, i));
  return sum;
}

/* Every number of a slot. */
static double sum_slot(const struct frames_reader *r, const struct frames_slot *s)
{
  const struct frames_head *h = &r->head;
  double sum = s->time;
  for (uint32_t i = 0; i < h->inputs; i++) sum += frames_inputs(r, s)[i].age_ms;
  for (uint32_t i = 0; i < h->tuning; i++) sum += frames_tuning(r, s)[i];
  for (uint32_t i = 0; i < h->signals; i++) sum += frames_values(r, s)[i];
  for (uint32_t i = 0; i < h->channels; i++) sum += frames_values(r, s)[h->channel_first + i];
  return sum;
}

/* The oldest piece of a ring that has `room`, of which `written` were ever written. */
static uint64_t oldest_of(uint64_t written, uint64_t room)
{
  return written > room ? written - room : 0;
}

static double walk_pieces(const struct frames_reader *r)
{
  const struct frames_head *h = &r->head;
  uint64_t slots = 0, events = 0, states = 0;
  double sum = 0;
  struct frames_slot *slot = malloc(h->slot_bytes);
  struct frames_state *state = malloc(h->state_bytes);
  void *flat = malloc(h->flat_bytes + 1);
  struct frames_event event;
  shared_need(slot && state && flat);
  shared_need(frames_flat(r, flat) && frames_written(r, &slots, &events) &&
              frames_states_written(r, &states));
  for (uint64_t i = oldest_of(slots, h->slots); i < slots; i++) {
    if (frames_take(r, i, slot) == FRAMES_WHOLE) sum += sum_slot(r, slot);
    if (frames_take_head(r, i, slot) == FRAMES_WHOLE) sum += slot->time;
  }
  for (uint64_t i = frames_oldest_event(r, 0, events); i < events; i++) {
    shared_need(events - i <= h->events);
    if (frames_take_event(r, i, &event) == FRAMES_WHOLE) sum += (double)strlen(event.text);
  }
  for (uint64_t i = oldest_of(states, h->states); i < states; i++)
    if (frames_take_state(r, i, state) == FRAMES_WHOLE)
      for (uint64_t b = 0; b < h->model_bytes + h->platform_bytes; b++)
        sum += ((const uint8_t *)(state + 1))[b];
  free(slot);
  free(state);
  free(flat);
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct telemetry block;
  static int fd = -1;
  if (fd < 0) {
    shared_make_block(&block);
    make_ring(&block);
    fd = shared_make(OBJECT_FRAMES, &good, sizeof good);
  }
  if (n < 1) return 0;
  /* The changed ring, longer or shorter. */
  static char changed[sizeof good];
  struct edit e;
  const int longer = (int8_t)bytes[0];
  memcpy(changed, &good, sizeof changed);
  for (bytes++, n--; edit_next(&bytes, &n, sizeof changed, &e);) memcpy(changed + e.at, e.bytes, e.size);
  shared_need(pwrite(fd, changed, sizeof changed, 0) == (ssize_t)sizeof changed &&
              ftruncate(fd, (off_t)sizeof changed + longer) == 0);
  struct frames_reader r;
  char error[300] = "";
  if (frames_open(&r, shared_instance, error, sizeof error)) {
    (void)walk_names(&r); /* a sanitizer sees each read */
    (void)walk_pieces(&r);
    frames_close(&r);
  } else {
    shared_need(error[0] != '\0');
  }
  return 0;
}
