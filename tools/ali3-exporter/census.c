/* SPDX-License-Identifier: MIT
 * A look keeps nothing for the next one, so daemons that end, start or restart need no special case. */
#include "census.h"

#include "rt/clock.h"

#include <stdio.h>
#include <string.h>

static const uint64_t FRESH_NS = NS_PER_S / 100;

static void sample_daemon(struct present *p, const char *name)
{
  struct watch watch = {.wanted = name};
  snprintf(p->name, sizeof p->name, "%.63s", name);
  watch_look(&watch, &p->sample, &p->block);
  watch_close(&watch);
}

void census_take(struct census *c)
{
  const uint64_t now = clock_now_ns();
  if (c->taken_ns && now < c->taken_ns + FRESH_NS) return;
  c->taken_ns = now;
  char name[CENSUS_MAX][64];
  c->count = 1;
  if (c->only)
    snprintf(name[0], sizeof name[0], "%.63s", c->only);
  else
    c->count = telemetry_list(name, CENSUS_MAX);
  if (c->count == 0) telemetry_none_text(c->none, sizeof c->none);
  for (int i = 0; i < c->count; i++) sample_daemon(&c->one[i], name[i]);
}

const struct present *census_find(const struct census *c, const char *name)
{
  for (int i = 0; i < c->count; i++)
    if (strcmp(c->one[i].name, name) == 0) return &c->one[i];
  return NULL;
}
