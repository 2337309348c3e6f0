/* SPDX-License-Identifier: MIT
 * ali3d: reads the file and runs it. */
#include "daemon/check.h"
#include "daemon/options.h"
#include "daemon/platform_report.h"
#include "daemon/print_map.h"
#include "daemon/run.h"
#include "setup/setup.h"

#include <fcntl.h>
#include <stdio.h>
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

int main(int argc, char **argv)
{
  if (!open_standard_streams()) return STATUS_FAILED;
  struct options options;
  int status = options_parse(&options, argc, argv);
  if (status >= 0) return status;
  const struct settings_overrides over = {.isa = options.isa};
  if (options.check) return check_file(&options, &over);
  struct settings *settings = setup_load(options.file, &over, stderr);
  if (!settings) return STATUS_USAGE;
  if (options.platform)
    status = platform_report(settings, options.platform);
  else
    status = options.map ? print_map(settings, options.map == MAP_FORMAT_JSON) : run(&options, settings);
  settings_free(settings);
  return status;
}
