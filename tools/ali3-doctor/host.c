/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cut_end(char *text)
{
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1])) text[--n] = '\0';
}

static bool join_root(const struct host *h, const char *path, char out[PATH_MAX])
{
  return snprintf(out, PATH_MAX, "%s%s", h->root, path) < PATH_MAX;
}

static int read_host_file(const struct host *h, const char *path, char *text, size_t size)
{
  char full[PATH_MAX];
  text[0] = '\0';
  if (!join_root(h, path, full)) return -ENAMETOOLONG;
  const int file = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -errno;
  size_t used = 0;
  ssize_t n = 0;
  while (used + 1 < size && (n = read(file, text + used, size - 1 - used)) > 0) used += (size_t)n;
  const int status = n < 0 ? -errno : (int)used;
  close(file);
  text[used] = '\0';
  return status;
}

int host_read(const struct host *h, char *text, size_t size, const char *path, ...)
{
  char filled[512];
  va_list list;
  va_start(list, path);
  vsnprintf(filled, sizeof filled, path, list);
  va_end(list);
  const int status = read_host_file(h, filled, text, size);
  if (status >= 0) cut_end(text);
  return status;
}

bool host_number(const struct host *h, long long *value, const char *path, ...)
{
  char filled[512], text[64], *end;
  va_list list;
  va_start(list, path);
  vsnprintf(filled, sizeof filled, path, list);
  va_end(list);
  if (read_host_file(h, filled, text, sizeof text) <= 0) return false;
  cut_end(text);
  errno = 0;
  *value = strtoll(text, &end, 10);
  return end != text && !*end && !errno;
}

int host_write(const struct host *h, const char *path, const char *text)
{
  char full[PATH_MAX];
  if (!join_root(h, path, full)) return -ENAMETOOLONG;
  const int file = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return -errno;
  const size_t n = strlen(text);
  const ssize_t done = write(file, text, n);
  int status = done < 0 ? -errno : (size_t)done < n ? -EIO : 0;
  if (close(file) != 0 && !status) status = -errno;
  return status;
}

bool host_exists(const struct host *h, const char *path)
{
  char full[PATH_MAX];
  return join_root(h, path, full) && access(full, F_OK) == 0;
}

bool host_may_write(const struct host *h, const char *path)
{
  char full[PATH_MAX];
  return join_root(h, path, full) && access(full, W_OK) == 0;
}

FILE *host_open(const struct host *h, const char *path)
{
  char full[PATH_MAX];
  if (join_root(h, path, full)) return fopen(full, "re");
  errno = ENAMETOOLONG;
  return NULL;
}

bool host_field(const struct host *h, const char *path, const char *key, char *text, size_t size)
{
  FILE *f = host_open(h, path);
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  /* Find the line of the key. */
  while (f && !found && getline(&line, &room, f) > 0) {
    char *colon = strchr(line, ':');
    if (!colon) continue;
    *colon = '\0';
    cut_end(line);
    if (strcmp(line, key) != 0) continue;
    /* Copy its value. */
    found = true;
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    snprintf(text, size, "%s", value);
    cut_end(text);
  }
  free(line);
  if (f) fclose(f);
  return found;
}

static void read_cpus(const struct host *h, const char *path, cpu_set_t *set)
{
  char text[4096];
  CPU_ZERO(set);
  if (host_read(h, text, sizeof text, "%s", path) > 0 && !cpus_parse(text, set)) CPU_ZERO(set);
}

void host_look(struct host *h, const char *root, int priority, int cpu)
{
  *h = (struct host){.root = strcmp(root, "/") == 0 ? "" : root, .priority = priority, .cpu = cpu};
  read_cpus(h, "/sys/devices/system/cpu/online", &h->online);
  read_cpus(h, "/sys/devices/system/cpu/isolated", &h->isolated);
  h->loop = h->isolated;
  if (cpu >= 0) {
    CPU_ZERO(&h->loop);
    CPU_SET(cpu, &h->loop);
  }
  host_read(h, h->release, sizeof h->release, "/proc/sys/kernel/osrelease");
  host_read(h, h->version, sizeof h->version, "/proc/sys/kernel/version");
}

bool host_is_here(const struct host *h)
{
  return !h->root[0];
}

const cpu_set_t *host_cpus(const struct host *h)
{
  return CPU_COUNT(&h->loop) ? &h->loop : &h->online;
}

bool has_word(const char *text, const char *word)
{
  const size_t n = strlen(word);
  static const char between[] = " \t\n,";
  for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
    const size_t length = strcspn(at, between);
    if (length == n && memcmp(at, word, n) == 0) return true;
    at += length;
  }
  return false;
}
