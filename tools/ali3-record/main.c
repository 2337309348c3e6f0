/* SPDX-License-Identifier: MIT
 * ali3-record: what the command line asks for. */
#include "common/output.h"
#include "record.h"
#include "recording/recording.h"

#include "outfile/outfile.h"

#include <string.h>

/* The one daemon that runs, if there is no choice. */
static bool choose_instance(struct record_options *o)
{
  static char name[2][64];
  if (o->instance) return true;
  const int found = telemetry_list(name, 2);
  if (found == 1) {
    o->instance = name[0];
    return true;
  }
  char none[256];
  telemetry_none_text(none, sizeof none);
  fprintf(stderr, "ali3-record: expected the name of an instance: %s\n",
          found == 0 ? none : "several daemons run; ali3-top --list names them");
  return false;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct record_options o;
  char kind[16];
  const int status = options_take(argc, argv, &o);
  if (status >= 0) return status;
  if (!(o.file.once ? outfile_check("--once", o.file.once) : outfile_check_folder("--to", o.file.folder)))
    return EXIT_USAGE;
  /* Copy a file, or find the daemon and the folder. */
  if (o.recover) return recording_recover("ali3-record", o.recover, o.file.once);
  if (!choose_instance(&o)) return EXIT_RUN;
  if (!o.anyway && !space_is_local(o.file.folder, kind, sizeof kind)) {
    fprintf(stderr,
            "ali3-record: %s: %s does not keep the order of writes, so a crash may cost the file; choose a "
            "local folder, "
            "or --anyway\n",
            o.file.folder, kind);
    return EXIT_USAGE;
  }
  record_catch_signals();
  run_file_quiet();
  return record_follow(&o);
}
