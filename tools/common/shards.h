/* SPDX-License-Identifier: MIT
 * CSV files of many independent runs, for programs that compute them in shards: a head, then one line for each run, which begins
 * with "INDEX,COUNT,". Shard K/N computes the runs K, K + N, .. of COUNT. Not thread-safe. */
#ifndef ALI3_COMMON_SHARDS_H
#define ALI3_COMMON_SHARDS_H

#include <stdbool.h>
#include <stdio.h>

struct shard_file {
  const char *program;       /* for messages on stderr */
  const char *file, *option; /* option: that names the file */
  const char *head;          /* first line, without its end */
  long shard, shards;
  bool resume; /* keep the whole lines of an old file */
  /* True if the line of run `index` belongs to this work. NULL: only the index is checked. */
  bool (*matches)(void *user, long index, const char *line);
  void *user;
};

/* "K/N" with K from 0 to N - 1. */
bool shard_read(const char *text, long *shard, long *shards);
/* Number of runs of the shard, of `count`. */
long shard_runs(long shard, long shards, long count);
/* Opens the file for the lines to come, and cuts off a last line that is not whole. done: runs of the shard that the file has,
 * in order. NULL after printing the reason. */
FILE *shard_open(const struct shard_file *f, long *done);
/* Writes the lines of several files to `out`, which `option` names, in the order of their indices. The head of each file begins
 * with `head`, and all heads are equal. False after printing the reason, also if a run is missing. */
bool shard_merge(const char *program, const char *head, const char *option, const char *out, int files,
                 char **file);

#endif
