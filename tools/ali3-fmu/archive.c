/* SPDX-License-Identifier: MIT
 * Zip files, by libzip. Equal contents give equal files: entries have no time of their own. */
#include "fmu_tool.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

enum { ENTRY_MAX = 1 << 30 };
static const time_t EPOCH_OF_ZIP = 315532800; /* 1980-01-01, the first time that a zip file can tell */

struct archive {
  zip_t *zip;
  char *file, *temporary; /* the result appears whole, by a rename */
};

static const char *zip_code_text(int code, char *text, size_t size)
{
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  snprintf(text, size, "%s", zip_error_strerror(&error));
  zip_error_fini(&error);
  return text;
}

/* --- writing --- */

static void free_archive(struct archive *a)
{
  free(a->file);
  free(a->temporary);
  free(a);
}

struct archive *archive_create(const char *file)
{
  struct archive *a = calloc(1, sizeof *a);
  const size_t length = strlen(file) + 8;
  char text[200];
  int code = 0;
  if (!a) return fmu_complain("out of memory"), NULL;
  a->file = strdup(file);
  a->temporary = malloc(length);
  if (a->file && a->temporary) {
    snprintf(a->temporary, length, "%s.part", file);
    a->zip = zip_open(a->temporary, ZIP_CREATE | ZIP_TRUNCATE, &code);
  }
  if (a->zip) return a;
  fmu_complain("cannot write %s: %s", file, zip_code_text(code ? code : ZIP_ER_MEMORY, text, sizeof text));
  free_archive(a);
  return NULL;
}

bool archive_add(struct archive *a, const char *name, char *bytes, size_t size)
{
  zip_source_t *source = bytes ? zip_source_buffer(a->zip, bytes, size, 1) : NULL;
  if (!source) {
    free(bytes);
    return fmu_complain("%s: %s: out of memory", a->file, name);
  }
  const zip_int64_t index = zip_file_add(a->zip, name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) zip_source_free(source);
  if (index >= 0 && zip_file_set_mtime(a->zip, (zip_uint64_t)index, EPOCH_OF_ZIP, 0) == 0 &&
      zip_set_file_compression(a->zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 6) == 0)
    return true;
  return fmu_complain("%s: %s: %s", a->file, name, zip_strerror(a->zip));
}

bool archive_close(struct archive *a, bool good)
{
  if (!good) {
    zip_discard(a->zip);
  } else if (zip_close(a->zip) != 0) {
    good = fmu_complain("cannot write %s: %s", a->file, zip_strerror(a->zip));
    zip_discard(a->zip);
  } else if (rename(a->temporary, a->file) != 0) {
    good = fmu_complain("cannot write %s: %s", a->file, strerror(errno));
    unlink(a->temporary);
  }
  free_archive(a);
  return good;
}

/* --- reading --- */

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

static zip_t *open_zip(const char *file)
{
  char text[200];
  int code = 0;
  zip_t *zip = zip_open(file, ZIP_RDONLY, &code);
  if (!zip) fmu_complain("%s: %s", file, zip_code_text(code, text, sizeof text));
  return zip;
}

char *archive_read(const char *file, const char *name, size_t *size)
{
  zip_t *zip = open_zip(file);
  if (!zip) return NULL;
  const zip_int64_t index = zip_name_locate(zip, name, 0);
  char *bytes = index < 0 ? NULL : read_entry(zip, (zip_uint64_t)index, size);
  if (!bytes) fmu_complain("%s: the archive has no %s that can be read", file, name);
  zip_discard(zip);
  return bytes;
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

static bool unpack_entry(zip_t *zip, zip_uint64_t index, const char *folder)
{
  const char *name = zip_get_name(zip, index, 0);
  char path[PATH_MAX];
  size_t size;
  if (!name || !is_safe_name(name)) return fmu_complain("the archive has an entry with an unsafe name");
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path ||
      !make_folders(path, folder))
    return fmu_complain("cannot unpack %s", name);
  if (name[strlen(name) - 1] == '/') return true;
  char *bytes = read_entry(zip, index, &size);
  FILE *out = bytes ? fopen(path, "wb") : NULL;
  bool good = out && fwrite(bytes, 1, size, out) == size;
  if (out) good = fclose(out) == 0 && good;
  free(bytes);
  return good || fmu_complain("cannot unpack %s: %s", name, strerror(errno));
}

char *archive_unpack(const char *file)
{
  const char *parent = getenv("TMPDIR");
  char template[PATH_MAX];
  zip_t *zip = open_zip(file);
  if (!zip) return NULL;
  snprintf(template, sizeof template, "%s/ali3-fmu-XXXXXX", parent && *parent ? parent : "/tmp");
  char *folder = mkdtemp(template) ? strdup(template) : NULL;
  bool good = folder || fmu_complain("cannot make the folder %s: %s", template, strerror(errno));
  for (zip_int64_t i = 0; good && i < zip_get_num_entries(zip, 0); i++)
    good = unpack_entry(zip, (zip_uint64_t)i, folder);
  zip_discard(zip);
  if (good) return folder;
  if (folder) archive_remove(folder);
  return NULL;
}

static int remove_visited(const char *path, const struct stat *about, int kind, struct FTW *place)
{
  (void)about, (void)kind, (void)place;
  return remove(path);
}

void archive_remove(char *folder)
{
  enum { OPEN_FOLDERS = 16 };
  nftw(folder, remove_visited, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
  free(folder);
}

char *file_read(const char *path, size_t *size)
{
  FILE *in = fopen(path, "rb");
  const long end = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  char *bytes = end >= 0 && end <= ENTRY_MAX ? malloc((size_t)end + 1) : NULL;
  *size = bytes ? (size_t)end : 0;
  const bool good = bytes && fseek(in, 0, SEEK_SET) == 0 && fread(bytes, 1, *size, in) == *size;
  if (!good) fmu_complain("cannot read %s: %s", path, errno ? strerror(errno) : "no regular file");
  if (in) fclose(in);
  if (good) return bytes;
  free(bytes);
  return NULL;
}
