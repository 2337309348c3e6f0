/* SPDX-License-Identifier: MIT
 * ali3d: reads the file and runs it. */
#include "daemon/check.h"
#include "daemon/options.h"
#include "daemon/print_map.h"
#include "daemon/run.h"
#include "setup/setup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A socket must not get the number of a closed standard stream, or the log would go into its datagrams. The replacement
 * is opened with the wrong access mode, so that using it fails. Returns false without /dev/null. */
static bool open_standard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      return false;
  return true;
}

static int run_file(const struct options *o, const struct settings_overrides *over)
{
  struct settings *settings = setup_load(o->file, over, stderr);
  if (!settings) return STATUS_USAGE;
  const int status = o->map ? print_map(settings, o->map == MAP_FORMAT_JSON) : run(o, settings);
  settings_free(settings);
  return status;
}

int main(int argc, char **argv)
{
  if (!open_standard_streams()) return STATUS_FAILED;
  struct options options;
  int status = options_parse(&options, argc, argv);
  const struct settings_overrides over = {.isa = options.isa, .set = options.set, .sets = options.sets};
  if (status < 0) status = options.check ? check_file(&options, &over) : run_file(&options, &over);
  free(options.set);
  return status;
}
