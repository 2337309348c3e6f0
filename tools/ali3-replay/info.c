/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include <inttypes.h>
#include <time.h>

static void print_start(const struct recording *r)
{
  const time_t seconds = (time_t)(r->start_utc / 1000000000u);
  struct tm tm;
  char text[40];
  gmtime_r(&seconds, &tm);
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm);
  printf("daemon started   %s\n", text);
}

int info_run(const struct recording *r)
{
  printf("instance         %s\nmodel            %s\nconfiguration    %s\nlabel            %s\n", r->instance,
         r->model, r->config, r->label);
  print_start(r);
  printf("recorded by      %s\ninstruction set  %s\nmodel hash       %s\n", r->version, r->isa, r->hash);
  printf("period           %g s\nsignals          %u, %s, every %" PRIu64 ". cycle\n", r->period, r->signals,
         r->single ? "f32" : "f64", r->divisor);
  if (r->rows > 0)
    printf("cycles           %" PRIu64 " to %" PRIu64 ", %" PRIu64 " rows, %" PRIu64 " lost\n", r->cycle[0],
           r->cycle[r->rows - 1], (uint64_t)r->rows, r->lost);
  printf("replay           %" PRIu64 " cycles, %u input channels, %" PRIu64 " states\n", (uint64_t)r->acts,
         r->channels, (uint64_t)r->states);
  printf("events           %" PRIu64 "\nclosed           %s\n", (uint64_t)r->events,
         r->closed ? "yes" : "no; ali3-replay recover makes a closed copy");
  return EXIT_SAME;
}
