/* SPDX-License-Identifier: MIT
 * A file that was not closed is copied through a SWMR reader, which sees whole chunks only. The original is not changed. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

static int fail_recovery(const char *file, const char *text)
{
  fprintf(stderr, "ali3-record: %s: %s\n", file, text);
  return EXIT_RUN;
}

static herr_t copy_object(hid_t from, const char *name, const H5L_info_t *info, void *to)
{
  (void)info;
  return H5Ocopy(from, name, *(hid_t *)to, name, H5P_DEFAULT, H5P_DEFAULT) < 0 ? -1 : 0;
}

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *to)
{
  (void)info;
  hid_t a = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  char *value = calloc(1, H5Aget_storage_size(a) + 1);
  herr_t status = -1;
  if (value && H5Aread(a, type, value) >= 0) {
    hid_t b = H5Acreate2(*(hid_t *)to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    status = b >= 0 ? H5Awrite(b, type, value) : -1;
    if (b >= 0) H5Aclose(b);
  }
  free(value);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  return status < 0 ? -1 : 0;
}

static const char *const ROWS[] = {"values", "cycle",  "t_ns",   "time", "state",        "flags",
                                   "fault",  "action", "status", "loop", "input_age_ms", "input_state"};

/* A kill may have fallen between two datasets: all of them end with the shortest. */
static bool cut_rows(hid_t file, hsize_t *rows)
{
  /* First pass: find the shortest. Second pass: cut the others. */
  hsize_t size[2];
  *rows = HSIZE_UNDEF;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
      char path[64];
      snprintf(path, sizeof path, "/frames/%s", ROWS[i]);
      if (H5Lexists(file, path, H5P_DEFAULT) <= 0) continue;
      hid_t d = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(d);
      H5Sget_simple_extent_dims(space, size, NULL);
      H5Sclose(space);
      if (pass == 0 && size[0] < *rows) *rows = size[0];
      size[0] = *rows;
      const bool good = pass == 0 || H5Dset_extent(d, size) >= 0;
      H5Dclose(d);
      if (!good) return false;
    }
  return *rows != HSIZE_UNDEF;
}

int record_recover(const char *from, const char *to)
{
  hsize_t rows = 0;
  run_file_quiet();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  hid_t in = H5Fopen(from, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (in < 0) in = H5Fopen(from, H5F_ACC_RDONLY, access); /* it was closed */
  hid_t out = in >= 0 ? H5Fcreate(to, H5F_ACC_EXCL, H5P_DEFAULT, access) : -1;
  H5Pclose(access);
  if (in < 0) return fail_recovery(from, "cannot be read as a recording");
  if (out < 0) return fail_recovery(to, "cannot be made; a file that exists is not replaced");
  bool good = H5Literate(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_object, &out) >= 0 &&
              H5Aiterate2(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &out) >= 0 &&
              cut_rows(out, &rows);
  H5Fclose(in);
  good = H5Fclose(out) >= 0 && good;
  if (!good) return fail_recovery(to, "not all could be copied");
  fprintf(stderr, "ali3-record: %s: %llu rows recovered\n", to, (unsigned long long)rows);
  return EXIT_GOOD;
}
