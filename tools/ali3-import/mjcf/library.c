/* SPDX-License-Identifier: MIT
 * Opens libmujoco. The program was built for one version: the layout of its model differs from version to version. */
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = mjVERSION_HEADER, MAJOR = VERSION / 100, MINOR = VERSION / 10 % 10, PATCH = VERSION % 10 };

struct library {
  void *handle;
  mjModel *(*load)(const char *file, const mjVFS *vfs, char *error, int size);
  void (*free_model)(mjModel *m);
  int (*version)(void);
  void (**end_by_error)(const char *text), (**note_warning)(const char *text);
};

static struct library library;
static struct notes *said_to; /* while the library loads */

/* Copies a text of the library as one line. */
static void copy_line(char *out, size_t room, const char *text)
{
  size_t length = 0;
  for (const char *c = text; *c && length + 1 < room; c++)
    if (*c != '\n' || c[1]) out[length++] = *c == '\n' ? ';' : *c;
  out[length] = '\0';
}

/* The line that a message names; 0: none. */
static int line_of_message(const char *text)
{
  const char *at = strstr(text, "line ");
  const long line = at ? strtol(at + 5, NULL, 10) : 0;
  return line > 0 && line < 1000000000 ? (int)line : 0;
}

/* The library must not go on after an error, such as a lack of memory. */
static void end_by_error(const char *text)
{
  char line[400];
  copy_line(line, sizeof line, text);
  if (said_to) note_error(said_to, 0, "libmujoco: %s", line);
  exit(1);
}

/* Without this function the library would write a file MUJOCO_LOG.TXT. */
static void note_warning(const char *text)
{
  char line[400];
  copy_line(line, sizeof line, text);
  if (said_to) note(said_to, line_of_message(text), "libmujoco: %s", line);
}

/* The address of a function or variable, in any pointer. */
static bool find_symbol(const char *name, void *pointer)
{
  void *address = dlsym(library.handle, name);
  memcpy(pointer, &address, sizeof address);
  return address != NULL;
}

static bool open_library(struct notes *n)
{
  char name[40];
  if (library.handle) return true;
  snprintf(name, sizeof name, "libmujoco.so.%d.%d.%d", MAJOR, MINOR, PATCH);
  library.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return note_error(n, 0, "MJCF needs libmujoco %d.%d.%d: install the package libmujoco%d.%d.%d (%s)",
                      MAJOR, MINOR, PATCH, MAJOR, MINOR, PATCH, dlerror());
  /* Find what the program uses. */
  if (find_symbol("mj_loadXML", &library.load) && find_symbol("mj_deleteModel", &library.free_model) &&
      find_symbol("mj_version", &library.version) && find_symbol("mju_user_error", &library.end_by_error) &&
      find_symbol("mju_user_warning", &library.note_warning) && library.version() == VERSION) {
    *library.end_by_error = end_by_error;
    *library.note_warning = note_warning;
    return true;
  }
  note_error(n, 0, "%s is not libmujoco %d.%d.%d, for which this program was built", name, MAJOR, MINOR,
             PATCH);
  dlclose(library.handle);
  library.handle = NULL;
  return false;
}

mjModel *mujoco_load(const char *file, struct notes *n)
{
  char error[1000] = "", line[600];
  if (!open_library(n)) return NULL;
  said_to = n;
  mjModel *m = library.load(file, NULL, error, sizeof error);
  said_to = NULL;
  copy_line(line, sizeof line, error);
  if (!m)
    note_error(n, line_of_message(error), "libmujoco %d.%d.%d: %s", MAJOR, MINOR, PATCH,
               *line ? line : "refused");
  else if (*line)
    note(n, line_of_message(error), "libmujoco: %s", line);
  return m;
}

void mujoco_free(mjModel *m)
{
  if (m) library.free_model(m);
}
