/* SPDX-License-Identifier: MIT
 * The events of the ring, for the file that is open. The daemon tells an event after the cycle that it belongs to, on a busy host
 * much later. */
#include "record.h"

#include "rt/clock.h"

#include <time.h>

static const uint64_t LATE_AT_MOST_NS = 2 * NS_PER_S; /* of parameters behind their cycle */
static const long EVENT_LOOK_NS = 10000000;

static enum frames_got take_ring_event(struct event_feed *feed, const struct frames_reader *r,
                                       struct frames_event *e)
{
  const enum frames_got got = frames_take_event(r, feed->next, e);
  if (got == FRAMES_WHOLE && e->kind == FRAMES_EVENT_PARAMETER && e->b == 0) feed->parameters = e->code;
  return got;
}

void event_feed_begin(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                      uint64_t first, bool continues)
{
  uint64_t slots, events;
  struct frames_event e;
  if (!frames_written(r, &slots, &events)) return;
  if (continues) events = feed->next;
  feed->next = frames_oldest_event(r, 0, events);
  /* Older parameters lead from the configuration to the model in use. */
  for (; feed->next < events; feed->next++) {
    if (take_ring_event(feed, r, &e) != FRAMES_WHOLE) continue;
    if (e.cycle >= first) break;
    if (e.kind == FRAMES_EVENT_PARAMETER) run_file_add_event(f, &e);
  }
}

void event_feed_add(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                    uint64_t cycle)
{
  uint64_t slots, events;
  struct frames_event e;
  if (!frames_written(r, &slots, &events)) return;
  feed->next = frames_oldest_event(r, feed->next, events);
  for (; feed->next < events; feed->next++) {
    const enum frames_got got = take_ring_event(feed, r, &e);
    if (got == FRAMES_NOT_YET) return;
    if (got == FRAMES_WHOLE && e.cycle > cycle) return;
    if (got == FRAMES_WHOLE && f) run_file_add_event(f, &e);
  }
}

void event_feed_finish(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                       uint32_t parameters, uint64_t last)
{
  const uint64_t end_ns = clock_now_ns() + LATE_AT_MOST_NS;
  uint64_t slots, events;
  event_feed_add(feed, r, f, f->last_cycle);
  while (feed->parameters < parameters && !f->failed && frames_alive(r) && clock_now_ns() < end_ns) {
    if (!frames_written(r, &slots, &events) || slots > last) break;
    nanosleep(&(struct timespec){.tv_nsec = EVENT_LOOK_NS}, NULL);
    event_feed_add(feed, r, f, f->last_cycle);
  }
  if (feed->parameters < parameters && !f->failed)
    fprintf(
        stderr,
        "ali3-record: %s: the daemon has not reported the parameters of version %u in time; the last cycles "
        "of this file cannot be computed again\n",
        f->final, parameters);
}
