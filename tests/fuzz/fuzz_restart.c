/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as the state file of a daemon, beside the block of the last run. The first bytes are that block, the rest
 * is the file. A record that was read is written and read again without a difference, and a stop that one copy holds is never lost. */
#include "restart/state_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { BLOCK = 4, MISSING = 1, FAULT_CODES = 32 };
#define INSTANCE "bench"

static char path[64], again[72];

static void require(bool holds)
{
  if (!holds) abort();
}

static void remove_files(void)
{
  unlink(path);
  unlink(again);
}

static bool same_record(const struct state_record *a, const struct state_record *b)
{
  return a->ended == b->ended && a->disarmed == b->disarmed && a->state == b->state && a->fault == b->fault &&
         strcmp(a->who, b->who) == 0;
}

/* The record that the loop left in shared memory. */
static struct state_copy block_of(const uint8_t *b)
{
  struct state_copy block = {.found = b[0] & MISSING ? COPY_MISSING : COPY_READ};
  block.record.disarmed = b[1] & 1;
  block.record.state = b[2] % (STATE_EXIT + 1);
  block.record.fault = b[3] % FAULT_CODES;
  snprintf(block.record.who, sizeof block.record.who, "%s", b[1] & 2 ? "osc client 10.0.0.7:9000" : "");
  return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static int fd = -1;
  char error[300] = "", text[1000];
  if (fd < 0) {
    snprintf(path, sizeof path, "/dev/shm/fuzz-restart-%d", (int)getpid());
    snprintf(again, sizeof again, "%s.again", path);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    require(fd >= 0);
    atexit(remove_files);
  }
  if (n < BLOCK) return 0;
  require(pwrite(fd, bytes + BLOCK, n - BLOCK, 0) == (ssize_t)(n - BLOCK) &&
          ftruncate(fd, (off_t)(n - BLOCK)) == 0);
  const struct state_copy file = state_file_read(path, INSTANCE, error, sizeof error);
  require(file.found == COPY_READ || (file.found == COPY_BROKEN && error[0]));
  if (file.found == COPY_READ) {
    require(state_file_write(again, INSTANCE, &file.record) == 0);
    const struct state_copy second = state_file_read(again, INSTANCE, error, sizeof error);
    require(second.found == COPY_READ && same_record(&second.record, &file.record));
  }
  /* The start that follows. */
  const struct state_copy block = block_of(bytes);
  struct last_run start;
  const struct state_copy last = state_record_decide(&file, &block, &start);
  const bool stopped = (file.found == COPY_READ && file.record.fault != FAULT_NONE) ||
                       (block.found == COPY_READ && block.record.fault != FAULT_NONE);
  require((start.fault != FAULT_NONE) == stopped && (!stopped || start.disarmed));
  require(file.found != COPY_BROKEN || start.disarmed);
  require(!(file.found == COPY_READ && file.record.disarmed) || start.disarmed);
  state_record_text(&last, &start, true, path, text, sizeof text);
  require(!start.disarmed || text[0]);
  return 0;
}
