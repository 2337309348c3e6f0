/* SPDX-License-Identifier: MIT
 * Meshes as bytes: STL of both kinds, GLB, and files that are cut or wrong. */
#include "mesh/mesh.h"

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float corner[2][9] = {{0, 0, 0, 1, 0, 0, 0, 2, 0}, {0, 0, 3, 1, 0, 3, 0, 2, 3}};

/* A binary STL file of the two triangles. Returns its length. */
static size_t binary_stl(unsigned char bytes[200])
{
  const uint32_t n = 2;
  memset(bytes, 0, 200);
  memcpy(bytes, "solid as some programs begin a binary file", 42);
  memcpy(bytes + 80, &n, sizeof n);
  for (size_t i = 0; i < n; i++) memcpy(bytes + 84 + 50 * i + 12, corner[i], sizeof corner[i]);
  return 84 + 2 * 50;
}

/* Fails with this text in the message. */
static void assert_refused(const void *bytes, size_t count, const char *expected)
{
  struct mesh m;
  char error[300] = "";
  assert_false(mesh_parse(&m, bytes, count, error, sizeof error));
  mesh_free(&m);
  if (!strstr(error, expected)) fail_msg("expected \"%s\" in \"%s\"", expected, error);
}

/* The box around the mesh. */
static void mesh_box(const struct mesh *m, double low[3], double high[3])
{
  for (int c = 0; c < 3; c++) {
    low[c] = INFINITY;
    high[c] = -INFINITY;
  }
  for (size_t i = 0; i < 9 * (size_t)m->triangles; i++) {
    low[i % 3] = fmin(low[i % 3], (double)m->corner[i]);
    high[i % 3] = fmax(high[i % 3], (double)m->corner[i]);
  }
}

TEST(binary_stl_has_its_corners)
{
  unsigned char bytes[200];
  struct mesh m;
  char error[300] = "";
  double low[3], high[3];
  const size_t n = binary_stl(bytes);
  assert_true(mesh_parse(&m, bytes, n, error, sizeof error));
  assert_int_equal(m.triangles, 2);
  assert_int_equal(m.parts, 1);
  assert_int_equal(m.part[0].color, MESH_NO_COLOR);
  assert_memory_equal(m.corner, corner, sizeof corner);
  mesh_box(&m, low, high);
  assert_true(low[2] == 0 && high[0] == 1 && high[1] == 2 && high[2] == 3);
  mesh_free(&m);
  /* A file that is cut anywhere, or longer. */
  for (size_t cut = 0; cut < n; cut++) assert_refused(bytes, cut, "expected");
  assert_refused(bytes, n + 1, "expected");
  bytes[0] = 'x';
  assert_refused(bytes, n + 1, "2 triangles and is to have 184 bytes, found 185");
  memset(bytes + 84 + 12, 0xff, 4);
  assert_refused(bytes, n, "a corner of triangle 1 is not finite");
  memset(bytes + 80, 0, 4);
  assert_refused(bytes, 84, "one triangle or more");
}

TEST(text_stl_has_its_corners)
{
#define FACET(z)                                                                                             \
  "  facet normal 0 0 1\n    outer loop\n      vertex 0 0 " z "\r\n      vertex 1e0 0.0 " z                  \
  "\n      vertex 0 2 " z "\n    endloop\n  endfacet\n"
  static const char text[] = "solid a facet in the name\n" FACET("0") FACET("3.0") "endsolid a\n";
  struct mesh m;
  char error[300] = "";
  assert_true(mesh_parse(&m, (const unsigned char *)text, strlen(text), error, sizeof error));
  assert_int_equal(m.triangles, 2);
  assert_memory_equal(m.corner, corner, sizeof corner);
  mesh_free(&m);
  /* Mistakes, with their lines. */
  static const char *const wrong[][2] = {
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
       "line 5: expected a number, found the end of the file"},
      {"solid x\nfacet normal 0 0 one\n", "line 2: expected a number, found one"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex nan 0 0\nvertex 0 0 0\nvertex 0 0 "
       "0\nendloop\nendfacet\n",
       "a corner of triangle 1 is not finite"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop\n",
       "line 6: expected vertex, found endloop"},
      {"solid x\n<html>\n", "line 2: expected facet or endsolid, found <html>"},
      {"solid x\nendsolid x\n", "one triangle or more"},
      {"model:\n  bodies: []\n", "found 20 bytes of neither"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_refused(wrong[i][0], strlen(wrong[i][0]), wrong[i][1]);
#undef FACET
}

/* --- GLB --- */

/* A file of this JSON and, behind it, a buffer. Returns its length. */
static size_t glb_bytes(unsigned char *to, const char *json, const void *bin, size_t bin_size)
{
  const uint32_t text = (uint32_t)(strlen(json) + 3) / 4 * 4, numbers = (uint32_t)(bin_size + 3) / 4 * 4;
  const uint32_t head[5] = {0x46546c67, 2, 12 + 8 + text + 8 + numbers, text, 0x4e4f534a},
                 second[2] = {numbers, 0x004e4942};
  memcpy(to, head, sizeof head);
  memset(to + 20, ' ', text);
  memcpy(to + 20, json, strlen(json));
  memcpy(to + 20 + text, second, sizeof second);
  memset(to + 28 + text, 0, numbers);
  memcpy(to + 28 + text, bin, bin_size);
  return 28 + text + numbers;
}

/* Five corners, of which the indices 0 1 2 and 2 1 3 are used, as one buffer. */
struct glb_numbers {
  float corner[5][3];
  uint16_t index[6];
};
static const struct glb_numbers numbers = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {9, 9, 9}},
                                           {0, 1, 2, 2, 1, 3}};

#define VIEWS                                                                                                \
  "\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":12}]"
#define ACCESSORS                                                                                            \
  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":5},{\"bufferView\":"  \
  "1,"                                                                                                       \
  "\"componentType\":5123,\"type\":\"SCALAR\",\"count\":6}]"
#define MESHES                                                                                               \
  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":0},{"            \
  "\"attributes\":{"                                                                                         \
  "\"POSITION\":0},\"mode\":1}]}]"
#define MATERIALS "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0.2140411,1]}}]"
#define SCENES    "\"scene\":0,\"scenes\":[{\"nodes\":[0]}]"
/* The second node is turned by a quarter about z, shifted by 10 along x, and scaled by 2; its parent is shifted by 1 along z. */
#define NODES                                                                                                \
  "\"nodes\":[{\"translation\":[0,0,1],\"children\":[1]},{\"mesh\":0,\"translation\":[10,0,0],\"scale\":[2," \
  "2,2],"                                                                                                    \
  "\"rotation\":[0,0,0.7071067811865476,0.7071067811865476]}]"
#define JOIN(a, b, c, d, e, f) "{\"asset\":{\"version\":\"2.0\"}," a "," b "," c "," d "," e "," f "}"

TEST(glb_has_places_and_colours)
{
  unsigned char bytes[4096];
  struct mesh m;
  char error[300] = "";
  const size_t n =
      glb_bytes(bytes, JOIN(SCENES, NODES, MESHES, MATERIALS, ACCESSORS, VIEWS), &numbers, sizeof numbers);
  if (!mesh_parse(&m, bytes, n, error, sizeof error)) fail_msg("%s", error);
  assert_int_equal(m.triangles, 2);
  assert_int_equal(m.parts, 1);
  assert_int_equal(m.part[0].color, 0xff007f);
  static const float expected[6][3] = {{10, 0, 1}, {10, 2, 1}, {8, 0, 1}, {8, 0, 1}, {10, 2, 1}, {8, 2, 1}};
  for (int i = 0; i < 18; i++) assert_true(fabsf(m.corner[i] - expected[i / 3][i % 3]) < 1e-6F);
  /* The same place as a matrix. */
  mesh_free(&m);
  const size_t again =
      glb_bytes(bytes,
                JOIN(SCENES, "\"nodes\":[{\"mesh\":0,\"matrix\":[0,2,0,0,-2,0,0,0,0,0,2,0,10,0,1,1]}]",
                     MESHES, MATERIALS, ACCESSORS, VIEWS),
                &numbers, sizeof numbers);
  assert_true(mesh_parse(&m, bytes, again, error, sizeof error));
  for (int i = 0; i < 18; i++) assert_true(fabsf(m.corner[i] - expected[i / 3][i % 3]) < 1e-6F);
  mesh_free(&m);
  for (size_t cut = 0; cut < again; cut++) assert_refused(bytes, cut, "expected");
}

TEST(glb_refuses_what_it_cannot_read)
{
  static const char *const wrong[][2] = {
      {JOIN(SCENES, NODES, MESHES, MATERIALS, ACCESSORS,
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":70,"
            "\"byteLength\":12}]"),
       "ends behind its buffer view, or the view behind the file"},
      {JOIN(SCENES, NODES, MESHES, MATERIALS, ACCESSORS,
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":59},{\"buffer\":0,\"byteOffset\":60,"
            "\"byteLength\":12}]"),
       "ends behind its buffer view, or the view behind the file"},
      {JOIN(SCENES, NODES, MESHES, MATERIALS, "\"accessors\":[]", VIEWS), "an accessor is not of type VEC3"},
      {JOIN(SCENES, NODES, MESHES, MATERIALS, ACCESSORS,
            VIEWS ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"),
       "KHR_draco_mesh_compression is not supported"},
      {JOIN("\"scenes\":[{\"nodes\":[7]}]", NODES, MESHES, MATERIALS, ACCESSORS, VIEWS), "a node is named"},
      {JOIN(SCENES, "\"nodes\":[{\"children\":[0]}]", MESHES, MATERIALS, ACCESSORS, VIEWS),
       "at most 32 deep"},
      {JOIN(SCENES, NODES, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]}]",
            MATERIALS, ACCESSORS, VIEWS),
       "separate triangles"},
      {JOIN(SCENES, "\"nodes\":[{\"matrix\":[1,2]}]", MESHES, MATERIALS, ACCESSORS, VIEWS),
       "the place of a node"},
      {JOIN(SCENES, NODES, "\"meshes\":[]", MATERIALS, ACCESSORS, VIEWS), "one triangle or more"},
      {"{\"asset\":{}}", "expected a scene"},
      {"{\"asset\":", "JSON, line 1"}};
  unsigned char bytes[4096];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_refused(bytes, glb_bytes(bytes, wrong[i][0], &numbers, sizeof numbers), wrong[i][1]);
  /* An index beyond the corners; version 1. */
  struct glb_numbers far = numbers;
  far.index[4] = 5;
  const size_t n =
      glb_bytes(bytes, JOIN(SCENES, NODES, MESHES, MATERIALS, ACCESSORS, VIEWS), &far, sizeof far);
  assert_refused(bytes, n, "an index is 5, but there are 5 corners");
  bytes[4] = 1;
  assert_refused(bytes, n, "found version 1");
}

TEST(pages_get_parts_then_corners)
{
  unsigned char bytes[200];
  struct mesh m;
  char error[300] = "";
  size_t count;
  assert_true(mesh_parse(&m, bytes, binary_stl(bytes), error, sizeof error));
  unsigned char *packed = mesh_pack(&m, &count);
  mesh_free(&m);
  static const uint32_t head[6] = {1, 1, 2, 0, 2, 0xffffffff};
  assert_int_equal(count, sizeof head + sizeof corner);
  assert_memory_equal(packed, head, sizeof head);
  assert_memory_equal(packed + sizeof head, corner, sizeof corner);
  free(packed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binary_stl_has_its_corners),   cmocka_unit_test(text_stl_has_its_corners),
      cmocka_unit_test(glb_has_places_and_colours),   cmocka_unit_test(glb_refuses_what_it_cannot_read),
      cmocka_unit_test(pages_get_parts_then_corners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
