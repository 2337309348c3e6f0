/* SPDX-License-Identifier: MIT
 * What a run leaves: a CSV file of the values on the wires, and the report of its end. */
#include "common/csv.h"
#include "link.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct record {
  const struct link *link;
  const char *file;
  FILE *out;
};

/* A value with several wires has one column. */
static bool is_first_of_its_value(const struct link *l, int connection)
{
  const struct connection *c = &l->connection[connection];
  for (int i = 0; i < connection; i++) {
    const struct connection *o = &l->connection[i];
    if (o->from == c->from && o->from->out.slot[o->out].signal == c->from->out.slot[c->out].signal)
      return false;
  }
  return true;
}

struct record *record_open(const char *file, const struct link *l)
{
  struct record *r = calloc(1, sizeof *r);
  if (!r) {
    fputs("ali3-link: out of memory\n", stderr);
    return NULL;
  }
  *r = (struct record){l, file, outfile_open("--record", file)};
  if (!r->out) {
    free(r);
    return NULL;
  }
  fputs("time", r->out);
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    if (is_first_of_its_value(l, i)) fprintf(r->out, ",%s.%s", c->from->name, c->from->out.slot[c->out].name);
  }
  fputc('\n', r->out);
  return r;
}

bool record_row(struct record *r, double time)
{
  const struct link *l = r->link;
  csv_number(r->out, time);
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    if (!is_first_of_its_value(l, i)) continue;
    fputc(',', r->out);
    csv_number(r->out, c->from->out.slot[c->out].value);
  }
  fputc('\n', r->out);
  return !ferror(r->out) || outfile_refuse("--record", r->file, errno);
}

bool record_close(struct record *r)
{
  const bool good = outfile_close(r->out, "--record", r->file);
  free(r);
  return good;
}

/* --- the end --- */

static const char *participant_state(const struct participant *p, const struct run_end *e)
{
  if (p->paced && p->kind == &osc_kind && p != e->culprit) return "goes on by itself";
  if (p == e->culprit) return e->status == LINK_SILENT ? "silent" : "failed";
  return p->progress == WAITS && p->known ? "asked for a step that is not finished" : "waits for a step";
}

static void print_end_json(const struct link *l, const struct run_end *e)
{
  json_t *list = json_array();
  for (int i = 0; i < l->participants; i++) {
    const struct participant *p = &l->participant[i];
    json_t *one = json_pack("{s:s, s:f, s:s, s:s}", "name", p->name, "time", p->time, "state",
                            participant_state(p, e), "trouble", p->trouble);
    /* Its steps by the clock. */
    if (l->paced && p->kind == &fmu_kind)
      json_object_update_new(one, json_pack("{s:I, s:I, s:f}", "steps", (json_int_t)p->answers, "skipped",
                                            (json_int_t)p->skipped, "longest", p->longest_s));
    json_array_append_new(list, one);
  }
  json_t *all =
      json_pack("{s:i, s:I, s:f, s:f, s:I, s:s?, s:o}", "status", e->status, "steps", (json_int_t)e->steps,
                "time", e->time, "wall", e->wall_s, "repeats", (json_int_t)e->repeats, "ended_by",
                e->culprit ? e->culprit->name : NULL, "participants", list);
  json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
  putchar('\n');
  json_decref(all);
}

void report_end_of_run(const struct link *l, const struct run_end *e, bool json)
{
  /* The culprit, and where the others stand. */
  if (e->culprit) {
    const char *trouble = *e->culprit->trouble ? e->culprit->trouble : "no answer";
    if (e->status == LINK_SILENT)
      fprintf(stderr, "ali3-link: %s: silent for %g s: %s\n", e->culprit->name, l->patience, trouble);
    else
      fprintf(stderr, "ali3-link: %s: %s\n", e->culprit->name, trouble);
    for (int i = 0; i < l->participants; i++) {
      const struct participant *p = &l->participant[i];
      fprintf(stderr, "ali3-link: %s: %s, at %.9g s\n", p->name, participant_state(p, e), p->time);
    }
  }
  if (json) {
    print_end_json(l, e);
    return;
  }
  printf("%llu communication steps of %g s, %.9g s in %.3f s", (unsigned long long)e->steps, l->step, e->time,
         e->wall_s);
  if (l->paced) {
    putchar('\n');
    for (int i = 0; i < l->participants; i++) {
      const struct participant *p = &l->participant[i];
      if (p->kind == &fmu_kind)
        printf("%s: %llu steps, %llu frames skipped, longest step %.3f ms\n", p->name,
               (unsigned long long)p->answers, (unsigned long long)p->skipped, 1e3 * p->longest_s);
    }
    return;
  }
  if (e->wall_s > 0.0) printf(", %.0f per second", (double)e->steps / e->wall_s);
  printf("; %llu questions repeated\n", (unsigned long long)e->repeats);
}
