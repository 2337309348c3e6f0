/* SPDX-License-Identifier: MIT */
#include "journal/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void name_fresh(const struct report_file *f, char *fresh, size_t size)
{
  snprintf(fresh, size, "%s.new", f->target);
}

/* Opens a new file beside the report; -1: errno. Removes a file that a crash has left. */
static int make_fresh(const struct report_file *f)
{
  char fresh[sizeof f->target + 8];
  name_fresh(f, fresh, sizeof fresh);
  unlink(fresh);
  return open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void drop_fresh(const struct report_file *f)
{
  char fresh[sizeof f->target + 8];
  name_fresh(f, fresh, sizeof fresh);
  unlink(fresh);
}

/* Opens the report itself and changes nothing yet. */
static bool open_in_place(struct report_file *f)
{
  const int fd = open(f->path, O_WRONLY | O_CLOEXEC);
  f->out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!f->out && fd >= 0) close(fd);
  return f->out;
}

bool report_file_open(struct report_file *f, const char *path)
{
  struct stat st;
  char behind[PATH_MAX];
  *f = (struct report_file){.path = path};
  if (!path) return true;
  if (strcmp(path, "-") == 0) {
    f->out = stdout;
    return true;
  }
  /* Follow links to the file. */
  const bool there = stat(path, &st) == 0;
  if (there && !S_ISREG(st.st_mode)) return open_in_place(f);
  const char *target = there && realpath(path, behind) ? behind : path;
  if (snprintf(f->target, sizeof f->target, "%s", target) >= (int)sizeof f->target) {
    errno = ENAMETOOLONG;
    return false;
  }
  /* Try to make a file beside it. */
  const int fd = make_fresh(f);
  if (fd < 0) return there && open_in_place(f); /* the file may be writable although its folder is not */
  close(fd);
  drop_fresh(f);
  return true;
}

static bool write_in_place(struct report_file *f, const struct report *r)
{
  struct stat st;
  const int fd = fileno(f->out);
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && f->out != stdout && ftruncate(fd, 0) != 0) return false;
  return report_write(r, f->out);
}

static bool write_beside(struct report_file *f, const struct report *r)
{
  /* Make a new file with the mode of the old one. */
  struct stat st;
  char fresh[sizeof f->target + 8];
  name_fresh(f, fresh, sizeof fresh);
  const int fd = make_fresh(f);
  if (fd < 0) return false;
  if (stat(f->target, &st) == 0) (void)fchmod(fd, st.st_mode & 07777);
  FILE *out = fdopen(fd, "w");
  if (!out) {
    close(fd);
    return false;
  }
  /* Write it; only a complete file replaces the old one. */
  const bool written = report_write(r, out);
  const int status = errno;
  const bool closed = fclose(out) == 0;
  if (written && closed && rename(fresh, f->target) == 0) return true;
  const int last = written ? errno : status;
  drop_fresh(f);
  errno = last;
  return false;
}

bool report_file_save(struct report_file *f, const struct report *r)
{
  if (!f->path) return true;
  return f->out ? write_in_place(f, r) : write_beside(f, r);
}

void report_file_close(struct report_file *f)
{
  if (f->out && f->out != stdout) fclose(f->out);
  f->out = NULL;
}
