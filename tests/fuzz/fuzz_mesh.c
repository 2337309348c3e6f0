/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a mesh file, and their first line as the name of one. */
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool holds)
{
  if (!holds) abort();
}

/* The folder has no file: whatever the name is, nothing may be found. */
static void take_name(const uint8_t *bytes, size_t n)
{
  char name[NAME_MOST], error[500] = "";
  const uint8_t *feed = n ? memchr(bytes, '\n', n) : NULL;
  size_t length = feed ? (size_t)(feed - bytes) : n;
  if (length >= sizeof name) length = sizeof name - 1;
  if (length) memcpy(name, bytes, length);
  name[length] = '\0';
  require(!mesh_file_check("/proc/self/task", name, error, sizeof error) && error[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct mesh m;
  char error[300] = "";
  if (mesh_parse(&m, bytes, n, error, sizeof error)) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < m.parts; i++) sum += m.part[i].triangles;
    require(sum == m.triangles && m.triangles > 0);
    for (size_t i = 0; i < 9 * (size_t)m.triangles; i++) require(isfinite(m.corner[i]));
    size_t count = 0;
    unsigned char *packed = mesh_pack(&m, &count);
    require(packed && count == 16 + 8 * (size_t)m.parts + 36 * (size_t)m.triangles);
    free(packed);
  } else {
    require(error[0] != '\0');
  }
  mesh_free(&m);
  take_name(bytes, n);
  return 0;
}
