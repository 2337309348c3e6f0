/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as a configuration. It is read, checked, and assembled if it is correct; or refused with
 * messages. */
#include "config/setup.h"

#include <ali3/ali3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { BODIES_MAX = 16 }; /* larger models are not assembled: the time belongs to the reader */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  char path[40];
  const int fd = memfd_create("configuration", MFD_CLOEXEC);
  if (fd < 0) abort();
  if (write(fd, bytes, n) != (ssize_t)n) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  char *text = NULL;
  size_t size = 0;
  FILE *errors = open_memstream(&text, &size);
  if (!errors) abort();
  struct settings *s = setup_load(path, NULL, errors);
  fclose(errors);
  if (!s && !strstr(text, "error:")) abort(); /* refused without a message */
  if (s && ali3_model_bodies(s->model) <= BODIES_MAX) {
    ali3_data *d = ali3_data_new(s->model);
    if (d) (void)ali3_reset(s->model, d);
    ali3_data_free(d);
  }
  settings_free(s);
  free(text);
  close(fd);
  return 0;
}
