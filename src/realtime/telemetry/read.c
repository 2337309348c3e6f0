/* SPDX-License-Identifier: MIT
 * The owner of a file may change it at any time, also with bad intent. So every check is made on the copy. */
#include "telemetry/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OF_A_USER = 256 };  /* blocks per user that a list keeps */
enum { STAT_BLOCK = 512 }; /* bytes in a unit of st_blocks */
/* Accounts of the system, and users that systemd makes for a service (DynamicUser). Only root gives them to a process. */
enum { PERSONS_FIRST = 1000, SERVICES_FIRST = 61184, SERVICES_LAST = 65519 };

/* The first fields of a block. Its writer fills them in before the block gets its name. */
struct head {
  uint32_t magic, version;
  uint64_t size;
  int64_t pid;
  uint64_t start_ns;
};
_Static_assert(offsetof(struct head, size) == offsetof(struct telemetry, size), "the head of a block");
_Static_assert(offsetof(struct head, pid) == offsetof(struct telemetry, pid), "the head of a block");
_Static_assert(offsetof(struct head, start_ns) == offsetof(struct telemetry, start_ns),
               "the head of a block");

/* Checks that the head has our layout and that its file belongs to the user of its process. */
static bool judge_head(const struct head *t, const struct stat *st, const char *path, char *error,
                       size_t size)
{
  /* The owner. */
  if (!object_is_trusted(st, t->pid)) {
    snprintf(error, size,
             "shared memory %s belongs to user %u, but process %" PRId64
             ", which it names, runs as another user: refused",
             path, (unsigned)st->st_uid, t->pid);
    return false;
  }
  /* The layout. */
  if (t->magic == TELEMETRY_MAGIC && t->version == TELEMETRY_VERSION && t->size == sizeof(struct telemetry) &&
      (uint64_t)st->st_size == sizeof(struct telemetry))
    return true;
  if (t->magic == TELEMETRY_MAGIC && t->version != TELEMETRY_VERSION)
    snprintf(error, size,
             "process %" PRId64
             " is another version of ali3d (telemetry %u, expected %u): restart it when its bench "
             "is free, or use the tools of its version (shared memory %s)",
             t->pid, t->version, TELEMETRY_VERSION, path);
  else
    snprintf(error, size, "shared memory %s is not a telemetry block of this version", path);
  return false;
}

/* Returns a descriptor of the block and its head; -1 with the reason in error[size]. */
static int open_block(const char *instance, struct head *head, char *error, size_t size)
{
  char path[OBJECT_PATH], made[OBJECT_PATH], why[160];
  struct stat st;
  object_path(path, instance, OBJECT_BLOCK);
  object_path(made, instance, OBJECT_NEW);
  const int fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  if (fd < 0) {
    if (errno == ENOENT)
      snprintf(error, size, "instance \"%s\": %s", instance,
               lstat(made, &st) == 0 ? "still starting" : "not running");
    else
      snprintf(error, size, "shared memory %s %s", path, why);
    return -1;
  }
  memset(head, 0, sizeof *head);
  object_read(fd, head, sizeof *head, 0); /* a shorter file fills a part of the head */
  if (judge_head(head, &st, path, error, size)) return fd;
  close(fd);
  return -1;
}

bool telemetry_open(struct telemetry_reader *r, const char *instance, char *error, size_t size)
{
  *r = (struct telemetry_reader){0};
  if (!telemetry_valid_name(instance)) {
    object_bad_name(instance, error, size);
    return false;
  }
  struct head head;
  r->fd = open_block(instance, &head, error, size);
  if (r->fd < 0) return false;
  snprintf(r->instance, sizeof r->instance, "%s", instance);
  r->pid = head.pid;
  r->start_ns = head.start_ns;
  return true;
}

void telemetry_close(struct telemetry_reader *r)
{
  if (r->instance[0]) close(r->fd);
  *r = (struct telemetry_reader){0};
}

bool telemetry_alive(const struct telemetry_reader *r)
{
  return object_is_locked(r->fd);
}

bool telemetry_is_current(const struct telemetry_reader *r)
{
  char path[OBJECT_PATH];
  object_path(path, r->instance, OBJECT_BLOCK);
  return object_is_at(r->fd, path);
}

/* Taken only from the owner of the block, so that no other user can describe a daemon. */
char *telemetry_description(const struct telemetry_reader *r)
{
  enum { MOST = 64 << 20 }; /* a larger file is no description */
  char path[OBJECT_PATH], why[160];
  struct stat st, block;
  object_path(path, r->instance, OBJECT_DESCRIPTION);
  const int fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  if (fd < 0) return NULL;
  char *text = NULL;
  if (fstat(r->fd, &block) == 0 && st.st_uid == block.st_uid && st.st_size > 0 && st.st_size < MOST)
    text = calloc(1, (size_t)st.st_size + 1);
  if (text && !object_read(fd, text, (size_t)st.st_size, 0)) {
    free(text);
    text = NULL;
  }
  close(fd);
  return text;
}

struct listed {
  char name[64];
  uint64_t start_ns;
  uid_t user;
  bool alive, taken;
};

struct list {
  struct listed *one;
  int count, room;
};

static int by_age(const void *a, const void *b)
{
  const struct listed *x = a, *y = b;
  if (x->alive != y->alive) return x->alive ? -1 : 1;
  return (x->start_ns < y->start_ns) - (x->start_ns > y->start_ns);
}

/* True if a list examines the file. The block of a daemon occupies its whole memory, and so must a block of a user who
 * may be hostile. So a user cannot make more blocks for a list to examine than fit into the memory. */
static bool may_be_block(const struct stat *st)
{
  if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size != sizeof(struct telemetry)) return false;
  return st->st_uid == 0 || st->st_uid == geteuid() || st->st_blocks * STAT_BLOCK >= st->st_size;
}

/* The place for a block in the list; NULL: it gets none. Any user can make many blocks and a process for them, so each
 * user has OF_A_USER places. Then the new block replaces the last one of its user, if it comes before that one: dead
 * blocks never hide a running daemon. */
static struct listed *place_for(struct list *l, const struct listed *block)
{
  int n = 0;
  struct listed *last = NULL;
  for (int i = 0; i < l->count; i++) {
    struct listed *one = &l->one[i];
    if (one->user != block->user) continue;
    n++;
    if (!last || by_age(one, last) > 0) last = one;
  }
  if (n >= OF_A_USER) return by_age(block, last) < 0 ? last : NULL;
  /* Room for one more; without memory the list stays unchanged. */
  if (l->count == l->room) {
    struct listed *more = realloc(l->one, (size_t)(2 * l->room + 64) * sizeof *more);
    if (!more) return NULL;
    l->one = more;
    l->room = 2 * l->room + 64;
  }
  return &l->one[l->count++];
}

static bool is_ours(uid_t user)
{
  return user == geteuid() || user < PERSONS_FIRST || (user >= SERVICES_FIRST && user <= SERVICES_LAST);
}

/* ours: of users that is_ours() knows; else only those of others. */
static void list_add(struct list *l, const char *name, bool ours)
{
  char path[OBJECT_PATH], error[256];
  struct stat st;
  struct telemetry_reader r;
  object_path(path, name, OBJECT_BLOCK);
  if (lstat(path, &st) != 0 || !may_be_block(&st) || is_ours(st.st_uid) != ours) return;
  if (!telemetry_open(&r, name, error, sizeof error)) return;
  struct listed block = {.start_ns = r.start_ns, .user = st.st_uid, .alive = telemetry_alive(&r)};
  snprintf(block.name, sizeof block.name, "%.63s", r.instance);
  telemetry_close(&r);
  struct listed *place = place_for(l, &block);
  if (place) *place = block;
}

/* Keeps at most `max`: no user gets more than half of the places that others could use. */
static int choose_listed(struct list *l, int max)
{
  int taken = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < l->count && taken < max; i++) {
      struct listed *one = &l->one[i];
      int others = 0;
      for (int k = 0; k < i; k++) others += l->one[k].taken && l->one[k].user == one->user;
      if (one->taken || (pass == 0 && others >= (max + 1) / 2)) continue;
      one->taken = true;
      taken++;
    }
  }
  return taken;
}

/* The blocks of ourselves, root and services, or those of others. Returns false if the directory cannot be read. */
static bool list_collect(struct list *l, bool ours)
{
  const char *prefix = &TELEMETRY_PREFIX[1];
  const size_t n = strlen(prefix);
  DIR *directory = opendir(OBJECT_DIRECTORY);
  if (!directory) return false;
  for (const struct dirent *e; (e = readdir(directory));)
    if (strncmp(e->d_name, prefix, n) == 0 && telemetry_valid_name(e->d_name + n))
      list_add(l, e->d_name + n, ours);
  closedir(directory);
  /* Running ones first, each group newest first. */
  if (l->count) qsort(l->one, (size_t)l->count, sizeof *l->one, by_age);
  return true;
}

int telemetry_list(char name[][64], int max)
{
  struct list l = {0};
  const int taken = list_collect(&l, true) ? choose_listed(&l, max) : 0;
  int at = 0;
  for (int i = 0; i < l.count; i++)
    if (l.one[i].taken) memcpy(name[at++], l.one[i].name, sizeof l.one[i].name);
  free(l.one);
  return taken;
}

void telemetry_none_text(char *text, size_t size)
{
  struct list l = {0};
  list_collect(&l, false);
  if (l.count > 0 && l.one[0].alive)
    snprintf(text, size, "only daemons of other persons run: name one of them, such as %s of user %u",
             l.one[0].name, (unsigned)l.one[0].user);
  else
    snprintf(text, size, "no daemon is running");
  free(l.one);
}
