/* SPDX-License-Identifier: MIT
 * Attributes and datasets of a recording, for the programs that read one. One thread. */
#ifndef RECORDING_PARTS_H
#define RECORDING_PARTS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens a recording, whether it was closed or is still written. Negative: the reason in error[size]. To be closed. */
hid_t parts_open(const char *path, char *error, size_t size);

/* Puts ? in place of control characters, so that no escape sequence reaches a terminal. Tabs and ends of lines stay. */
void parts_clean(char *text);
/* The texts of an attribute without control characters but tabs and ends of lines, *count of them, in one block behind the
 * pointers; NULL: there are none. To be freed. */
char **parts_texts(hid_t object, const char *name, uint32_t *count);
/* The first of them, or "". To be freed; NULL: out of memory. */
char *parts_text(hid_t object, const char *name);
/* A number of an attribute. It stays as it is where there is none, or where the attribute has another type or more numbers. */
void parts_number(hid_t object, const char *name, hid_t memory, void *to);

/* A dataset of at most two dimensions, and their sizes; size[1] 0: it has one. Negative: there is none. To be closed. */
hid_t parts_dataset(hid_t file, const char *path, hsize_t size[2]);
enum { PARTS_BYTES = 64 << 20 }; /* bytes of a dataset that is read whole although nothing of it is stored */
/* False: the dataset claims more numbers of `bytes` bytes than its file can hold. Ask before memory is taken for all of it. */
bool parts_are_stored(hid_t dataset, const hsize_t size[2], size_t bytes);

/* The sizes of a dataset that may have grown. */
void parts_size(hid_t dataset, hsize_t size[2]);
/* Rows first .. first + count - 1 of `width` numbers each; width 0: the dataset has one dimension. False: there are no such
 * rows, or their checksum is wrong. */
bool parts_rows(hid_t dataset, hid_t memory, hsize_t first, hsize_t count, hsize_t width, void *to);

#endif
