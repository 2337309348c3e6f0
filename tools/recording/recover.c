/* SPDX-License-Identifier: MIT
 * A file that was not closed is copied through a SWMR reader, which sees whole chunks only. The original is not changed. */
#include "recording/parts.h"
#include "recording/recording.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail_recovery(const char *program, const char *file, const char *text)
{
  fprintf(stderr, "%s: %s: %s\n", program, file, text);
  return 1;
}

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *to)
{
  (void)info;
  hid_t a = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  const size_t stored = H5Aget_storage_size(a),
               size = points > 0 ? (size_t)points * H5Tget_size(type) : 0; /* in memory */
  char *value = calloc(1, (stored > size ? stored : size) + 1);
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

enum { PATH_OF_ROWS = 80 };

/* The first state is on the disk: a row that is missing reads as zeros. */
static bool has_first_state(hid_t file)
{
  const hsize_t at[2] = {0, 0}, size[2] = {1, 8};
  char magic[8] = "";
  hid_t d = H5Dopen2(file, "/state/blob", H5P_DEFAULT);
  if (d < 0) return false;
  hid_t space = H5Dget_space(d), memory = H5Screate_simple(2, size, NULL);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL) >= 0 &&
                    H5Sselect_valid(space) > 0 &&
                    H5Dread(d, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, magic) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(d);
  return good && memcmp(magic, "ALI3STAT", sizeof magic) == 0;
}

/* Rows of a group ahead of the first damage. The numbers of their cycles reach the disk last, and they ascend. */
static hsize_t count_whole_rows(hid_t file, const char *group)
{
  char path[PATH_OF_ROWS];
  uint64_t last = 0, cycle;
  hsize_t whole = 0, rows = 0;
  const hsize_t one = 1;
  /* Cycles count from 1; only the initial state is one of cycle 0. */
  const bool zero = strcmp(group, "state") == 0 && has_first_state(file);
  snprintf(path, sizeof path, "/%s/cycle", group);
  hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
  if (d < 0) return 0;
  /* Read one after the other; HDF5 keeps the chunk. */
  hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &one, NULL);
  if (H5Sget_simple_extent_ndims(space) == 1) H5Sget_simple_extent_dims(space, &rows, NULL);
  for (bool good = true; good && whole < rows;) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &whole, NULL, &one, NULL);
    good = H5Dread(d, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &cycle) >= 0 &&
           (cycle > last || (whole == 0 && zero));
    last = cycle;
    whole += good;
  }
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(d);
  return whole;
}

/* A dataset of a recording has one or two dimensions, and less than this in a chunk. */
static const hsize_t CHUNK_BYTES = 64 << 20;

static bool can_be_copied(hid_t dataset)
{
  hsize_t chunk[2] = {1, 1};
  hid_t space = H5Dget_space(dataset), create = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  const int rank = H5Sget_simple_extent_ndims(space);
  const bool good = (rank == 1 || rank == 2) && H5Pget_layout(create) == H5D_CHUNKED &&
                    H5Pget_chunk(create, rank, chunk) == rank &&
                    chunk[0] <= CHUNK_BYTES / H5Tget_size(type) / chunk[1];
  H5Tclose(type);
  H5Pclose(create);
  H5Sclose(space);
  return good;
}

/* An empty dataset with the layout and the attributes of another; *block: rows of its chunks. Negative: it cannot be made. */
static hid_t create_like(hid_t from, hid_t file, const char *path, hsize_t size[2], int *rank, hsize_t *block)
{
  hsize_t chunk[2] = {1, 1}, most[2];
  if (!can_be_copied(from)) return -1;
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

/* A group whose datasets have a row for each number in its dataset `cycle`. */
struct rows_copy {
  hid_t in, out;
  const char *group;
  hsize_t rows;
};

static herr_t copy_dataset(hid_t from, const char *name, const H5L_info_t *info, void *to)
{
  (void)from, (void)info;
  const struct rows_copy *c = to;
  char path[PATH_OF_ROWS];
  hsize_t n;
  snprintf(path, sizeof path, "/%s/%s", c->group, name);
  return copy_rows(c->in, c->out, path, c->rows, &n) && n == c->rows ? 0 : -1;
}

/* HDF5's own copy of an object may crash on a damaged index; reading reports it. */
static bool copy_group(hid_t in, hid_t out, const char *name, hsize_t *rows)
{
  struct rows_copy c = {in, out, name, count_whole_rows(in, name)};
  hid_t from = H5Gopen2(in, name, H5P_DEFAULT),
        to = H5Gcreate2(out, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good =
      from >= 0 && to >= 0 && H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_dataset, &c) >= 0;
  if (from >= 0) H5Gclose(from);
  if (to >= 0) H5Gclose(to);
  *rows = c.rows;
  return good;
}

static bool is_growing_group(const char *name)
{
  static const char *const groups[] = {"frames", "replay", "state", "platform_parameters"};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (strcmp(name, groups[i]) == 0) return true;
  return false;
}

struct whole_copy {
  hid_t out;
  bool careful; /* read everything, because HDF5's own copy crashed */
  hsize_t rows; /* of signals */
};

/* A dataset that does not grow, as a whole. */
static void copy_fixed(hid_t in, hid_t out, const char *path)
{
  hsize_t size[2];
  hid_t from = parts_dataset(in, path, size), to = -1;
  if (from < 0) return;
  hid_t space = H5Dget_space(from), type = H5Dget_type(from), create = H5Dget_create_plist(from);
  const bool good = size[0] > 0 && H5Pget_layout(create) == H5D_CONTIGUOUS &&
                    parts_are_stored(from, size, H5Tget_size(type));
  /* Read it, then make it in the copy. */
  void *bytes = good ? calloc((size_t)(size[0] * (size[1] > 0 ? size[1] : 1)), H5Tget_size(type)) : NULL;
  if (bytes && H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0)
    to = H5Dcreate2(out, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  if (to >= 0) {
    H5Dwrite(to, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &to);
    H5Dclose(to);
  }
  free(bytes);
  H5Pclose(create);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(from);
}

/* The datasets of a group that can be read. Objects that are none, as the views of quantities by name, do not open as one. */
static herr_t read_dataset_over(hid_t group, const char *name, const H5L_info_t *info, void *to)
{
  (void)group, (void)info;
  const struct rows_copy *c = to;
  char path[PATH_OF_ROWS];
  hsize_t n;
  snprintf(path, sizeof path, "/%s/%s", c->group, name);
  if (!copy_rows(c->in, c->out, path, HSIZE_UNDEF, &n)) copy_fixed(c->in, c->out, path);
  return 0;
}

static void read_group_over(hid_t in, hid_t out, const char *name)
{
  struct rows_copy c = {in, out, name, 0};
  hid_t from = H5Gopen2(in, name, H5P_DEFAULT), to = -1;
  if (from >= 0) to = H5Gcreate2(out, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (to >= 0) H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, NULL, read_dataset_over, &c);
  if (to >= 0) H5Gclose(to);
  if (from >= 0) H5Gclose(from);
}

/* Groups that grow, events, and the objects that did not change since the file was laid out. */
static herr_t copy_object(hid_t from, const char *name, const H5L_info_t *info, void *to)
{
  (void)info;
  struct whole_copy *w = to;
  hsize_t rows;
  bool good = true;
  if (strcmp(name, "events") == 0)
    good = copy_rows(from, w->out, "/events", HSIZE_UNDEF, &rows);
  else if (!is_growing_group(name) && w->careful)
    read_group_over(from, w->out, name);
  else if (!is_growing_group(name))
    good = H5Ocopy(from, name, w->out, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  else if (copy_group(from, w->out, name, &rows))
    w->rows = strcmp(name, "frames") == 0 ? rows : w->rows;
  else
    good = false;
  return good ? 0 : -1;
}

static int recover_rows(const char *program, const char *from, const char *to, bool careful)
{
  recording_quiet();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_metadata_read_attempts(access, 3);  /* nobody writes: HDF5 would wait ever longer for a torn block */
  H5Pset_file_locking(access, false, false); /* a reader may have the lock of either file for a moment */
  hid_t in = H5Fopen(from, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (in < 0) in = H5Fopen(from, H5F_ACC_RDONLY, access); /* it was closed */
  hid_t out = in >= 0 ? H5Fcreate(to, H5F_ACC_EXCL, H5P_DEFAULT, access) : -1;
  H5Pclose(access);
  if (in < 0) return fail_recovery(program, from, "cannot be read as a recording");
  if (out < 0) return fail_recovery(program, to, "cannot be made; a file that exists is not replaced");
  struct whole_copy w = {.out = out, .careful = careful};
  bool good = H5Literate(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_object, &w) >= 0 &&
              H5Aiterate2(in, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &out) >= 0;
  H5Fclose(in);
  good = H5Fclose(out) >= 0 && good;
  if (!good) return fail_recovery(program, to, "not all could be copied");
  fprintf(stderr, "%s: %s: %llu rows recovered\n", program, to, (unsigned long long)w.rows);
  return 0;
}

/* Runs the copy in a child process, which HDF5 may crash on a damaged file. Returns its exit status, or -1 and the signal that
 * ended it. */
static int recover_apart(const char *program, const char *from, const char *to, bool careful, int *ended)
{
  const struct rlimit none = {0, 0};
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &none);
    const int code = recover_rows(program, from, to, careful);
    fflush(NULL);
    _exit(code);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return fail_recovery(program, from, strerror(errno));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  *ended = WTERMSIG(status);
  return -1;
}

int recording_recover(const char *program, const char *from, const char *to)
{
  char text[160];
  int ended = 0;
  const bool there = access(to, F_OK) == 0;
  for (int careful = 0; careful < 2; careful++) {
    const int status = recover_apart(program, from, to, careful, &ended);
    if (status >= 0) return status;
    if (!there) unlink(to); /* HDF5 did not finish it, so no program can read it */
    snprintf(text, sizeof text, "damaged so that HDF5 ends with SIG%s; %s", sigabbrev_np(ended),
             careful ? "no copy was made" : "copying again without the quantities by name");
    fail_recovery(program, from, text);
  }
  return 1;
}
