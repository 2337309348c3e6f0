/* SPDX-License-Identifier: MIT
 * ali3d: reads the file, and runs it. */
#include "config/settings.h"
#include "daemon/check.h"
#include "daemon/options.h"
#include "daemon/run.h"

#include <stdio.h>

int main(int argc, char **argv)
{
  struct options options;
  int status = options_parse(&options, argc, argv);
  if (status >= 0) return status;
  struct settings *settings = settings_load(options.file, NULL, stderr);
  if (!settings) return STATUS_USAGE;
  status = options.check ? check_file(options.file, settings) : run(&options, settings);
  settings_free(settings);
  return status;
}
