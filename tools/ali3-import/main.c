/* SPDX-License-Identifier: MIT
 * ali3-import: options, and the file. */
#include "command/command_line.h"
#include "common/output.h"
#include "import_robot.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_GOOD, EXIT_FILE, EXIT_USAGE, PACKAGES_MOST = 64, FILE_MB = 64 };

static struct package packages[PACKAGES_MOST];

static bool take_base(char *word, void *options);
static bool take_drives(char *word, void *options);
static bool take_meshes(char *word, void *options);
static bool take_package(char *word, void *options);

static const struct command_option import_options[] = {
    COMMAND_OTHER(
        take_base, "base", "fixed|free",
        "hold the root link, or let it move. Without the option a root link without mass is the ground"),
    COMMAND_TEXT(struct import, pose, "pose", "FILE",
                 "start at the coordinates in FILE, lines JOINT: VALUE (rad or m); the others are 0"),
    COMMAND_TEXT(struct import, loops, "loops", "FILE",
                 "joints that close loops, and motors: see ali3-import(1)"),
    COMMAND_OTHER(take_drives, "drives", "hold|none|position|effort",
                  "drive of a joint: one that holds it at the start (default), none, one with an input, "
                  "or a motor with an input"),
    COMMAND_NUMBER(struct import, acceleration, "acceleration", "X", DBL_MIN, 1e9,
                   "largest acceleration of position drives (rad/s^2 or m/s^2)"),
    COMMAND_NUMBER(struct import, velocity, "velocity", "X", DBL_MIN, 1e9,
                   "largest rate of position drives whose joint has none (rad/s or m/s)"),
    COMMAND_SWITCH(struct import, armature, "armature",
                   "give joints in MJCF a rotor behind a gear for their armature"),
    COMMAND_NUMBER(struct import, density, "density", "KG_M3", DBL_MIN, 1e9,
                   "give links without mass the mass of their shapes and STL files"),
    COMMAND_SWITCH(struct import, repair_inertia, "repair-inertia",
                   "replace moments of inertia that no body can have by the nearest possible ones"),
    COMMAND_SWITCH(struct import, keep_fixed, "keep-fixed",
                   "keep links with mass behind fixed joints as bodies of their own"),
    COMMAND_TEXT(struct import, frames, "frames", "PATTERN",
                 "give a sensor to each link whose name matches, such as '*_tool'"),
    COMMAND_OTHER(take_meshes, "meshes", "DIR",
                  "copy STL and GLB files into DIR, below the folder of the model, for pictures"),
    COMMAND_OTHER(take_package, "package", "NAME=DIR",
                  "folder of package://NAME/ in the names of mesh files; may stand several times"),
    COMMAND_SWITCH(struct import, strict, "strict", "write no model if there is a note"),
    {0},
};
static const struct command_line import_command = {
    .name = "ali3-import",
    .head = "Usage: ali3-import ROBOT [OPTION]... > robot.yaml\n"
            "Reads a robot in URDF, or in MJCF with libmujoco, and writes a model file for ali3d to standard "
            "output.\n"
            "Standard error has a line FILE:LINE: note: for everything that is lost or guessed.\n",
    .tail = "Exit status: 0 a model was written; 1 the file has a mistake, or a note with --strict; 2 wrong "
            "usage,\n"
            "or the file cannot be read.\n",
    .option = import_options,
    .wrong = EXIT_USAGE};

/* Index of a word in a list that ends with NULL; -1: none. */
static int find_choice(const char *const *list, const char *word)
{
  for (int i = 0; list[i]; i++)
    if (strcmp(list[i], word) == 0) return i;
  return -1;
}

static bool take_base(char *word, void *options)
{
  struct import *o = options;
  static const char *const choice[] = {"fixed", "free", NULL};
  const int i = find_choice(choice, word);
  if (i < 0) return command_wrong(&import_command, "--base", "fixed or free", word);
  o->base = i ? BASE_FREE : BASE_FIXED;
  return true;
}

static bool take_drives(char *word, void *options)
{
  struct import *o = options;
  static const char *const choice[] = {"hold", "none", "position", "effort", NULL};
  const int i = find_choice(choice, word);
  if (i < 0) return command_wrong(&import_command, "--drives", "hold, none, position or effort", word);
  o->drives = (enum drives)(DRIVES_HOLD + i);
  return true;
}

/* The model names its meshes by paths below its own folder. */
static bool take_meshes(char *word, void *options)
{
  struct import *o = options;
  if (!*word || *word == '/' || strpbrk(word, "\"\\") || strcmp(word, "..") == 0 ||
      strncmp(word, "../", 3) == 0 || strstr(word, "/.."))
    return command_wrong(&import_command, "--meshes", "a folder below the present one", word);
  o->meshes = word;
  return true;
}

static bool take_package(char *word, void *options)
{
  struct import *o = options;
  char *equals = strchr(word, '=');
  if (!equals || equals == word || !equals[1])
    return command_wrong(&import_command, "--package", "NAME=DIR", word);
  if (o->packages == PACKAGES_MOST)
    return command_wrong(&import_command, "--package", "at most 64 packages", "more");
  *equals = '\0';
  packages[o->packages++] = (struct package){word, equals + 1};
  o->package = packages;
  return true;
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct import *o)
{
  const int status = command_read(&import_command, argc, argv, o);
  if (status >= 0) return status;
  bool good = optind + 1 == argc ||
              command_wrong(&import_command, "ROBOT", "one file", optind < argc ? "several" : "none");
  if (good && o->velocity > 0.0 && o->drives != DRIVES_POSITION)
    good = command_wrong(&import_command, "--velocity", "--drives position beside it", "another value");
  if (good && o->acceleration > 0.0 && o->drives != DRIVES_POSITION)
    good = command_wrong(&import_command, "--acceleration", "--drives position beside it", "another value");
  if (!good) return command_refuse(&import_command);
  o->file = argv[optind];
  return -1;
}

static char *read_file(const char *file, size_t *count)
{
  FILE *f = fopen(file, "re");
  char *bytes = f ? malloc((size_t)(FILE_MB << 20) + 1) : NULL;
  if (bytes) *count = fread(bytes, 1, (size_t)(FILE_MB << 20) + 1, f);
  if (!bytes || ferror(f)) {
    fprintf(stderr, "ali3-import: %s: %s\n", file, strerror(errno));
    free(bytes);
    bytes = NULL;
  }
  if (f) fclose(f);
  return bytes;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct import o = {0};
  const int status = take_options(argc, argv, &o);
  if (status >= 0) return status;
  size_t count = 0;
  char *bytes = read_file(o.file, &count);
  if (!bytes) return EXIT_USAGE;
  static struct notes n;
  n.file = o.file;
  n.to = stderr;
  const bool good = import_robot(&o, bytes, count, &n, stdout);
  free(bytes);
  return good ? EXIT_GOOD : EXIT_FILE;
}
