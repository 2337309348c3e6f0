/* SPDX-License-Identifier: MIT
 * States and sets of parameters as files of a folder: NAME.state and NAME.yaml. Automatic states are named auto, the newest,
 * auto_1, auto_2 and so on. Calls the system and may block. */
#ifndef CHECKPOINTS_STORE_H
#define CHECKPOINTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_AUTO "auto"

struct store {
  char folder[900]; /* "": none */
  int keep;         /* automatic states */
};

struct store_found {
  char name[160];
  uint64_t written_s; /* seconds since 1970 */
  uint64_t bytes;
};

/* folder NULL: `instance` in the folder of --state-dir, which may be NULL, too. Makes a missing folder. Returns false with the
 * reason in error. */
bool store_open(struct store *s, const char *folder, const char *state_dir, const char *instance, int keep,
                char *error, size_t size);

/* Writes a file NAME.ending, so that a crash leaves the old one or the new one. Returns 0 or an errno. */
int store_write(const struct store *s, const char *name, const char *ending, const void *bytes, size_t size);
/* Renames the automatic states by one place, and writes a new one. The oldest one above `keep` goes. Returns 0 or an errno. */
int store_write_auto(const struct store *s, const void *bytes, size_t size);
/* The bytes of a state, to be freed; NULL with errno. path NULL: the state `name` of the folder. */
void *store_read(const struct store *s, const char *name, const char *path, size_t *size);
/* The first `most` states, the newest first. Returns their number. */
int store_list(const struct store *s, struct store_found *found, int most);

#endif
