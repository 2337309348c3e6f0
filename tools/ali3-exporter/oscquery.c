/* SPDX-License-Identifier: MIT */
#include "oscquery.h"

#include "telemetry/read.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_plain(struct page *page, unsigned status, const char *text)
{
  page->status = status;
  page->type = "text/plain; charset=utf-8";
  page->text = strdup(text);
  page->size = page->text ? strlen(page->text) : 0;
}

static void say_json(struct page *page, const json_t *o)
{
  page->status = 200;
  page->type = "application/json";
  page->text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
  page->size = page->text ? strlen(page->text) : 0;
}

/* Returns NULL if there is no such node. */
static const json_t *find_osc_node(const json_t *node, const char *path)
{
  for (const char *p = path; *p == '/'; p += strcspn(p, "/")) {
    p++;
    char name[256];
    const size_t n = strcspn(p, "/");
    if (n == 0 && !*p) break; /* a final slash, or the root */
    if (n >= sizeof name) return NULL;
    memcpy(name, p, n);
    name[n] = '\0';
    node = json_object_get(json_object_get(node, "CONTENTS"), name);
  }
  return *path == '/' ? node : NULL;
}

static void answer_query(const struct request *r, const json_t *all, struct page *page)
{
  if (r->attribute && strcmp(r->attribute, "HOST_INFO") == 0) {
    say_json(page, json_object_get(all, "HOST_INFO"));
    return;
  }
  /* Give the complete node or one attribute of it. */
  const json_t *node = find_osc_node(json_object_get(all, "ROOT"), r->path);
  if (!node) {
    say_plain(page, 404, "no such address\n");
    return;
  }
  if (!r->attribute) {
    say_json(page, node);
    return;
  }
  json_t *value = json_object_get(node, r->attribute);
  if (!value) {
    say_plain(page, 204, "");
    return;
  }
  json_t *o = json_object();
  json_object_set(o, r->attribute, value);
  say_json(page, o);
  json_decref(o);
}

void oscquery_of(const struct request *r, const char *description, struct page *page)
{
  *page = (struct page){0};
  if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
    say_plain(page, 405, "GET and HEAD only\n");
    return;
  }
  if (r->has_body || r->bad_query || r->name) {
    say_plain(page, 400,
              r->has_body ? "no body is taken\n" : "the query may hold one attribute, such as ?HOST_INFO\n");
    return;
  }
  json_t *all = description ? json_loads(description, 0, NULL) : NULL;
  if (all)
    answer_query(r, all, page);
  else
    say_plain(page, 404, "no daemon with OSC is running\n");
  json_decref(all);
}

/* The description of a running daemon; that of a dead one is useless. */
static char *description_of(const char *only)
{
  char name[1][64], error[256];
  if (only)
    snprintf(name[0], sizeof name[0], "%.63s", only);
  else if (telemetry_list(name, 1) == 0)
    return NULL;
  struct telemetry_reader r;
  if (!telemetry_open(&r, name[0], error, sizeof error)) return NULL;
  char *text = telemetry_alive(&r) ? telemetry_description(&r) : NULL;
  telemetry_close(&r);
  return text;
}

void oscquery_page(const struct request *r, const char *only, struct page *page)
{
  char *description = description_of(only);
  oscquery_of(r, description, page);
  free(description);
}
