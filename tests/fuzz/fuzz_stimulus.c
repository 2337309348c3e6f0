/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as the CSV file of a stimulus. A table that was read has ascending times and finite values, one for each
 * channel that it names. */
#include "inputs/stimulus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { CHANNELS = 2 };
static struct signal signal_of[CHANNELS] = {{"input.a.value", "N"}, {"input.b.value", "m"}};
static struct input_spec input_of[CHANNELS] = {{.name = "a", .kind = INPUT_VALUE, .first = 0, .count = 1},
                                               {.name = "b", .kind = INPUT_VALUE, .first = 1, .count = 1}};
static const struct signals signals = {.count = CHANNELS,
                                       .signal = signal_of,
                                       .inputs = CHANNELS,
                                       .input = input_of,
                                       .channels = CHANNELS,
                                       .platform_first = -1};

static void need(bool holds)
{
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  char path[40], error[400] = "";
  struct stimulus s = {0};
  const int fd = memfd_create("stimulus", MFD_CLOEXEC);
  need(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (stimulus_read(&s, path, &signals, error, sizeof error)) {
    need(s.rows > 0 && s.columns > 0);
    for (int c = 0; c < s.columns; c++) need(s.channel[c] >= 0 && s.channel[c] < CHANNELS);
    for (int i = 0; i < s.rows; i++) {
      need(isfinite(s.time[i]) && (i == 0 || s.time[i] > s.time[i - 1]));
      for (int c = 0; c < s.columns; c++) need(isfinite(s.value[(size_t)i * (size_t)s.columns + (size_t)c]));
    }
  } else {
    need(error[0] != '\0');
  }
  stimulus_free(&s);
  close(fd);
  return 0;
}
