/* SPDX-License-Identifier: MIT
 * main() of a fuzz target without libFuzzer: runs the files of the corpus, then inputs made from them by seeded edits. The same
 * arguments give the same inputs on every machine. tests/fuzz/run looks for new inputs; this program finds old faults again.
 *
 * usage: fuzz_TARGET FOLDER INPUTS    corpus, number of edited inputs
 *        fuzz_TARGET FILE             one input */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum {
  FILES_MOST = 400,
  EDITS_MOST = 6,
  LONGER = 256 /* bytes that an edited input may have beyond the longest file */
};

struct input {
  uint8_t *bytes;
  size_t size;
};

static struct input corpus[FILES_MOST];
static int files;
static size_t longest;
static uint64_t state = 1;

/* Prints the reason and ends with status 2. */
static void stop(const char *what, const char *path)
{
  fprintf(stderr, "%s %s\n", what, path);
  exit(2);
}

static void read_input(const char *path)
{
  struct stat about;
  const int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &about) != 0) stop("cannot read", path);
  struct input *f = &corpus[files++];
  f->size = (size_t)about.st_size;
  f->bytes = malloc(f->size + 1);
  if (!f->bytes || read(fd, f->bytes, f->size) != (ssize_t)f->size) stop("cannot read", path);
  if (f->size + LONGER > longest) longest = f->size + LONGER;
  close(fd);
}

static int is_visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* Reads the files in the order of their names. */
static void read_folder(const char *folder)
{
  struct dirent **entry;
  const int n = scandir(folder, &entry, is_visible, alphasort);
  if (n <= 0 || n > FILES_MOST) stop("expected 1 to 400 files in", folder);
  for (int i = 0; i < n; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    read_input(path);
    free(entry[i]);
  }
  free(entry);
}

/* The next number below `end` of a sequence that is the same in every run (splitmix64). */
static size_t choose(size_t end)
{
  uint64_t x = (state += 0x9e3779b97f4a7c15u);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return end ? (size_t)((x ^ x >> 31) % end) : 0;
}

static size_t shorter(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* One edit of the n bytes at b, which have room for `longest`; returns their new number. */
static size_t edit(uint8_t *b, size_t n)
{
  static const uint8_t rare[] = {0x00, 0x01, 0x7f, 0x80, 0xff, ' ', '"', '\n'};
  const size_t at = choose(n + 1), left = n - at;
  const struct input *other = &corpus[choose((size_t)files)];
  const size_t from = choose(other->size + 1);
  size_t run = shorter(1 + choose(32), left);
  switch (choose(6)) {
  case 0: /* one bit */
    if (left) b[at] ^= (uint8_t)(1u << choose(8));
    return n;
  case 1: /* bytes at the edges of ranges */
    for (size_t i = 0; i < shorter(run, 4); i++) b[at + i] = rare[choose(sizeof rare)];
    return n;
  case 2: /* bytes lost */
    memmove(b + at, b + at + run, left - run);
    return n - run;
  case 3: /* bytes twice */
    run = shorter(run, longest - n);
    memmove(b + at + run, b + at, left);
    return n + run;
  case 4: /* the end of another file */
    run = shorter(other->size - from, longest - at);
    memcpy(b + at, other->bytes + from, run);
    return at + run;
  default: /* a piece of another file */
    run = shorter(shorter(1 + choose(32), other->size - from), longest - n);
    memmove(b + at + run, b + at, left);
    memcpy(b + at, other->bytes + from, run);
    return n + run;
  }
}

/* Runs one input. Until it ends well it lies in a file beside the program, so that an input that breaks something is left there. */
static void run(int log, const uint8_t *bytes, size_t n)
{
  if (pwrite(log, bytes, n, 0) != (ssize_t)n || ftruncate(log, (off_t)n) != 0)
    stop("cannot write", "the input");
  uint8_t *copy = malloc(n ? n : 1); /* has its own size, so that a sanitizer sees reads beyond its end */
  if (!copy) stop("no memory for", "an input");
  if (n) memcpy(copy, bytes, n);
  LLVMFuzzerTestOneInput(copy, n);
  free(copy);
}

static void run_edited(int log, uint8_t *b)
{
  const struct input *f = &corpus[choose((size_t)files)];
  size_t n = f->size;
  memcpy(b, f->bytes, n);
  for (size_t left = 1 + choose(EDITS_MOST); left > 0; left--) n = edit(b, n);
  run(log, b, n);
}

int main(int argc, char **argv)
{
  if (argc != 2 && argc != 3) stop("expected FILE, or FOLDER INPUTS, as arguments of", argv[0]);
  const long inputs = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (argc == 3)
    read_folder(argv[1]);
  else
    read_input(argv[1]);

  char path[4096];
  snprintf(path, sizeof path, "%s.input", argv[0]);
  const int log = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (log < 0) stop("cannot write", path);
  for (int i = 0; i < files; i++) run(log, corpus[i].bytes, corpus[i].size);
  uint8_t *b = malloc(longest);
  if (!b) stop("no memory for", "an input");
  for (long i = 0; i < inputs; i++) run_edited(log, b);

  printf("%d files and %ld edited inputs: nothing found\n", files, inputs);
  free(b);
  for (int i = 0; i < files; i++) free(corpus[i].bytes);
  close(log);
  unlink(path);
  return 0;
}
