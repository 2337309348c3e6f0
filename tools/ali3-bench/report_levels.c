/* SPDX-License-Identifier: MIT
 * The levels of the tree, as a table for people or as JSON for programs. */
#include "bench.h"

#include <stdio.h>

static const char *level_name(const struct level *l, char name[16])
{
  if (l->level == LEVEL_SHARED) return "shared";
  snprintf(name, 16, "%d", l->level);
  return name;
}

static void print_level(const char *name, const struct level *l)
{
  printf("    %-7s %5d %6d %7d %7d %9.3f %9.2f %8.2f %9.2f\n", name, l->runs, l->groups, l->nodes, l->lanes,
         l->flops / 1e6, l->condense, l->condense > 0 ? l->flops / l->condense / 1e3 : 0.0, l->sweep);
}

static void print_shares(const char *what, const struct level_shares *s, int shares)
{
  if (!s->busy) return;
  printf("    %s of what is shared: skew %.2f, utilisation %.2f; busy", what, s->skew, s->utilisation);
  for (int i = 0; i < shares; i++) printf(" %.2f", s->busy[i]);
  putchar('\n');
}

void report_levels(const struct levels *l)
{
  /* Print each level and add it to the sum. */
  char name[16];
  struct level sum = {0};
  printf("    %-7s %5s %6s %7s %7s %9s %9s %8s %9s\n", "level", "runs", "groups", "nodes", "lanes", "Mflop",
         "condense", "GFLOP/s", "sweep");
  for (int i = 0; i < l->levels; i++) {
    const struct level *one = &l->level[i];
    print_level(level_name(one, name), one);
    sum.runs += one->runs;
    sum.groups += one->groups;
    sum.nodes += one->nodes;
    sum.lanes += one->lanes;
    sum.flops += one->flops;
    sum.condense += one->condense;
    sum.sweep += one->sweep;
  }
  /* Print the load of each share. */
  print_level("all", &sum);
  print_shares("condense", &l->condense, l->shares);
  print_shares("sweep", &l->sweep, l->shares);
  fflush(stdout);
}

static json_t *shares_json(const struct level_shares *s, int shares)
{
  if (!s->busy) return json_null();
  json_t *busy = json_array();
  for (int i = 0; i < shares; i++) json_array_append_new(busy, json_real(s->busy[i]));
  return json_pack("{s:o, s:f, s:f}", "busy_us", busy, "skew_us", s->skew, "utilisation", s->utilisation);
}

/* NULL when out of memory. */
json_t *levels_json(const struct levels *l)
{
  json_t *list = json_array();
  for (int i = 0; i < l->levels && list; i++) {
    const struct level *one = &l->level[i];
    bool shared = one->level == LEVEL_SHARED;
    json_t *o = json_pack("{s:o, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "level",
                          shared ? json_string("shared") : json_integer(one->level), "runs", one->runs,
                          "groups", one->groups, "nodes", one->nodes, "lanes", one->lanes, "flops",
                          one->flops, "condense_us", one->condense, "sweep_us", one->sweep);
    if (o && shared) {
      json_object_set_new(o, "condense_shares", shares_json(&l->condense, l->shares));
      json_object_set_new(o, "sweep_shares", shares_json(&l->sweep, l->shares));
    }
    if (json_array_append_new(list, o) < 0) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}
