/* SPDX-License-Identifier: MIT
 * The levels of the tree, as a table for people or as JSON for programs. */
#include "bench.h"

#include <stdio.h>

static const char *level_name(const struct level *l, char name[16])
{
  snprintf(name, 16, l->level == LEVEL_SHARED ? "band %d" : "%d",
           l->level == LEVEL_SHARED ? l->band : l->level);
  return name;
}

static void print_level(const char *name, const struct level *l)
{
  printf("    %-7s %5d %6d %7d %7d %9.3f %9.2f %8.2f %9.2f", name, l->runs, l->groups, l->nodes, l->lanes,
         l->flops / 1e6, l->condense, l->condense > 0 ? l->flops / l->condense / 1e3 : 0.0, l->sweep);
  for (int i = 0; i < PLANNED && l->imbalance[i] > 0.0; i++) printf(" %5.2f", l->imbalance[i]);
  putchar('\n');
}

static void print_shares(const char *band, const char *what, const struct level_shares *s, int shares)
{
  if (!s->busy) return;
  printf("    %s, %s: skew %.2f, utilisation %.2f; busy", band, what, s->skew, s->utilisation);
  for (int i = 0; i < shares; i++) printf(" %.2f", s->busy[i]);
  putchar('\n');
}

void report_levels(const struct levels *l)
{
  static const int threads[PLANNED] = PLANNED_THREADS;
  /* Print each band and level, and add it to the sum. */
  char name[16];
  struct level sum = {0};
  printf("    %-7s %5s %6s %7s %7s %9s %9s %8s %9s", "level", "runs", "groups", "nodes", "lanes", "Mflop",
         "condense", "GFLOP/s", "sweep");
  for (int i = 0; i < PLANNED; i++) printf("  of %d", threads[i]);
  putchar('\n');
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
  print_level("all", &sum);
  /* Print the load of each share. */
  for (int i = 0; i < l->levels; i++) {
    level_name(&l->level[i], name);
    print_shares(name, "condense", &l->level[i].condense_shares, l->shares);
    print_shares(name, "sweep", &l->level[i].sweep_shares, l->shares);
  }
  fflush(stdout);
}

static json_t *shares_json(const struct level_shares *s, int shares)
{
  if (!s->busy) return json_null();
  json_t *busy = json_array();
  for (int i = 0; i < shares; i++) json_array_append_new(busy, json_real(s->busy[i]));
  return json_pack("{s:o, s:f, s:f}", "busy_us", busy, "skew_us", s->skew, "utilisation", s->utilisation);
}

/* By number of threads. */
static json_t *imbalance_json(const struct level *l)
{
  static const int threads[PLANNED] = PLANNED_THREADS;
  json_t *o = json_object();
  for (int i = 0; i < PLANNED; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", threads[i]);
    json_object_set_new(o, name, json_real(l->imbalance[i]));
  }
  return o;
}

/* NULL when out of memory. */
json_t *levels_json(const struct levels *l)
{
  json_t *list = json_array();
  for (int i = 0; i < l->levels && list; i++) {
    const struct level *one = &l->level[i];
    bool shared = one->level == LEVEL_SHARED;
    json_t *o = json_pack("{s:o, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "level",
                          shared ? json_string("band") : json_integer(one->level), "runs", one->runs,
                          "groups", one->groups, "nodes", one->nodes, "lanes", one->lanes, "flops",
                          one->flops, "condense_us", one->condense, "sweep_us", one->sweep);
    /* The shares of a band. */
    if (o && shared) {
      json_object_set_new(o, "band", json_integer(one->band));
      json_object_set_new(o, "imbalance", imbalance_json(one));
      json_object_set_new(o, "condense_shares", shares_json(&one->condense_shares, l->shares));
      json_object_set_new(o, "sweep_shares", shares_json(&one->sweep_shares, l->shares));
    }
    if (json_array_append_new(list, o) < 0) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}
