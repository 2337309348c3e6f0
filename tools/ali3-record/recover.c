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

/* Cycles ahead of the first damage. Their numbers reach the disk last, and they ascend. */
static hsize_t count_whole_cycles(hid_t file)
{
  uint64_t last = 0, cycle;
  hsize_t whole = 0, rows = 0;
  const hsize_t one = 1;
  hid_t d = H5Dopen2(file, "/frames/cycle", H5P_DEFAULT);
  if (d < 0) return 0;
  /* Read one after the other; HDF5 keeps the chunk. */
  hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &one, NULL);
  H5Sget_simple_extent_dims(space, &rows, NULL);
  for (bool good = true; good && whole < rows;) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &whole, NULL, &one, NULL);
    good = H5Dread(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &cycle) >= 0 && cycle > last;
    last = cycle;
    whole += good;
  }
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(d);
  return whole;
}

/* An empty dataset with the layout and the attributes of another; *block: rows of its chunks. */
static hid_t create_like(hid_t from, hid_t file, const char *path, hsize_t size[2], int *rank, hsize_t *block)
{
  hsize_t chunk[2] = {1, 1}, most[2];
  hid_t space = H5Dget_space(from), create = H5Dget_create_plist(from), type = H5Dget_type(from);
  *rank = H5Sget_simple_extent_dims(space, size, most);
  H5Pget_chunk(create, *rank, chunk);
  *block = chunk[0];
  const hsize_t empty[2] = {0, size[1]};
  hid_t none = H5Screate_simple(*rank, empty, most);
  hid_t to = H5Dcreate2(file, path, type, none, H5P_DEFAULT, create, H5P_DEFAULT);
  if (to >= 0) H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &to);
  H5Sclose(none);
  H5Tclose(type);
  H5Pclose(create);
  H5Sclose(space);
  return to;
}

/* Rows `at` to `at + n`. */
static bool copy_block(hid_t from, hid_t to, hsize_t at, hsize_t n, hsize_t width, int rank)
{
  const hsize_t start[2] = {at, 0}, count[2] = {n, width}, grown[2] = {at + n, width};
  hid_t type = H5Dget_type(from), source = H5Dget_space(from), memory = H5Screate_simple(rank, count, NULL);
  void *buffer = calloc((size_t)(n * (rank > 1 ? width : 1)) + 1, H5Tget_size(type));
  /* Read first: rows that cannot be read must not enlarge the copy. */
  H5Sselect_hyperslab(source, H5S_SELECT_SET, start, NULL, count, NULL);
  bool good = buffer && H5Dread(from, type, memory, source, H5P_DEFAULT, buffer) >= 0 &&
              H5Dset_extent(to, grown) >= 0;
  if (good) {
    hid_t target = H5Dget_space(to);
    H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL);
    good = H5Dwrite(to, type, memory, target, H5P_DEFAULT, buffer) >= 0;
    H5Sclose(target);
  }
  free(buffer);
  H5Sclose(memory);
  H5Sclose(source);
  H5Tclose(type);
  return good;
}

/* At most `most` rows of a dataset, up to the first damaged chunk. False: the copy cannot be made. *rows: rows copied. */
static bool copy_rows(hid_t in, hid_t out, const char *path, hsize_t most, hsize_t *rows)
{
  hsize_t size[2] = {0, 0}, block;
  int rank;
  *rows = 0;
  hid_t from = H5Dopen2(in, path, H5P_DEFAULT), to = -1;
  if (from >= 0) to = create_like(from, out, path, size, &rank, &block);
  const hsize_t end = size[0] < most ? size[0] : most;
  while (to >= 0 && *rows < end) {
    const hsize_t n = end - *rows < block ? end - *rows : block;
    if (!copy_block(from, to, *rows, n, size[1], rank)) break;
    *rows += n;
  }
  if (to >= 0) H5Dclose(to);
  if (from >= 0) H5Dclose(from);
  return to >= 0;
}

/* The datasets of all cycles. HDF5's own copy of an object may crash on a damaged index; reading reports it. */
static bool copy_frames(hid_t in, hid_t out, hsize_t *rows)
{
  hsize_t n;
  hid_t group = H5Gcreate2(out, "/frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  H5Gclose(group);
  *rows = count_whole_cycles(in);
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    char path[64];
    snprintf(path, sizeof path, "/frames/%s", ROWS[i]);
    if (H5Lexists(in, path, H5P_DEFAULT) <= 0) continue;
    if (!copy_rows(in, out, path, *rows, &n) || n < *rows) return false;
  }
  return true;
}

/* Everything else: events, and the objects that did not change since the file was laid out. */
static herr_t copy_rest(hid_t from, const char *name, const H5L_info_t *info, void *to)
{
  (void)info;
  hsize_t events;
  if (strcmp(name, "frames") == 0) return 0;
  if (strcmp(name, "events") == 0)
    return copy_rows(from, *(hid_t *)to, "/events", HSIZE_UNDEF, &events) ? 0 : -1;
  return H5Ocopy(from, name, *(hid_t *)to, name, H5P_DEFAULT, H5P_DEFAULT) < 0 ? -1 : 0;
}

int record_recover(const char *from, const char *to)
{
  hsize_t rows = 0;
  run_file_quiet();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_metadata_read_attempts(access, 3); /* nobody writes: HDF5 would wait ever longer for a torn block */
  hid_t in = H5Fopen(from, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (in < 0) in = H5Fopen(from, H5F_ACC_RDONLY, access); /* it was closed */
  hid_t out = in >= 0 ? H5Fcreate(to, H5F_ACC_EXCL, H5P_DEFAULT, access) : -1;
  H5Pclose(access);
  if (in < 0) return fail_recovery(from, "cannot be read as a recording");
  if (out < 0) return fail_recovery(to, "cannot be made; a file that exists is not replaced");
  bool good = copy_frames(in, out, &rows) &&
              H5Literate(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_rest, &out) >= 0 &&
              H5Aiterate2(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &out) >= 0;
  H5Fclose(in);
  good = H5Fclose(out) >= 0 && good;
  if (!good) return fail_recovery(to, "not all could be copied");
  fprintf(stderr, "ali3-record: %s: %llu rows recovered\n", to, (unsigned long long)rows);
  return EXIT_GOOD;
}
