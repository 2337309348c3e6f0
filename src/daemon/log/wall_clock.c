/* SPDX-License-Identifier: MIT */
#include "log/wall_clock.h"

#include "rt/clock.h"

#include <stdio.h>
#include <time.h>

enum { TRIES = 5, GOOD_NS = 20000 };

static uint64_t read_ns(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return clock_ns(t);
}

/* A preemption between reading two clocks would look like a step of one of them: keep the best of several tries. */
void clocks_read(struct clocks *c)
{
  c->slack_ns = UINT64_MAX;
  for (int i = 0; i < TRIES && c->slack_ns > GOOD_NS; i++) {
    const uint64_t before = clock_now_ns();
    const uint64_t boot = read_ns(CLOCK_BOOTTIME), wall = read_ns(CLOCK_REALTIME);
    const uint64_t after = clock_now_ns();
    if (after - before >= c->slack_ns) continue;
    *c = (struct clocks){.now_ns = before,
                         .asleep_ns = boot - before,
                         .wall_ns = (int64_t)(wall - boot),
                         .slack_ns = after - before};
  }
}

uint64_t wall_clock_at(uint64_t monotonic_ns)
{
  struct clocks c;
  clocks_read(&c);
  /* The wall clock runs on while the machine is suspended, CLOCK_MONOTONIC does not. */
  return (uint64_t)(c.wall_ns + (int64_t)c.asleep_ns) + monotonic_ns;
}

void wall_clock_text(char text[WALL_CLOCK_TEXT])
{
  struct timespec t;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &t);
  gmtime_r(&t.tv_sec, &utc);
  char seconds[24];
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(text, WALL_CLOCK_TEXT, "%s.%03dZ", seconds, (int)(t.tv_nsec / 1000000));
}
