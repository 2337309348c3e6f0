/* SPDX-License-Identifier: MIT
 * A recording of ali3-record, read row by row as if it were a frame ring. The file may still grow. One thread. */
#ifndef ALI3_VIEW_RECORDING_H
#define ALI3_VIEW_RECORDING_H

#include "frames/reader.h"

struct recording;

/* NULL: the reason in error[size]. */
struct recording *recording_open(const char *path, char *error, size_t size);
void recording_close(struct recording *r);

/* Head, names and texts in the form of a ring; no file stands behind it. */
const struct frames_reader *recording_ring(const struct recording *r);
uint64_t recording_rows(const struct recording *r);
uint64_t recording_events(const struct recording *r);
/* Row n as a slot of recording_ring()->head.slot_bytes bytes. */
enum frames_got recording_take(const struct recording *r, uint64_t n, struct frames_slot *to);
enum frames_got recording_take_event(const struct recording *r, uint64_t n, struct frames_event *to);
bool recording_flat(const struct recording *r, void *to);
/* s from the first row to the last. */
double recording_length(const struct recording *r);
/* The last row at or before a time, in s since the first row. */
uint64_t recording_row_at(const struct recording *r, double seconds);

#endif
