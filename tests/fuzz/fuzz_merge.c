/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as the files of shards of a sweep, divided by the byte 0xff. A merged file has every run once, in order;
 * merged again it is the same file, and so it is with the shards the other way round. The first byte is the shard for which the
 * first file goes on. */
#include "common/shards.h"
#include "sim.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { FILES = 3, PATH = 64, MOST = 1 << 16, SHARDS = 4 };
#define HEAD "index,runs"

static char path[FILES][PATH], merged[PATH], again[PATH], hdf5[PATH + 4];
static FILE *quiet;

static void require(bool holds)
{
  if (!holds) abort();
}

static void remove_files(void)
{
  for (int i = 0; i < FILES; i++) unlink(path[i]);
  unlink(merged);
  unlink(again);
  unlink(hdf5);
}

static void write_all(const char *name, const uint8_t *bytes, size_t n)
{
  FILE *f = fopen(name, "wb");
  require(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static size_t read_all(const char *name, char *to)
{
  FILE *f = fopen(name, "rb");
  require(f != NULL);
  const size_t n = fread(to, 1, MOST, f);
  fclose(f);
  return n;
}

/* Messages are printed on stderr, which belongs to libFuzzer. */
static bool merge(const char *out, int files, char **file)
{
  FILE *said = stderr;
  stderr = quiet;
  const bool good = shard_merge("fuzz", HEAD, "--output", out, files, file);
  stderr = said;
  return good;
}

/* Returns the size of the merged file, which these files make too. */
static size_t judge_same(char *text, int files, char **file)
{
  static char second[MOST];
  require(merge(again, files, file));
  const size_t n = read_all(merged, text);
  require(read_all(again, second) == n && memcmp(text, second, n) == 0);
  return n;
}

static void judge_merged(int files, char **file)
{
  static char first[MOST];
  char *name = merged, *turned[FILES];
  for (int i = 0; i < files; i++) turned[i] = file[files - 1 - i];
  judge_same(first, files, turned);
  const size_t n = judge_same(first, 1, &name);
  /* The lines behind the head are those of the runs 0, 1, 2, ... */
  long run = 0;
  for (const char *line = memchr(first, '\n', n); line && line + 1 < first + n; run++) {
    require(strtol(line + 1, NULL, 10) == run);
    line = memchr(line + 1, '\n', (size_t)(first + n - line - 1));
  }
  require(run > 0);
  FILE *said = stderr;
  stderr = quiet;
  results_write_hdf5(merged, hdf5); /* refused where two columns have one name */
  stderr = said;
}

/* A shard goes on after its last whole line. */
static void resume(uint8_t shard)
{
  long done = 0;
  const struct shard_file f = {.program = "fuzz",
                               .file = path[0],
                               .head = HEAD ",x",
                               .shard = shard % SHARDS,
                               .shards = SHARDS,
                               .resume = true};
  FILE *said = stderr;
  stderr = quiet;
  FILE *out = shard_open(&f, &done);
  stderr = said;
  if (!out) return;
  require(done >= 0);
  const long at = ftell(out);
  require(fclose(out) == 0);
  static char text[MOST];
  const size_t n = read_all(path[0], text);
  require((long)n == at && n > 0 && text[n - 1] == '\n' && strncmp(text, HEAD, strlen(HEAD)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  if (!quiet) {
    quiet = fopen("/dev/null", "w");
    require(quiet != NULL);
    for (int i = 0; i < FILES; i++) snprintf(path[i], PATH, "/dev/shm/fuzz-merge-%d-%d", (int)getpid(), i);
    snprintf(merged, PATH, "/dev/shm/fuzz-merge-%d", (int)getpid());
    snprintf(again, PATH, "/dev/shm/fuzz-merge-%d-again", (int)getpid());
    snprintf(hdf5, sizeof hdf5, "%s.h5", merged);
    atexit(remove_files);
  }
  if (n < 1) return 0;
  const uint8_t shard = *bytes++;
  char *file[FILES];
  int files = 0;
  for (n--; files < FILES && (files == 0 || n > 0); files++) {
    const uint8_t *end = n ? memchr(bytes, 0xff, n) : NULL;
    const size_t length = end ? (size_t)(end - bytes) : n;
    write_all(path[files], bytes, length);
    file[files] = path[files];
    bytes += end ? length + 1 : length;
    n -= end ? length + 1 : length;
  }
  if (merge(merged, files, file)) judge_merged(files, file);
  resume(shard);
  return 0;
}
