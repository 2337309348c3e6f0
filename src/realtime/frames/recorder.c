/* SPDX-License-Identifier: MIT */
#include "frames/recorder.h"

#include "base/crc.h"
#include "telemetry/object.h"
#include "telemetry/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECORDER_MAGIC UINT64_C(0x3143455233494c41) /* "ALI3REC1" */

static uint32_t report_crc(const struct recorder_report *report)
{
  const size_t from = offsetof(struct recorder_report, pid);
  return crc32_ieee((const uint8_t *)report + from, sizeof *report - from);
}

/* The file that a killed recorder of this user left goes; the file of a living one stays. True: the place is free. */
static bool clear_old_report(const char *path, char *error, size_t size)
{
  char why[160];
  struct stat st;
  const int fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  if (fd < 0 && errno == ENOENT) return true;
  const bool lives = fd >= 0 && object_is_locked(fd);
  if (fd >= 0) close(fd);
  if (!lives && unlink(path) == 0) return true;
  snprintf(error, size, "%s: %s", path,
           lives  ? "another recorder follows this instance"
           : *why ? why
                  : "it belongs to another user; remove it as its owner or as root");
  return false;
}

int recorder_report_open(const char *instance, char *error, size_t size)
{
  char path[OBJECT_PATH];
  object_path(path, instance, OBJECT_RECORDER);
  if (!clear_old_report(path, error, size)) return -1;
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  int reason = fd < 0 ? errno : object_lock(fd);
  /* Readable for all, whatever the umask. */
  if (reason == 0 && fchmod(fd, 0644) != 0) reason = errno;
  if (reason == 0) return fd;
  if (fd >= 0) {
    unlink(path);
    close(fd);
  }
  snprintf(error, size, "%s: %s", path, strerror(reason));
  return -1;
}

void recorder_report_write(int fd, struct recorder_report *report)
{
  if (fd < 0) return;
  report->magic = RECORDER_MAGIC;
  report->bytes = sizeof *report;
  report->pid = getpid();
  report->crc = report_crc(report);
  const ssize_t n = pwrite(fd, report, sizeof *report, 0);
  (void)n; /* a report that did not fit has a wrong checksum */
}

void recorder_report_close(int fd, const char *instance)
{
  char path[OBJECT_PATH];
  if (fd < 0) return;
  object_path(path, instance, OBJECT_RECORDER);
  if (object_is_at(fd, path)) unlink(path);
  close(fd);
}

bool recorder_report_read(const char *instance, uint64_t start_ns, struct recorder_report *report)
{
  char path[OBJECT_PATH], why[160];
  struct stat st;
  object_path(path, instance, OBJECT_RECORDER);
  const int fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  if (fd < 0) return false;
  const bool good = object_is_locked(fd) && object_read(fd, report, sizeof *report, 0) &&
                    report->magic == RECORDER_MAGIC && report->bytes == sizeof *report &&
                    report->crc == report_crc(report) && report->start_ns == start_ns &&
                    report->state < RECORDER_STATES && object_is_trusted(&st, report->pid);
  close(fd);
  if (good) telemetry_clean_text(report->file, sizeof report->file);
  return good;
}
