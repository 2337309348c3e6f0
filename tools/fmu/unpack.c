/* SPDX-License-Identifier: MIT
 * Reads zip files, by libzip. */
#include "fmu/unpack.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

enum { ENTRY_MAX = 1 << 30 };

bool fmu_fail(char why[FMU_WHY], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, FMU_WHY, format, arguments);
  va_end(arguments);
  return false;
}

static char *read_entry(zip_t *zip, zip_uint64_t index, size_t *size)
{
  zip_stat_t about;
  if (zip_stat_index(zip, index, 0, &about) != 0 || about.size > ENTRY_MAX) return NULL;
  zip_file_t *in = zip_fopen_index(zip, index, 0);
  char *bytes = in ? malloc((size_t)about.size + 1) : NULL;
  *size = (size_t)about.size;
  bool good = bytes && zip_fread(in, bytes, about.size) == (zip_int64_t)about.size;
  if (in) good = zip_fclose(in) == 0 && good; /* its checksum */
  if (good) {
    bytes[about.size] = '\0';
    return bytes;
  }
  free(bytes);
  return NULL;
}

static zip_t *open_zip(const char *file, char why[FMU_WHY])
{
  zip_error_t error;
  int code = 0;
  zip_t *zip = zip_open(file, ZIP_RDONLY, &code);
  if (zip) return zip;
  zip_error_init_with_code(&error, code);
  fmu_fail(why, "%s: %s", file, zip_error_strerror(&error));
  zip_error_fini(&error);
  return NULL;
}

char *fmu_read_entry(const char *file, const char *name, size_t *size, char why[FMU_WHY])
{
  zip_t *zip = open_zip(file, why);
  if (!zip) return NULL;
  const zip_int64_t index = zip_name_locate(zip, name, 0);
  char *bytes = index < 0 ? NULL : read_entry(zip, (zip_uint64_t)index, size);
  if (!bytes) fmu_fail(why, "%s: the archive has no %s that can be read", file, name);
  zip_discard(zip);
  return bytes;
}

bool fmu_has_entry(const char *file, const char *name)
{
  char why[FMU_WHY];
  zip_t *zip = open_zip(file, why);
  const bool has = zip && zip_name_locate(zip, name, 0) >= 0;
  if (zip) zip_discard(zip);
  return has;
}

/* A name from a stranger stays below the folder. */
static bool is_safe_name(const char *name)
{
  if (name[0] == '/' || name[0] == '\0' || strchr(name, '\\')) return false;
  for (const char *c = name; *c;) {
    const size_t length = strcspn(c, "/");
    if (length == 2 && c[0] == '.' && c[1] == '.') return false;
    c += length;
    if (*c) c++;
  }
  return true;
}

/* Makes the folders of a path. */
static bool make_folders(char *path, const char *from)
{
  for (char *slash = strchr(path + strlen(from) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!good) return false;
  }
  return true;
}

static bool unpack_entry(zip_t *zip, zip_uint64_t index, const char *folder, char why[FMU_WHY])
{
  const char *name = zip_get_name(zip, index, 0);
  char path[PATH_MAX];
  size_t size;
  if (!name || !is_safe_name(name)) return fmu_fail(why, "the archive has an entry with an unsafe name");
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path ||
      !make_folders(path, folder))
    return fmu_fail(why, "cannot unpack %s", name);
  if (name[strlen(name) - 1] == '/') return true;
  char *bytes = read_entry(zip, index, &size);
  FILE *out = bytes ? fopen(path, "wb") : NULL;
  bool good = out && fwrite(bytes, 1, size, out) == size;
  if (out) good = fclose(out) == 0 && good;
  free(bytes);
  return good || fmu_fail(why, "cannot unpack %s: %s", name, strerror(errno));
}

char *fmu_unpack(const char *file, char why[FMU_WHY])
{
  const char *parent = getenv("TMPDIR");
  char template[PATH_MAX];
  zip_t *zip = open_zip(file, why);
  if (!zip) return NULL;
  snprintf(template, sizeof template, "%s/ali3-fmu-XXXXXX", parent && *parent ? parent : "/tmp");
  char *folder = mkdtemp(template) ? strdup(template) : NULL;
  bool good = folder || fmu_fail(why, "cannot make the folder %s: %s", template, strerror(errno));
  for (zip_int64_t i = 0; good && i < zip_get_num_entries(zip, 0); i++)
    good = unpack_entry(zip, (zip_uint64_t)i, folder, why);
  zip_discard(zip);
  if (good) return folder;
  fmu_remove(folder);
  return NULL;
}

static int remove_visited(const char *path, const struct stat *about, int kind, struct FTW *place)
{
  (void)about, (void)kind, (void)place;
  return remove(path);
}

void fmu_remove(char *folder)
{
  enum { OPEN_FOLDERS = 16 };
  if (!folder) return;
  nftw(folder, remove_visited, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
  free(folder);
}
