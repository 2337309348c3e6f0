/* SPDX-License-Identifier: MIT
 * Writes zip files, by libzip. Equal contents give equal files: entries have no time of their own. */
#include "fmu_tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { FILE_MAX = 1 << 30 };
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

/* --- files for it --- */

char *file_read(const char *path, size_t *size)
{
  FILE *in = fopen(path, "rb");
  const long end = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  char *bytes = end >= 0 && end <= FILE_MAX ? malloc((size_t)end + 1) : NULL;
  *size = bytes ? (size_t)end : 0;
  const bool good = bytes && fseek(in, 0, SEEK_SET) == 0 && fread(bytes, 1, *size, in) == *size;
  if (!good) fmu_complain("cannot read %s: %s", path, errno ? strerror(errno) : "no regular file");
  if (in) fclose(in);
  if (good) return bytes;
  free(bytes);
  return NULL;
}
