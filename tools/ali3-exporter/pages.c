/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include "prometheus.h"
#include "signals/exchange.h"
#include "telemetry/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_TYPE "text/plain; charset=utf-8"
#define HTML_TYPE "text/html; charset=utf-8"
#define JSON_TYPE "application/json"

/* A handler writes the page to `out` and may change status and type. */
typedef void page_writer(const struct request *r, const struct census *c, struct page *page, FILE *out);

static void write_json(json_t *o, FILE *out)
{
  json_dumpf(o, out, JSON_COMPACT | TELEMETRY_JSON_FLAGS);
  fputc('\n', out);
  json_decref(o);
}

static void metrics_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  (void)r, (void)page;
  prometheus_write(c, out);
}

static void instances_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  (void)r, (void)page;
  json_t *list = json_array();
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    json_t *o = json_object();
    json_object_set_new(o, "instance", json_string(c->one[i].name));
    json_object_set_new(o, "up", json_boolean(s->t));
    json_object_set_new(o, "status", json_string(verdict_name(s->verdict)));
    if (s->t) {
      json_object_set_new(o, "state", json_string(run_state_name(s->t->live.state)));
      json_object_set_new(o, "pid", json_integer(s->t->pid));
    }
    json_array_append_new(list, o);
  }
  json_t *o = json_object();
  json_object_set_new(o, "instances", list);
  write_json(o, out);
}

/* Like ali3-top --json; without a name it shows the newest daemon. */
static void status_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  const struct present *p = r->name ? census_find(c, r->name) : c->count ? &c->one[0] : NULL;
  if (p) {
    write_json(telemetry_json(&p->sample), out);
    return;
  }
  struct sample none = {.verdict = VERDICT_GONE, .reasons = 1};
  if (r->name)
    snprintf(none.reason[0], sizeof none.reason[0], "instance \"%s\": not running", r->name);
  else
    snprintf(none.reason[0], sizeof none.reason[0], "%.159s", c->none);
  page->status = 404;
  write_json(telemetry_json(&none), out);
}

static void health_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  int asked = 0;
  for (int i = 0; i < c->count; i++) {
    const struct present *p = &c->one[i];
    if (r->name && strcmp(r->name, p->name) != 0) continue;
    asked++;
    if (p->sample.verdict != VERDICT_HEALTHY) page->status = 503;
    fprintf(out, "%s %s", p->name, verdict_name(p->sample.verdict));
    for (int k = 0; k < p->sample.reasons; k++) fprintf(out, "%s%s", k ? "; " : ": ", p->sample.reason[k]);
    fputc('\n', out);
  }
  if (asked) return;
  page->status = 503;
  if (r->name)
    fprintf(out, "%s gone: not running\n", r->name);
  else
    fprintf(out, "gone: %s\n", c->none);
}

static void home_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  (void)r, (void)page;
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ali3-exporter</title></head>\n"
      "<body><h1>ali3-exporter</h1>\n<ul>\n"
      "<li><a href=\"/metrics\">/metrics</a> for Prometheus</li>\n"
      "<li><a href=\"/healthz\">/healthz</a> 200 healthy, 503 degraded or gone; ?name= for one daemon</li>\n"
      "<li><a href=\"/api/v1/instances\">/api/v1/instances</a> the daemons present, JSON</li>\n"
      "<li><a href=\"/api/v1/status\">/api/v1/status</a>?name= one daemon, as ali3-top --json</li>\n"
      "</ul>\n<ul>\n",
      out);
  /* Names and states consist of letters that need no escapes. */
  for (int i = 0; i < c->count; i++) {
    const struct present *p = &c->one[i];
    fprintf(out, "<li><a href=\"/api/v1/status?name=%s\">%s</a> %s, %s</li>\n", p->name, p->name,
            p->sample.t ? run_state_name(p->sample.t->live.state) : "-", verdict_name(p->sample.verdict));
  }
  fputs("</ul></body></html>\n", out);
}

static void refuse_request(struct page *page, unsigned code, const char *why, FILE *out)
{
  page->status = code;
  page->type = TEXT_TYPE;
  fprintf(out, "%s\n", why);
}

static void choose_page(const struct request *r, const struct census *c, struct page *page, FILE *out)
{
  static const struct {
    const char *path, *type;
    page_writer *write;
    bool takes_name;
  } pages[] = {{"/metrics", PROMETHEUS_TYPE, metrics_page, false},
               {"/api/v1/status", JSON_TYPE, status_page, true},
               {"/api/v1/instances", JSON_TYPE, instances_page, false},
               {"/healthz", TEXT_TYPE, health_page, true},
               {"/", HTML_TYPE, home_page, false}};
  if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
    refuse_request(page, 405, "GET and HEAD only", out);
    return;
  }
  /* Find the page of this path, and check that it takes the query. */
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    if (strcmp(r->path, pages[i].path) != 0) continue;
    if (r->has_body || r->bad_query || r->attribute || (r->name && !pages[i].takes_name)) {
      refuse_request(page, 400,
                     r->has_body           ? "no body is taken"
                     : pages[i].takes_name ? "the query may hold one name=, of 1 to 63 of A-Z a-z 0-9 _ -"
                                           : "no query is taken",
                     out);
      return;
    }
    page->type = pages[i].type;
    pages[i].write(r, c, page, out);
    return;
  }
  refuse_request(page, 404, "no such page; / lists them", out);
}

void page_make(const struct request *r, const struct census *c, struct page *page)
{
  *page = (struct page){.status = 200, .type = TEXT_TYPE};
  FILE *out = open_memstream(&page->text, &page->size);
  if (!out) return;
  choose_page(r, c, page, out);
  if (fclose(out) == 0) return;
  free(page->text);
  page->text = NULL;
}
