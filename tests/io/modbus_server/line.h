/* SPDX-License-Identifier: MIT
 * A serial line that can be unplugged and plugged in again: a pseudo terminal, and a path to it. Include after
 * <cmocka.h>. */
#ifndef IO_LINE_H
#define IO_LINE_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes a new line under the old path; returns its other end. */
static inline int line_plug_in(const char *path)
{
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(master >= 0);
  assert_int_equal(grantpt(master), 0);
  assert_int_equal(unlockpt(master), 0);
  unlink(path);
  assert_int_equal(symlink(ptsname(master), path), 0); // NOLINT(concurrency-mt-unsafe)
  return master;
}

static inline void line_unplug(int *master, const char *path)
{
  unlink(path); /* first: a closed terminal may be another test's right after */
  close(*master);
  *master = -1;
}

#endif
