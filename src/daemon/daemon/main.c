/* SPDX-License-Identifier: MIT
 * ali3d: reads the file and runs it. */
#include "config/setup.h"
#include "daemon/check.h"
#include "daemon/model_report.h"
#include "daemon/options.h"
#include "daemon/platform_report.h"
#include "daemon/print_map.h"
#include "daemon/run.h"
#include "draw/draw.h"
#include "outfile/outfile.h"

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

static int expand_file(const char *file, const struct settings_overrides *over)
{
  if (!setup_expand(file, over, stdout, stderr)) return STATUS_USAGE;
  return STATUS_OK;
}

static int draw_file(const char *path, const struct settings *settings)
{
  struct scene *scene =
      scene_new(settings->model, settings->platform.enabled ? &settings->platform.spec.geometry : NULL);
  char error[600] = "";
  FILE *out = scene ? outfile_open("--draw", path) : NULL;
  bool good = out && draw_scene(scene, settings->visual, settings->visuals, out, error, sizeof error);
  if (!scene || *error) fprintf(stderr, "ali3d: --draw: %s: %s\n", path, scene ? error : "out of memory");
  if (out) good = outfile_close(out, "--draw", path) && good;
  scene_free(scene);
  return good ? STATUS_OK : STATUS_FAILED;
}

static int run_file(const struct options *o, const struct settings_overrides *over)
{
  struct settings *settings = setup_load(o->file, over, stderr);
  if (!settings) return STATUS_USAGE;
  const int status = o->draw                     ? draw_file(o->draw, settings)
                     : o->modes                  ? print_modes(settings)
                     : o->flat || o->flat_inputs ? flat_files(o->flat, o->flat_inputs, settings)
                     : o->platform               ? platform_report(settings, o->file, o->platform)
                     : o->map                    ? print_map(settings, o->file, o->map)
                                                 : run(o, settings);
  settings_free(settings);
  return status;
}

/* The files and the folder that options name, before any work. */
static bool check_daemon_files(const struct options *o)
{
  return outfile_check("--draw", o->draw) && outfile_check("--flat", o->flat) &&
         outfile_check("--flat-inputs", o->flat_inputs) && outfile_check("--report", o->report) &&
         outfile_check("--miss-log", o->miss_log) && outfile_check_made_folder("--state-dir", o->state_dir);
}

/* Output that is cut off must not look complete. */
static int finish_output(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  fprintf(stderr, "ali3d: standard output cannot be written, so what was printed is not complete\n");
  return STATUS_FAILED;
}

int main(int argc, char **argv)
{
  if (!open_standard_streams()) return STATUS_FAILED;
  struct options options;
  int status = options_parse(&options, argc, argv);
  const struct settings_overrides over = {
      .isa = options.isa, .set = options.set.text, .sets = options.set.count};
  if (status < 0 && !check_daemon_files(&options)) status = STATUS_USAGE;
  if (status < 0)
    status = options.check    ? check_file(&options, &over)
             : options.expand ? expand_file(options.file, &over)
                              : run_file(&options, &over);
  free(options.set.text);
  return finish_output(status);
}
