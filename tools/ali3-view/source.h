/* SPDX-License-Identifier: MIT
 * Where the frames of a stream come from: the ring of a running daemon, or the rows of a recording. Both look like a frame ring:
 * the functions of frames/reader.h give the names of either. One thread. */
#ifndef ALI3_VIEW_SOURCE_H
#define ALI3_VIEW_SOURCE_H

#include "frames/reader.h"
#include "scene/scene.h"

#include <jansson.h>

struct playback; /* playback.h */

struct source {
  struct frames_reader ring; /* a recording fills in head, names and texts only */
  struct playback *playback; /* NULL: a running daemon */
  struct frames_slot *slot;  /* (head.slot_bytes) the last one that source_take() got */
};

/* Opens a daemon; name "": the newest. False: the reason in error[size]. */
bool source_open_live(struct source *s, const char *name, char *error, size_t size);
/* Opens a recording; it must outlive the source. */
bool source_open_recording(struct source *s, struct playback *p, char *error, size_t size);
void source_close(struct source *s);
/* False once the daemon has ended or was replaced by a new one; `why` says which. */
bool source_is_there(const struct source *s, char *why, size_t size);

/* Cycles and events that were ever written. */
bool source_written(const struct source *s, uint64_t *slots, uint64_t *events);
/* Gets cycle n into s->slot. head_only: without its inputs and values. */
enum frames_got source_take(struct source *s, uint64_t n, bool head_only);
enum frames_got source_take_event(const struct source *s, uint64_t n, struct frames_event *to);

/* The folder and the file of the mesh of a shape of the scene, to be freed; NULL: out of memory. False: it has none. */
bool source_mesh(const struct source *s, int shape, char **folder, char **file);
/* The scene of the model, as JSON; a new reference. NULL: the reason in error[size]. */
json_t *source_scene(const struct source *s, char *error, size_t size);

#endif
