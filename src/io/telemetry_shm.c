/* SPDX-License-Identifier: MIT
 * The shared memory object behind the telemetry block. Set-up and tools only: everything here calls the
 * system.
 *
 * An object is made complete but for `magic`; telemetry_ready() stores that last, so a reader that sees it
 * sees the rest. A daemon that was killed leaves its object behind: the process id in it tells. */
#include "io/telemetry_shm.h"
#include "rt/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHM_DIRECTORY   "/dev/shm" /* where Linux keeps what shm_open() makes */
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

enum { NAME_MAX_LENGTH = 63, HALF_MADE_S = 2 };

bool telemetry_valid_name(const char *instance)
{
  const size_t n = strlen(instance);
  return n >= 1 && n <= NAME_MAX_LENGTH && strspn(instance, NAME_CHARACTERS) == n;
}

static void object_name(char name[static 80], const char *instance)
{
  snprintf(name, 80, "%s%.63s", TELEMETRY_PREFIX, instance);
}

static void description_name(char name[static 84], const char *instance)
{
  snprintf(name, 84, "%s%.63s.osc", TELEMETRY_PREFIX, instance); /* no instance has a point in its name */
}

/* A process that is dead but not yet waited for (under some init of a container: for ever) can still be
 * signalled. */
static bool is_zombie(int64_t pid)
{
  char path[40], line[256];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
  FILE *f = fopen(path, "re");
  if (!f) return false;
  const char *name_end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
  fclose(f);
  return name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
}

static bool process_lives(int64_t pid)
{
  return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
}

bool telemetry_alive(const struct telemetry *t)
{
  return process_lives(t->pid);
}

/* Maps what is there, whatever it is; NULL if there is nothing (errno ENOENT), or it is too small (errno 0).
 */
static const struct telemetry *map_existing(const char *instance, struct stat *st)
{
  char name[80];
  object_name(name, instance);
  const int fd = shm_open(name, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return NULL;
  struct stat own;
  if (!st) st = &own;
  void *p = MAP_FAILED;
  if (fstat(fd, st) == 0) {
    errno = 0;
    if ((size_t)st->st_size >= sizeof(struct telemetry))
      p = mmap(NULL, sizeof(struct telemetry), PROT_READ, MAP_SHARED, fd, 0);
  }
  const int saved = errno;
  close(fd);
  errno = saved;
  return p == MAP_FAILED ? NULL : p;
}

/* True if the object in the way belongs to nobody alive. */
static bool abandoned(const char *instance, char *error, size_t size)
{
  struct stat st = {0};
  const struct telemetry *t = map_existing(instance, &st);
  const int64_t pid = t ? t->pid : 0;
  telemetry_close(t);
  /* The own number can only be left over from an earlier life, where process numbers begin anew (containers).
   */
  if (pid != getpid() && process_lives(pid)) {
    snprintf(error, size, "an instance \"%s\" is already running as process %" PRId64, instance, pid);
    return false;
  }
  if (pid == 0 && time(NULL) - st.st_ctime < HALF_MADE_S) {
    snprintf(error, size, "an instance \"%s\" is being started by another process", instance);
    return false;
  }
  return true;
}

static int make_object(const char *name, const char *instance, char *error, size_t size)
{
  for (int attempt = 0; attempt < 2; attempt++) {
    const int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (fd >= 0) return fd;
    if (errno != EEXIST) break;
    if (!abandoned(instance, error, size)) return -1;
    if (shm_unlink(name) != 0 && errno != ENOENT) break;
  }
  snprintf(error, size, "shared memory %s: %s", name, strerror(errno));
  return -1;
}

struct telemetry *telemetry_create(const char *instance, char *error, size_t size)
{
  if (!telemetry_valid_name(instance)) {
    snprintf(error, size, "instance name: expected 1 to %d of A-Z a-z 0-9 _ -, found \"%.80s\"",
             NAME_MAX_LENGTH, instance);
    return NULL;
  }
  char name[80];
  object_name(name, instance);
  const int fd = make_object(name, instance, error, size);
  if (fd < 0) return NULL;
  void *p = MAP_FAILED;
  /* fchmod: readable by all, whatever the umask. Allocated, not just sized: where the file system is full the
   * first touch of a page would kill the process, in the loop perhaps. */
  errno = fchmod(fd, 0644) == 0 ? posix_fallocate(fd, 0, sizeof(struct telemetry)) : errno;
  if (errno == 0) p = mmap(NULL, sizeof(struct telemetry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    snprintf(error, size, "shared memory %s: %s", name, strerror(errno));
    shm_unlink(name);
    close(fd);
    return NULL;
  }
  close(fd);
  char description[84];
  description_name(description, instance);
  shm_unlink(description); /* of one that was killed */
  struct telemetry *t = p;
  t->pid = getpid();
  t->version = TELEMETRY_VERSION;
  t->size = sizeof *t;
  t->start_ns = clock_now_ns();
  snprintf(t->instance, sizeof t->instance, "%s", instance);
  return t;
}

void telemetry_ready(struct telemetry *t)
{
  __atomic_store_n(&t->magic, TELEMETRY_MAGIC, __ATOMIC_RELEASE);
}

void telemetry_destroy(struct telemetry *t)
{
  if (!t) return;
  char name[80];
  object_name(name, t->instance);
  shm_unlink(name);
  char description[84];
  description_name(description, t->instance);
  shm_unlink(description);
  munmap(t, sizeof *t);
}

bool telemetry_describe(struct telemetry *t, const char *text)
{
  char name[84];
  description_name(name, t->instance);
  const int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const size_t size = strlen(text);
  bool written = fchmod(fd, 0644) == 0;
  for (size_t at = 0; written && at < size;) {
    const ssize_t n = write(fd, text + at, size - at);
    written = n > 0;
    if (written) at += (size_t)n;
  }
  close(fd);
  if (!written) shm_unlink(name);
  return written;
}

char *telemetry_description(const char *instance)
{
  enum { MOST = 64 << 20 }; /* whatever it is, it is no description */
  char name[84];
  struct stat st;
  if (!telemetry_valid_name(instance)) return NULL;
  description_name(name, instance);
  const int fd = shm_open(name, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return NULL;
  char *text = NULL;
  if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < MOST) text = calloc(1, (size_t)st.st_size + 1);
  for (off_t at = 0; text && at < st.st_size;) {
    const ssize_t n = read(fd, text + at, (size_t)(st.st_size - at));
    if (n <= 0) {
      free(text);
      text = NULL;
      break;
    }
    at += n;
  }
  close(fd);
  return text;
}

const struct telemetry *telemetry_open(const char *instance, char *error, size_t size)
{
  if (!telemetry_valid_name(instance)) {
    snprintf(error, size, "instance name: expected 1 to %d of A-Z a-z 0-9 _ -, found \"%.80s\"",
             NAME_MAX_LENGTH, instance);
    return NULL;
  }
  const struct telemetry *t = map_existing(instance, NULL);
  if (!t) {
    snprintf(error, size, "instance \"%s\": %s", instance,
             errno == ENOENT ? "not running"
             : errno         ? strerror(errno)
                             : "not a telemetry block of this version");
    return NULL;
  }
  const uint32_t magic = __atomic_load_n(&t->magic, __ATOMIC_ACQUIRE);
  if (magic == TELEMETRY_MAGIC && t->version == TELEMETRY_VERSION && t->size == sizeof *t) return t;
  if (magic == 0)
    snprintf(error, size, "instance \"%s\": still starting", instance);
  else if (magic != TELEMETRY_MAGIC)
    snprintf(error, size, "instance \"%s\": not a telemetry block", instance);
  else
    snprintf(error, size, "instance \"%s\": telemetry version %u of %" PRIu64 " bytes, expected %u of %zu",
             instance, t->version, t->size, TELEMETRY_VERSION, sizeof *t);
  telemetry_close(t);
  return NULL;
}

void telemetry_close(const struct telemetry *t)
{
  if (t) munmap((void *)t, sizeof *t);
}

struct listed {
  char name[64];
  uint64_t start_ns;
  bool alive;
};

static int by_age(const void *a, const void *b)
{
  const struct listed *x = a, *y = b;
  if (x->alive != y->alive) return x->alive ? -1 : 1;
  return (x->start_ns < y->start_ns) - (x->start_ns > y->start_ns);
}

int telemetry_list(char name[][64], int max)
{
  const char *prefix = &TELEMETRY_PREFIX[1];
  const size_t n = strlen(prefix);
  DIR *directory = opendir(SHM_DIRECTORY);
  if (!directory) return 0;
  struct listed found[256];
  int count = 0;
  for (const struct dirent *e; count < 256 && (e = readdir(directory));) {
    if (strncmp(e->d_name, prefix, n) != 0 || !telemetry_valid_name(e->d_name + n)) continue;
    char error[256];
    const struct telemetry *t = telemetry_open(e->d_name + n, error, sizeof error);
    if (!t) continue;
    struct listed *l = &found[count++];
    snprintf(l->name, sizeof l->name, "%.63s", e->d_name + n);
    l->start_ns = t->start_ns;
    l->alive = telemetry_alive(t);
    telemetry_close(t);
  }
  closedir(directory);
  qsort(found, (size_t)count, sizeof *found, by_age);
  if (count > max) count = max;
  for (int i = 0; i < count; i++) memcpy(name[i], found[i].name, sizeof found[i].name);
  return count;
}
