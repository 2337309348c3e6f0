/* SPDX-License-Identifier: MIT */
#include "yaml/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t MOST = (size_t)TEXT_FILE_MB << 20;

static const char *file_kind_name(mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFIFO:
    return "a FIFO";
  case S_IFDIR:
    return "a folder";
  case S_IFSOCK:
    return "a socket";
  default:
    return "a device";
  }
}

static bool say_unreadable(char *why, size_t size, const char *text)
{
  snprintf(why, size, "cannot read the file: %s", text);
  return false;
}

/* The size of a regular file is known before anything is read. */
static bool check_kind(const struct stat *st, bool pipe, char *why, size_t size)
{
  if (!S_ISREG(st->st_mode) && !(pipe && S_ISFIFO(st->st_mode))) {
    snprintf(why, size, "expected a regular file, found %s", file_kind_name(st->st_mode));
    return false;
  }
  if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size <= MOST) return true;
  snprintf(why, size, "expected at most %d MB, found %.1f MB", TEXT_FILE_MB, (double)st->st_size / (1 << 20));
  return false;
}

static bool grow_text(struct source *s, size_t *room)
{
  if (s->size + 1 < *room) return true;
  const size_t more = *room ? 2 * *room : 1 << 16;
  char *text = realloc(s->text, more);
  if (!text) return false;
  s->text = text;
  *room = more;
  return true;
}

static bool read_whole_file(struct source *s, int fd, char *why, size_t size)
{
  for (size_t room = 0;;) {
    if (!grow_text(s, &room)) return say_unreadable(why, size, strerror(ENOMEM));
    struct pollfd ready = {.fd = fd, .events = POLLIN}; /* a regular file is always ready */
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) return say_unreadable(why, size, strerror(errno));
    const ssize_t n = read(fd, s->text + s->size, room - s->size - 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return say_unreadable(why, size, strerror(errno));
    s->size += (size_t)n;
    s->text[s->size] = '\0';
    if (n == 0) return true;
    if (s->size <= MOST) continue;
    snprintf(why, size, "expected at most %d MB, found more", TEXT_FILE_MB);
    return false;
  }
}

bool text_file_read(struct source *s, const char *path, bool pipe, char *why, size_t size)
{
  struct stat st;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return say_unreadable(why, size, strerror(errno));
  bool good = fstat(fd, &st) == 0 || say_unreadable(why, size, strerror(errno));
  good = good && check_kind(&st, pipe, why, size) && read_whole_file(s, fd, why, size);
  close(fd);
  return good;
}

char *path_beside(const char *file, const char *path)
{
  const char *slash = path[0] == '/' ? NULL : strrchr(file, '/');
  size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
  size_t length = strlen(path) + 1;
  char *joined = malloc(folder + length);
  if (!joined) return NULL;
  memcpy(joined, file, folder);
  memcpy(joined + folder, path, length);
  return joined;
}
