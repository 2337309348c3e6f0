/* SPDX-License-Identifier: MIT
 * Loaded before a program: it finds no libmujoco, as on a machine without the package. */
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *file, int mode)
{
  static void *(*next)(const char *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
  return next(file && strstr(file, "libmujoco") ? "libmujoco.so.missing" : file, mode);
}
