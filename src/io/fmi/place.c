/* SPDX-License-Identifier: MIT */
#include "fmi/place.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- forms of a path --- */

static int percent_digit(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* %20 and the like as characters. An incomplete code stays. */
static void decode_percents(char *text)
{
  char *to = text;
  for (const char *from = text; *from; from++) {
    const int high = *from == '%' ? percent_digit(from[1]) : -1;
    const int low = high >= 0 ? percent_digit(from[2]) : -1;
    if (low >= 0 && high * 16 + low > 0) {
      *to++ = (char)(high * 16 + low);
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}

/* The path of file:/x, file:///x and file://localhost/x. NULL: no such URI. */
static const char *path_of_uri(const char *given)
{
  if (strncmp(given, "file:", 5) != 0) return NULL;
  const char *path = given + 5;
  if (strncmp(path, "//", 2) != 0) return path;
  return strchr(path + 2, '/'); /* after the name of the host, which may be empty */
}

/* --- the place of this object --- */

struct own_object {
  uintptr_t inside; /* an address in this object */
  char path[PATH_MAX];
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *found)
{
  struct own_object *own = found;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const uintptr_t first = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD || own->inside < first || own->inside - first >= p->p_memsz) continue;
    snprintf(own->path, sizeof own->path, "%s", info->dlpi_name);
    return 1;
  }
  return 0;
}

/* dladdr() has other versions of its symbol in later systems. */
static bool find_own_resources(char *folder, size_t size)
{
  static const char anchor; /* in this object */
  struct own_object own = {.inside = (uintptr_t)&anchor};
  dl_iterate_phdr(visit_object, &own);
  char *slash = strrchr(own.path, '/');
  if (!slash) return false;
  *slash = '\0';
  return (size_t)snprintf(folder, size, "%s/../../resources", own.path) < size;
}

/* --- reading --- */

enum { RESOURCE_MAX = 1 << 30 };

/* A regular file whole, with a zero after it. */
static bool read_resource_file(const char *folder, const char *name, char **bytes, size_t *size)
{
  char path[PATH_MAX + 256];
  const size_t length = strlen(folder);
  const char *between = length > 0 && folder[length - 1] == '/' ? "" : "/";
  if ((size_t)snprintf(path, sizeof path, "%s%s%s", folder, between, name) >= sizeof path) return false;
  FILE *in = fopen(path, "rb");
  if (!in) return false;
  /* The end tells the size, which only a file has that can be read again from its beginning. */
  const long end = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  *bytes = end >= 0 && end <= RESOURCE_MAX ? malloc((size_t)end + 1) : NULL;
  *size = *bytes ? (size_t)end : 0;
  const bool good = *bytes && fseek(in, 0, SEEK_SET) == 0 && fread(*bytes, 1, *size, in) == *size;
  fclose(in);
  if (good)
    (*bytes)[*size] = '\0';
  else
    free(*bytes);
  return good;
}

bool fmu_resource_read(const char *given, const char *name, char **bytes, size_t *size, char *why,
                       size_t why_size)
{
  char folder[PATH_MAX];
  const char *path = given ? path_of_uri(given) : NULL;
  *bytes = NULL;
  if (given && read_resource_file(given, name, bytes, size)) return true;
  if (path && read_resource_file(path, name, bytes, size)) return true;
  /* Codes in place of characters, also without file: in front. */
  snprintf(folder, sizeof folder, "%s", path ? path : given ? given : "");
  decode_percents(folder);
  if (folder[0] && read_resource_file(folder, name, bytes, size)) return true;
  if (find_own_resources(folder, sizeof folder) && read_resource_file(folder, name, bytes, size)) return true;
  snprintf(why, why_size,
           "cannot read the file %s in the resource path \"%s\", nor beside the object of the FMU", name,
           given ? given : "");
  return false;
}
