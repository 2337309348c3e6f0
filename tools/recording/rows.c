/* SPDX-License-Identifier: MIT
 * Datasets that grow by rows, and their attributes. */
#include "recording/run_file.h"

#include "recording/recording.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_OF_CHUNK = 64 };

hid_t rows_create(const struct run_file *f, const char *path, hid_t type, uint32_t width, hsize_t rows)
{
  /* Rows of bytes are whole in a chunk: nobody reads single columns of them. */
  const hsize_t now[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
  const bool whole = width < COLUMNS_OF_CHUNK || H5Tget_size(type) == 1;
  const hsize_t chunk[2] = {rows, whole ? width : COLUMNS_OF_CHUNK};
  const int rank = width > 0 ? 2 : 1;
  hid_t space = H5Screate_simple(rank, now, most), create = H5Pcreate(H5P_DATASET_CREATE),
        link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_chunk(create, rank, chunk);
  H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
  if (f->options->compress > 0) {
    H5Pset_shuffle(create);
    H5Pset_deflate(create, (unsigned)f->options->compress);
  }
  H5Pset_fletcher32(create);
  hid_t d = H5Dcreate2(f->file, path, type, space, link, create, H5P_DEFAULT);
  H5Pclose(link);
  H5Pclose(create);
  H5Sclose(space);
  return d;
}

bool rows_append(hid_t dataset, hid_t memory, hsize_t at, hsize_t rows, hsize_t width, const void *data)
{
  const hsize_t size[2] = {at + rows, width}, start[2] = {at, 0}, count[2] = {rows, width};
  const int rank = width > 0 ? 2 : 1;
  if (H5Dset_extent(dataset, size) < 0) return false;
  hid_t to = H5Dget_space(dataset), from = H5Screate_simple(rank, count, NULL);
  H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL);
  const bool good = H5Dwrite(dataset, memory, from, to, H5P_DEFAULT, data) >= 0;
  H5Sclose(from);
  H5Sclose(to);
  return good;
}

/* A text of fixed length, or a list of them. */
void rows_write_texts(hid_t object, const char *name, const char *const *text, size_t count)
{
  /* All texts in one block of equal lengths. */
  size_t longest = 1;
  for (size_t i = 0; i < count; i++)
    if (strlen(text[i]) + 1 > longest) longest = strlen(text[i]) + 1;
  char *flat = calloc(count ? count : 1, longest);
  if (!flat) return;
  for (size_t i = 0; i < count; i++) memcpy(flat + i * longest, text[i], strlen(text[i]));
  /* The attribute. */
  const hsize_t n = count;
  hid_t type = H5Tcopy(H5T_C_S1), space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
  H5Tset_size(type, longest);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, type, flat);
  H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
  free(flat);
}

bool rows_write_whole(const struct run_file *f, const char *path, hid_t type, hid_t memory, hsize_t n,
                      uint32_t width, const void *data)
{
  const hsize_t size[2] = {n, width};
  hid_t space = H5Screate_simple(width > 0 ? 2 : 1, size, NULL), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  hid_t d = H5Dcreate2(f->file, path, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = d >= 0 && (n == 0 || H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (d >= 0) H5Dclose(d);
  H5Pclose(link);
  H5Sclose(space);
  return good;
}
