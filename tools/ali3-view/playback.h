/* SPDX-License-Identifier: MIT
 * A recording of ali3-record, read row by row as if it were a frame ring. The file may still grow. One thread. */
#ifndef ALI3_VIEW_PLAYBACK_H
#define ALI3_VIEW_PLAYBACK_H

#include "frames/reader.h"

struct playback;

/* meshes: the folder of mesh files, absolute; NULL: the folders that the recording names. NULL: the reason in error[size]. */
struct playback *playback_open(const char *path, const char *meshes, char *error, size_t size);
void playback_close(struct playback *p);

/* Head, names and texts in the form of a ring; no file stands behind it. */
const struct frames_reader *playback_ring(const struct playback *p);
uint64_t playback_rows(const struct playback *p);
uint64_t playback_events(const struct playback *p);
/* Row n as a slot of playback_ring()->head.slot_bytes bytes. */
enum frames_got playback_take(const struct playback *p, uint64_t n, struct frames_slot *to);
enum frames_got playback_take_event(const struct playback *p, uint64_t n, struct frames_event *to);
bool playback_flat(const struct playback *p, void *to);
/* s from the first row to the last. */
double playback_length(const struct playback *p);
/* The last row at or before a time, in s since the first row. */
uint64_t playback_row_at(const struct playback *p, double seconds);

#endif
