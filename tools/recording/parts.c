/* SPDX-License-Identifier: MIT */
#include "recording/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hid_t parts_open(const char *path, char *error, size_t size)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_metadata_read_attempts(access, 3);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (file < 0) file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access); /* it was not closed */
  H5Pclose(access);
  if (file < 0) {
    snprintf(error, size, "%s: cannot be read as an HDF5 file", path);
    return -1;
  }
  char *format = parts_text(file, "format");
  const bool known = format && strcmp(format, "ali3-recording 1") == 0;
  free(format);
  if (known) return file;
  snprintf(error, size, "%s: expected a recording of ali3-record, found another HDF5 file", path);
  H5Fclose(file);
  return -1;
}

/* --- attributes --- */

void parts_clean(char *text)
{
  unsigned char *s = (unsigned char *)text;
  for (size_t i = 0; s[i]; i++) {
    const bool c1 = s[i] >= 0x80 && s[i] < 0xa0 && i > 0 && s[i - 1] == 0xc2;
    if ((s[i] < ' ' && s[i] != '\t' && s[i] != '\n') || s[i] == 0x7f || c1) s[i] = '?';
  }
}

char **parts_texts(hid_t object, const char *name, uint32_t *count)
{
  *count = 0;
  if (H5Aexists(object, name) <= 0) return NULL;
  /* Texts have a fixed length in the file, and a 0 here. */
  hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  const size_t length = fixed ? H5Tget_size(type) : 0;
  char **text = n > 0 && length > 0 ? calloc((size_t)n, sizeof *text + length + 1) : NULL;
  char *packed = text ? calloc((size_t)n, length) : NULL;
  if (packed && H5Aread(a, type, packed) >= 0) {
    char *at = (char *)(text + n);
    for (hssize_t i = 0; i < n; i++, at += length + 1) {
      memcpy(at, packed + (size_t)i * length, length);
      parts_clean(at);
      text[i] = at;
    }
    *count = (uint32_t)n;
  }
  free(packed);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  if (*count > 0) return text;
  free(text);
  return NULL;
}

char *parts_text(hid_t object, const char *name)
{
  uint32_t count;
  char **text = parts_texts(object, name, &count), *copy = strdup(text ? text[0] : "");
  free(text);
  return copy;
}

void parts_number(hid_t object, const char *name, hid_t memory, void *to)
{
  if (H5Aexists(object, name) <= 0) return;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  const H5T_class_t class = H5Tget_class(type);
  /* H5Aread() writes as many numbers as the file has. */
  if (H5Sget_simple_extent_npoints(space) == 1 && (class == H5T_INTEGER || class == H5T_FLOAT))
    H5Aread(a, memory, to);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
}

/* --- datasets --- */

void parts_size(hid_t dataset, hsize_t size[2])
{
  size[0] = size[1] = 0;
  hid_t space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank >= 1 && rank <= 2) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
}

hid_t parts_dataset(hid_t file, const char *path, hsize_t size[2])
{
  char group[80];
  size[0] = size[1] = 0;
  snprintf(group, sizeof group, "%.*s", (int)(strrchr(path, '/') - path), path);
  if ((group[0] && H5Lexists(file, group, H5P_DEFAULT) <= 0) || H5Lexists(file, path, H5P_DEFAULT) <= 0)
    return -1;
  hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
  if (d >= 0) parts_size(d, size);
  return d < 0 ? -1 : d;
}

/* Deflate makes at most some 1030 bytes out of one. Chunks that are not stored read as zeros of any number. */
bool parts_are_stored(hid_t dataset, const hsize_t size[2], size_t bytes)
{
  static const hsize_t UNSTORED = PARTS_BYTES, RATIO = 1100;
  const hsize_t width = size[1] > 0 ? size[1] : 1, most = UNSTORED + RATIO * H5Dget_storage_size(dataset);
  return size[0] <= most / bytes / width;
}

bool parts_rows(hid_t dataset, hid_t memory, hsize_t first, hsize_t count, hsize_t width, void *to)
{
  const hsize_t start[2] = {first, 0}, size[2] = {count, width};
  const int rank = width > 0 ? 2 : 1;
  hid_t from = H5Dget_space(dataset), here = H5Screate_simple(rank, size, NULL);
  const bool fits = H5Sget_simple_extent_ndims(from) == rank;
  bool good =
      count == 0 || (fits && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                     H5Sselect_valid(from) > 0 && H5Dread(dataset, memory, here, from, H5P_DEFAULT, to) >= 0);
  H5Sclose(here);
  H5Sclose(from);
  return good;
}
