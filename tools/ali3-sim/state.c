/* SPDX-License-Identifier: MIT
 * ali3-sim: the state of the model as a file (ali3/state.h). */
#include "sim.h"

#include "outfile/outfile.h"

#include <ali3/state.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_state(const char *option, const char *file, const char *reason)
{
  fprintf(stderr, "ali3-sim: %s: %s: %s\n", option, file, reason);
  return false;
}

/* Reads at most `size` bytes; *n: how many there are. False: errno. */
static bool read_bytes(const char *file, void *to, size_t size, size_t *n)
{
  FILE *in = fopen(file, "rb");
  if (!in) return false;
  errno = 0;
  *n = fread(to, 1, size, in);
  const bool good = !ferror(in);
  const int why = errno;
  fclose(in);
  errno = why;
  return good;
}

bool state_load_file(const char *file, const ali3_model *m, ali3_data *d)
{
  /* One byte more shows a file that is too long. */
  const size_t room = ali3_state_size(m) + 1;
  size_t n = 0;
  void *bytes = malloc(room);
  char reason[256] = "out of memory";
  bool good = bytes && read_bytes(file, bytes, room, &n);
  if (bytes && !good) snprintf(reason, sizeof reason, "%s", strerror(errno));
  if (good && ali3_state_load(m, d, bytes, n) != ALI3_OK) {
    ali3_state_text(m, bytes, n, reason, sizeof reason);
    good = false;
  }
  free(bytes);
  return good || refuse_state("--state-in", file, reason);
}

bool state_save_file(const char *file, const ali3_model *m, const ali3_data *d)
{
  const size_t size = ali3_state_size(m);
  void *bytes = malloc(size);
  if (!bytes || ali3_state_save(m, d, bytes) != ALI3_OK) {
    const char *reason = bytes ? "the mechanism has no state, because its start failed" : "out of memory";
    free(bytes);
    return refuse_state("--state-out", file, reason);
  }
  FILE *out = outfile_open("--state-out", file);
  if (out) fwrite(bytes, 1, size, out); /* outfile_close() says if it failed */
  free(bytes);
  return out && outfile_close(out, "--state-out", file);
}
