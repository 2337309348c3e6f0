/* SPDX-License-Identifier: MIT
 * ali3-import: options, and the file. */
#include "base/build_info.h"
#include "import.h"
#include "option_number.h"
#include "output.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-import ROBOT [OPTION]... > robot.yaml\n"
    "Reads a robot in URDF, or in MJCF with libmujoco, and writes a model file for ali3d to standard output. "
    "Standard error has a line\n"
    "FILE:LINE: note: for everything that is lost or guessed.\n"
    "\n"
    "  --base fixed|free     hold the root link, or let it move. Without the option a root link without mass "
    "is\n"
    "                        the ground\n"
    "  --pose FILE           start at the coordinates in FILE, lines JOINT: VALUE (rad or m); the others are "
    "0\n"
    "  --loops FILE          joints that close loops, and motors: see ali3-import(1)\n"
    "  --drives hold|none|position|effort\n"
    "                        what drives a joint: a drive that holds it at the start (default), nothing, a "
    "drive\n"
    "                        with an input, or a motor with an input\n"
    "  --acceleration X      largest acceleration of position drives (rad/s^2 or m/s^2)\n"
    "  --velocity X          largest rate of position drives whose joint has none (rad/s or m/s)\n"
    "  --armature            give joints in MJCF a rotor behind a gear for their armature\n"
    "  --density KG_M3       give links without mass the mass of their shapes and STL files\n"
    "  --repair-inertia      replace moments of inertia that no body can have by the nearest possible ones\n"
    "  --keep-fixed          keep links with mass behind fixed joints as bodies of their own\n"
    "  --frames PATTERN      give a sensor to each link whose name matches, such as '*_tool'\n"
    "  --meshes DIR          copy STL and GLB files into DIR, below the folder of the model, for pictures\n"
    "  --package NAME=DIR    folder of package://NAME/ in the names of mesh files; may stand several times\n"
    "  --strict              write no model if there is a note\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 a model was written; 1 the file has a mistake, or a note with --strict; 2 wrong usage, "
    "or the\n"
    "file cannot be read.\n";

enum { EXIT_GOOD, EXIT_FILE, EXIT_USAGE, PACKAGES_MOST = 64, FILE_MB = 64 };

enum {
  OPTION_BASE = 1,
  OPTION_POSE,
  OPTION_LOOPS,
  OPTION_DRIVES,
  OPTION_ACCELERATION,
  OPTION_VELOCITY,
  OPTION_ARMATURE,
  OPTION_DENSITY,
  OPTION_REPAIR_INERTIA,
  OPTION_KEEP_FIXED,
  OPTION_FRAMES,
  OPTION_MESHES,
  OPTION_PACKAGE,
  OPTION_STRICT,
  OPTION_HELP,
  OPTION_VERSION
};

static struct package packages[PACKAGES_MOST];

static bool name_mistake(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-import: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

/* Index of a word in a list that ends with NULL; -1: none. */
static int find_choice(const char *const *list, const char *word)
{
  for (int i = 0; list[i]; i++)
    if (strcmp(list[i], word) == 0) return i;
  return -1;
}

static bool take_base(struct import *o)
{
  static const char *const word[] = {"fixed", "free", NULL};
  const int i = find_choice(word, optarg);
  if (i < 0) return name_mistake("--base", "fixed or free", optarg);
  o->base = i ? BASE_FREE : BASE_FIXED;
  return true;
}

static bool take_drives(struct import *o)
{
  static const char *const word[] = {"hold", "none", "position", "effort", NULL};
  const int i = find_choice(word, optarg);
  if (i < 0) return name_mistake("--drives", "hold, none, position or effort", optarg);
  o->drives = (enum drives)(DRIVES_HOLD + i);
  return true;
}

/* The model names its meshes by paths below its own folder. */
static bool take_meshes(struct import *o)
{
  if (!*optarg || *optarg == '/' || strpbrk(optarg, "\"\\") || strcmp(optarg, "..") == 0 ||
      strncmp(optarg, "../", 3) == 0 || strstr(optarg, "/.."))
    return name_mistake("--meshes", "a folder below the present one", optarg);
  o->meshes = optarg;
  return true;
}

static bool take_package(struct import *o)
{
  char *equals = strchr(optarg, '=');
  if (!equals || equals == optarg || !equals[1]) return name_mistake("--package", "NAME=DIR", optarg);
  if (o->packages == PACKAGES_MOST) return name_mistake("--package", "at most 64 packages", "more");
  *equals = '\0';
  packages[o->packages++] = (struct package){optarg, equals + 1};
  o->package = packages;
  return true;
}

static bool take_number_above_0(const char *option, double *out)
{
  if (option_number(optarg, 0.0, 1e9, out) && *out > 0.0) return true;
  return name_mistake(option, "a number above 0, at most 1e9", optarg);
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct import *o)
{
  /* List the options. */
  static const struct option table[] = {
      {"base", required_argument, NULL, OPTION_BASE},
      {"pose", required_argument, NULL, OPTION_POSE},
      {"loops", required_argument, NULL, OPTION_LOOPS},
      {"drives", required_argument, NULL, OPTION_DRIVES},
      {"acceleration", required_argument, NULL, OPTION_ACCELERATION},
      {"velocity", required_argument, NULL, OPTION_VELOCITY},
      {"armature", no_argument, NULL, OPTION_ARMATURE},
      {"density", required_argument, NULL, OPTION_DENSITY},
      {"repair-inertia", no_argument, NULL, OPTION_REPAIR_INERTIA},
      {"keep-fixed", no_argument, NULL, OPTION_KEEP_FIXED},
      {"frames", required_argument, NULL, OPTION_FRAMES},
      {"meshes", required_argument, NULL, OPTION_MESHES},
      {"package", required_argument, NULL, OPTION_PACKAGE},
      {"strict", no_argument, NULL, OPTION_STRICT},
      {"help", no_argument, NULL, OPTION_HELP},
      {"version", no_argument, NULL, OPTION_VERSION},
      {0},
  };
  bool good = true;
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    /* Read what the model is to have. */
    case OPTION_BASE:
      good = take_base(o);
      break;
    case OPTION_POSE:
      o->pose = optarg;
      break;
    case OPTION_LOOPS:
      o->loops = optarg;
      break;
    case OPTION_DRIVES:
      good = take_drives(o);
      break;
    case OPTION_ACCELERATION:
      good = take_number_above_0("--acceleration", &o->acceleration);
      break;
    /* Numbers of joints. */
    case OPTION_VELOCITY:
      good = take_number_above_0("--velocity", &o->velocity);
      break;
    case OPTION_ARMATURE:
      o->armature = true;
      break;
    case OPTION_DENSITY:
      good = take_number_above_0("--density", &o->density);
      break;
    case OPTION_REPAIR_INERTIA:
      o->repair_inertia = true;
      break;
    case OPTION_KEEP_FIXED:
      o->keep_fixed = true;
      break;
    case OPTION_FRAMES:
      o->frames = optarg;
      break;
    case OPTION_MESHES:
      good = take_meshes(o);
      break;
    case OPTION_PACKAGE:
      good = take_package(o);
      break;
    case OPTION_STRICT:
      o->strict = true;
      break;
    /* Print a text and end. */
    case OPTION_HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case OPTION_VERSION:
      printf("ali3-import " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      good = false;
    }
  if (good && optind + 1 != argc)
    good = name_mistake("ROBOT", "one file", optind < argc ? "several" : "none");
  if (good && o->velocity > 0.0 && o->drives != DRIVES_POSITION)
    good = name_mistake("--velocity", "--drives position beside it", "another value");
  if (good && o->acceleration > 0.0 && o->drives != DRIVES_POSITION)
    good = name_mistake("--acceleration", "--drives position beside it", "another value");
  if (good) {
    o->file = argv[optind];
    return -1;
  }
  fputs("Try ali3-import --help\n", stderr);
  return EXIT_USAGE;
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
