/* SPDX-License-Identifier: MIT
 * Old files, free space, and file systems. */
#include "record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

double space_free(const char *folder)
{
  struct statvfs s;
  return statvfs(folder, &s) == 0 ? (double)s.f_bavail * (double)s.f_frsize : -1.0;
}

bool space_is_local(const char *folder, char *kind, size_t size)
{
  static const struct remote {
    unsigned long magic;
    const char *name;
  } remote[] = {
      {0x6969, "NFS"}, {0x517b, "SMB"}, {0xff534d42, "CIFS"}, {0xfe534d42, "SMB2"}, {0x65735546, "FUSE"}};
  struct statfs s;
  if (statfs(folder, &s) != 0) return true; /* the file will say what is wrong */
  for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
    if (((unsigned long)s.f_type & 0xffffffff) == remote[i].magic) {
      snprintf(kind, size, "%s", remote[i].name);
      return false;
    }
  return true;
}

struct old_file {
  char name[300];
  double bytes;
};

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct old_file *)a)->name, ((const struct old_file *)b)->name);
}

/* INSTANCE-YYYYMMDDTHHMMSS...Z.h5: their names sort by time. */
static bool is_of_instance(const char *name, const char *instance)
{
  const size_t n = strlen(instance), length = strlen(name);
  return strncmp(name, instance, n) == 0 && name[n] == '-' && length > n + 17 && name[n + 9] == 'T' &&
         strcmp(name + length - 4, "Z.h5") == 0 && !strchr(name + n + 1, '-');
}

/* Finished files of the instance, oldest first. *count: how many. To be freed. */
static struct old_file *list_old_files(const char *folder, const char *instance, size_t *count)
{
  /* Collect the regular files with such names. */
  struct old_file *old = NULL;
  *count = 0;
  DIR *d = opendir(folder);
  if (!d) return NULL;
  for (const struct dirent *e; (e = readdir(d));) {
    struct stat st;
    if (!is_of_instance(e->d_name, instance) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    struct old_file *more = realloc(old, (*count + 1) * sizeof *more);
    if (!more) break;
    old = more;
    snprintf(old[*count].name, sizeof old[*count].name, "%.299s", e->d_name);
    old[(*count)++].bytes = (double)st.st_size;
  }
  closedir(d);
  if (*count) qsort(old, *count, sizeof *old, by_name);
  return old;
}

void space_prune(const char *folder, const char *instance, double keep)
{
  size_t count;
  struct old_file *old = list_old_files(folder, instance, &count);
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += old[i].bytes;
  for (size_t i = 0; i < count && sum > keep; i++) {
    char path[RECORD_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, old[i].name);
    if (unlink(path) != 0) continue;
    fprintf(stderr, "ali3-record: %s: removed; finished files of instance \"%s\" may take %.3g GB\n", path,
            instance, keep / 1e9);
    sum -= old[i].bytes;
  }
  free(old);
}
