/* SPDX-License-Identifier: MIT
 * The pages that are made at once: the scene, the signals, the state of the daemons. */
#include "page/assets.h"
#include "page/meshes.h"
#include "pages.h"
#include "server_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_PAGE "application/json"

static void answer_json(struct view_answer *a, unsigned status, json_t *o)
{
  *a = (struct view_answer){.status = status, .type = JSON_PAGE};
  a->text = o ? json_dumps(o, JSON_COMPACT) : NULL;
  a->size = a->text ? strlen(a->text) : 0;
  json_decref(o);
}

void pages_refuse(struct view_answer *a, unsigned status, const char *why)
{
  answer_json(a, status, json_pack("{s:s%}", "error", why, strlen(why)));
}

/* The daemon or the recording that a request names. */
static bool open_wanted(const struct view *v, const struct exchange *x, struct source *s, char *error,
                        size_t size)
{
  return v->playback ? source_open_recording(s, v->playback, error, size)
                     : source_open_live(s, x->query.name, error, size);
}

static void answer_scene(const struct view *v, const struct exchange *x, struct view_answer *a)
{
  struct source s;
  char error[300];
  json_t *o = NULL;
  if (open_wanted(v, x, &s, error, sizeof error)) {
    o = source_scene(&s, error, sizeof error);
    if (o) json_object_set_new(o, "instance", json_string(s.ring.telemetry.instance));
    source_close(&s);
  }
  if (o)
    answer_json(a, 200, o);
  else
    pages_refuse(a, 404, error);
}

static void answer_signals(const struct view *v, const struct exchange *x, struct view_answer *a)
{
  struct source s;
  char error[300];
  if (!open_wanted(v, x, &s, error, sizeof error)) {
    pages_refuse(a, 404, error);
    return;
  }
  json_t *list = json_array();
  for (uint32_t i = 0; i < s.ring.head.signals; i++)
    json_array_append_new(
        list, json_pack("[s, s]", frames_signal_name(&s.ring, i), frames_signal_unit(&s.ring, i)));
  source_close(&s);
  answer_json(a, 200, json_pack("{s:o}", "signals", list));
}

/* Meshes are large and take long to read and to send, so few of them are under way at a time. */
void pages_ask_mesh(struct view *v, struct exchange *x, struct view_answer *a)
{
  struct source s;
  char error[600], *folder, *file;
  if (v->meshes >= VIEW_MESHES) {
    pages_refuse(a, 503, "other meshes are being sent: ask again");
    return;
  }
  if (!open_wanted(v, x, &s, error, sizeof error)) {
    pages_refuse(a, 404, error);
    return;
  }
  const bool found = source_mesh(&s, x->query.shape, &folder, &file);
  source_close(&s);
  if (!found)
    pages_refuse(a, 404, MESHES_NONE);
  else if (!(x->mesh = mesher_ask(v->mesher, folder, file)))
    pages_refuse(a, 503, "other meshes are being read: ask again");
  v->meshes += x->mesh != NULL;
}

/* The answer counts itself off once it is sent. */
void pages_answer_mesh(struct view *v, struct exchange *x, struct view_answer *a)
{
  struct mesh_job *job = x->mesh;
  x->mesh = NULL;
  if (job->packed) {
    *a = (struct view_answer){.status = 200,
                              .type = "application/octet-stream",
                              .text = (char *)job->packed,
                              .size = job->count,
                              .sent = &v->meshes};
    job->packed = NULL;
  } else {
    v->meshes--;
    pages_refuse(a, job->status, job->error);
  }
  mesher_release(v->mesher, job);
}

/* The page asks once for its abilities. */
static void answer_abilities(const struct view *v, const struct exchange *x, struct view_answer *a)
{
  (void)x;
  json_t *o = json_pack("{s:b, s:b}", "control", v->rights.token[0] != '\0', "recorded", v->playback != NULL);
  if (v->playback) {
    json_object_set_new(o, "length_s", json_real(playback_length(v->playback)));
    json_object_set_new(o, "instance", json_string(playback_ring(v->playback)->telemetry.instance));
  }
  answer_json(a, 200, o);
}

/* The pages that ali3-exporter has, too. */
static void answer_census(struct view *v, const struct exchange *x, struct view_answer *a)
{
  const bool named = x->query.name[0] && strcmp(x->path, "/api/v1/instances") != 0;
  const struct request r = {.method = "GET", .path = x->path, .name = named ? x->query.name : NULL};
  struct page page;
  if (v->playback) {
    pages_refuse(a, 404, "this page shows a recording");
    return;
  }
  census_take(&v->census);
  page_make(&r, &v->census, &page);
  *a = (struct view_answer){.status = page.status, .type = page.type, .text = page.text, .size = page.size};
}

/* The files are sent from where they lie, so that a request for them takes no memory. */
static void lend_answer(struct view_answer *a, const char *type, const char *text, size_t size)
{
  *a = (struct view_answer){.status = 200, .type = type, .text = (char *)text, .size = size, .lent = true};
}

/* three.js is read for the first page, and kept. */
static void answer_three(struct view *v, struct view_answer *a)
{
  char error[300];
  if (!v->three) v->three = assets_three(&v->three_size, error, sizeof error);
  if (v->three)
    lend_answer(a, "text/javascript; charset=utf-8", v->three, v->three_size);
  else
    pages_refuse(a, 404, error);
}

void pages_answer(struct view *v, const struct exchange *x, struct view_answer *a)
{
  static const char *const census[] = {"/api/v1/instances", "/api/v1/status", "/healthz"};
  /* Pages about the daemons, then files, then the others. */
  const struct asset *asset = assets_find(x->path);
  for (size_t i = 0; i < sizeof census / sizeof *census; i++) {
    if (strcmp(x->path, census[i]) != 0) continue;
    answer_census(v, x, a);
    return;
  }
  if (asset)
    lend_answer(a, asset->type, asset->bytes, asset->size);
  else if (strcmp(x->path, "/three.js") == 0)
    answer_three(v, a);
  else if (strcmp(x->path, "/api/v1/scene") == 0)
    answer_scene(v, x, a);
  else if (strcmp(x->path, "/api/v1/signals") == 0)
    answer_signals(v, x, a);
  else if (strcmp(x->path, "/api/v1/abilities") == 0)
    answer_abilities(v, x, a);
  else
    pages_refuse(a, 404, "no such page");
}
