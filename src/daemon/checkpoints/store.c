/* SPDX-License-Identifier: MIT */
#include "checkpoints/store.h"

#include "restart/durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".state"
enum { PATH = 1200, FOUND_MOST = 4096 };
static const off_t LARGEST = (off_t)64 << 20; /* bytes of a state that is read */

bool store_open(struct store *s, const char *folder, const char *state_dir, const char *instance, int keep,
                char *error, size_t size)
{
  char parent[sizeof s->folder];
  *s = (struct store){.keep = keep};
  if (!folder && !durable_folder(state_dir, parent, sizeof parent)) {
    snprintf(error, size, "no folder for states: give state.folder, or set STATE_DIRECTORY or HOME");
    return false;
  }
  const int n = folder ? snprintf(s->folder, sizeof s->folder, "%s", folder)
                       : snprintf(s->folder, sizeof s->folder, "%s/%s", parent, instance);
  if (n < (int)sizeof s->folder && durable_make_folder(s->folder) && access(s->folder, W_OK | X_OK) == 0)
    return true;
  snprintf(error, size, "%.300s: cannot make or write the folder of states: %s", s->folder, strerror(errno));
  s->folder[0] = '\0';
  return false;
}

static void stored_path(const struct store *s, const char *name, const char *ending, char path[PATH])
{
  snprintf(path, PATH, "%s/%s%s", s->folder, name, ending);
}

int store_write(const struct store *s, const char *name, const char *ending, const void *bytes, size_t size)
{
  char path[PATH];
  if (!s->folder[0]) return ENOENT;
  stored_path(s, name, ending, path);
  return durable_write(path, bytes, size);
}

static void auto_name(int age, char name[32])
{
  if (age == 0)
    snprintf(name, 32, STORE_AUTO);
  else
    snprintf(name, 32, STORE_AUTO "_%d", age);
}

/* A crash between two renames leaves a gap, which later saves close. */
int store_write_auto(const struct store *s, const void *bytes, size_t size)
{
  char name[32], from[PATH], to[PATH];
  if (!s->folder[0]) return ENOENT;
  /* The new one must be on disk before the oldest one goes. */
  const int status = store_write(s, STORE_AUTO "_next", ENDING, bytes, size);
  if (status != 0) return status;
  for (int age = s->keep - 1; age > 0; age--) {
    auto_name(age - 1, name);
    stored_path(s, name, ENDING, from);
    auto_name(age, name);
    stored_path(s, name, ENDING, to);
    if (rename(from, to) != 0 && errno != ENOENT) return errno;
  }
  stored_path(s, STORE_AUTO "_next", ENDING, from);
  stored_path(s, STORE_AUTO, ENDING, to);
  return rename(from, to) == 0 ? 0 : errno;
}

/* The folder may be anybody's: only a regular file is read. */
void *store_read(const struct store *s, const char *name, const char *path, size_t *size)
{
  char own[PATH];
  struct stat st;
  if (!path) stored_path(s, name, ENDING, own);
  const int fd = open(path ? path : own, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  /* Read as many bytes as there are now. */
  char *bytes = NULL;
  size_t got = 0;
  errno = EINVAL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST)
    bytes = malloc((size_t)st.st_size + 1);
  while (bytes && got < (size_t)st.st_size) {
    const ssize_t n = read(fd, bytes + got, (size_t)st.st_size - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  const int why = errno;
  close(fd);
  errno = why;
  *size = got;
  return bytes;
}

static int newer_first(const void *a, const void *b)
{
  const struct store_found *x = a, *y = b;
  if (x->written_s != y->written_s) return x->written_s < y->written_s ? 1 : -1;
  return strcmp(x->name, y->name);
}

static bool is_state(const struct store *s, const char *file, struct store_found *o)
{
  char path[PATH];
  struct stat st;
  const size_t length = strlen(file), ending = strlen(ENDING);
  if (length <= ending || length - ending >= sizeof o->name || strcmp(file + length - ending, ENDING) != 0)
    return false;
  snprintf(path, sizeof path, "%s/%s", s->folder, file);
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  snprintf(o->name, sizeof o->name, "%.*s", (int)(length - ending), file);
  o->written_s = (uint64_t)st.st_mtim.tv_sec;
  o->bytes = (uint64_t)st.st_size;
  return true;
}

int store_list(const struct store *s, struct store_found *found, int most)
{
  DIR *d = s->folder[0] ? opendir(s->folder) : NULL;
  struct store_found *all = d ? malloc(FOUND_MOST * sizeof *all) : NULL;
  int count = 0;
  for (struct dirent *e; all && count < FOUND_MOST && (e = readdir(d));)
    if (is_state(s, e->d_name, &all[count])) count++;
  if (d) closedir(d);
  if (count > 0) qsort(all, (size_t)count, sizeof *all, newer_first);
  if (count > most) count = most;
  if (count > 0) memcpy(found, all, (size_t)count * sizeof *found);
  free(all);
  return count;
}
