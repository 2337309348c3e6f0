/* SPDX-License-Identifier: MIT
 * A temporary folder for a test of files. */
#ifndef TESTS_DAEMON_FOLDER_H
#define TESTS_DAEMON_FOLDER_H

#include "check.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 8192 };
static char folder[64];

static inline int make_folder(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/ali3-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

/* The text stays valid for the next 15 calls. */
static inline const char *in_folder(const char *name)
{
  static char path[16][512];
  static int next;
  char *p = path[next++ % 16];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}

/* Number of entries, without "." and "..". */
static inline int count_files(void)
{
  DIR *d = opendir(folder);
  int n = -2;
  while (readdir(d)) n++;
  closedir(d);
  return n;
}

static inline int remove_folder(void **state)
{
  (void)state;
  DIR *d = opendir(folder);
  for (const struct dirent *e; (e = readdir(d));)
    if (e->d_name[0] != '.' && unlink(in_folder(e->d_name)) != 0) rmdir(in_folder(e->d_name));
  closedir(d);
  return rmdir(folder);
}

static inline void write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static inline char *read_all(const char *path)
{
  static char text[TEXT];
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  return text;
}

#endif
