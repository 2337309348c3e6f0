/* SPDX-License-Identifier: MIT
 * The report of a recorder about itself, in a file of its own beside the frame ring: the recorder only reads the ring. The daemon
 * shows the report to everybody. Not real-time. */
#ifndef FRAMES_RECORDER_H
#define FRAMES_RECORDER_H

#include "signals/states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORDER_FILE_NAME = 200 };

struct recorder_report {
  uint64_t magic;
  uint32_t bytes;    /* size of this struct */
  uint32_t crc;      /* CRC-32 of all that follows: a report that is being written is not believed */
  int64_t pid;       /* process of the recorder */
  uint64_t start_ns; /* start of the daemon that it follows, as in the ring */
  uint32_t state;    /* enum recorder_state */
  uint32_t reserved;
  uint64_t cycles, lost; /* taken and lost, since the recorder began to follow this daemon */
  uint64_t file_bytes, flush_ns;
  char file[RECORDER_FILE_NAME]; /* "": none */
};

/* The recorder. Makes the file for an instance. -1 with the reason in error[size]: another recorder follows the instance, or the
 * file belongs to another user. */
int recorder_report_open(const char *instance, char *error, size_t size);
/* Fills in magic, sizes, pid and checksum, and writes. */
void recorder_report_write(int fd, struct recorder_report *report);
/* Removes and closes the file. fd -1: nothing. */
void recorder_report_close(int fd, const char *instance);

/* The daemon. The report of a living recorder that follows the daemon of `start_ns`. False: there is none. */
bool recorder_report_read(const char *instance, uint64_t start_ns, struct recorder_report *report);

#endif
