/* SPDX-License-Identifier: MIT
 * Configurations for tests. A text is loaded through a temporary file, and errors are kept as text. */
#ifndef TESTS_CONFIG_SCRATCH_H
#define TESTS_CONFIG_SCRATCH_H

#include "check.h"
#include "config/setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct loaded {
  struct settings *settings; /* NULL: the text was refused */
  char *errors;              /* everything that was printed */
};

static inline struct loaded load_file(const char *file, const struct settings_overrides *over)
{
  struct loaded l = {0};
  size_t size = 0;
  FILE *errors = open_memstream(&l.errors, &size);
  assert_non_null(errors);
  l.settings = setup_load(file, over, errors);
  fclose(errors);
  return l;
}

static inline void write_scratch(char file[32], const void *text, size_t size)
{
  memcpy(file, "/tmp/ali3-config-XXXXXX", sizeof "/tmp/ali3-config-XXXXXX");
  int fd = mkstemp(file);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, size), (ssize_t)size);
  close(fd);
}

static inline struct loaded load_bytes(const void *text, size_t size)
{
  char file[32];
  write_scratch(file, text, size);
  struct loaded l = load_file(file, NULL);
  unlink(file);
  return l;
}

static inline struct loaded load_text(const char *text)
{
  return load_bytes(text, strlen(text));
}

/* Loads a valid text. */
static inline struct settings *load_good(const char *text)
{
  struct loaded l = load_text(text);
  if (!l.settings) fail_msg("refused:\n%s\n%s", text, l.errors);
  assert_string_equal(l.errors, "");
  free(l.errors);
  return l.settings;
}

/* Loads a valid file. */
static inline struct settings *load_good_file(const char *file, const struct settings_overrides *over)
{
  struct loaded l = load_file(file, over);
  if (!l.settings) fail_msg("refused: %s", l.errors);
  free(l.errors);
  return l.settings;
}

/* The text is refused with a message that contains `part`. */
static inline void assert_refused(const char *text, const char *part)
{
  struct loaded l = load_text(text);
  assert_null(l.settings);
  if (!strstr(l.errors, part)) fail_msg("expected \"%s\" in:\n%s", part, l.errors);
  free(l.errors);
}

#define ONE_BODY "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"

#endif
