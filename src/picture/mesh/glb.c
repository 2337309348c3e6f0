/* SPDX-License-Identifier: MIT
 * GLB, the binary form of glTF 2.0: a head of 12 bytes, a chunk of JSON, a chunk of numbers. Read are the triangles of one scene
 * with their places and the base colour of their material. Textures, animations, skins, cameras and lights are left out. A file
 * that cannot be read without an extension is refused. */
#include "mesh/mesh_parts.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum {
  GLB_HEAD = 12,
  CHUNK_HEAD = 8,
  JSON_MOST = 2 << 20,
  DEEPEST = 32,
  NODES_MOST = 20000,
  PRIMITIVES_MOST = 100000
};
enum { TYPE_BYTE = 5121, TYPE_SHORT = 5123, TYPE_INT = 5125, TYPE_FLOAT = 5126, MODE_TRIANGLES = 4 };
static const uint32_t GLB_MAGIC = 0x46546c67, CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942;

struct glb {
  struct mesh *mesh;
  json_t *root;
  const unsigned char *bin;
  size_t bin_size;
  int visits, primitives; /* nodes and primitives that were read; a node may stand several times */
  char *error;
  size_t size;
};

#define REFUSE_GLB(g, ...) mesh_refuse((g)->error, (g)->size, __VA_ARGS__)

static uint32_t read_u32(const unsigned char *at)
{
  uint32_t x;
  memcpy(&x, at, sizeof x);
  return x;
}

bool glb_is(const unsigned char *bytes, size_t count)
{
  return count >= GLB_HEAD && read_u32(bytes) == GLB_MAGIC;
}

/* --- JSON --- */

/* A whole number of an object, from 0 to most; `fallback` where the key is absent. -1: it is another value. */
static json_int_t read_glb_number(const json_t *o, const char *key, json_int_t fallback, json_int_t most)
{
  const json_t *x = json_object_get(o, key);
  if (!x) return fallback;
  const json_int_t n = json_integer_value(x);
  return json_is_integer(x) && n >= 0 && n <= most ? n : -1;
}

/* The element of a list of the file that a key names. NULL: there is none. */
static json_t *find_glb_element(const struct glb *g, const char *list, const json_t *o, const char *key)
{
  const json_int_t i = read_glb_number(o, key, -1, INT32_MAX);
  return i < 0 ? NULL : json_array_get(json_object_get(g->root, list), (size_t)i);
}

/* n numbers of a list; false: it is no list of them. */
static bool read_glb_list(const json_t *list, double *to, size_t n)
{
  if (json_array_size(list) != n) return false;
  for (size_t i = 0; i < n; i++) {
    to[i] = json_number_value(json_array_get(list, i));
    if (!json_is_number(json_array_get(list, i)) || !isfinite(to[i])) return false;
  }
  return true;
}

/* --- numbers --- */

struct glb_view {
  const unsigned char *at;
  size_t count, stride;
  json_int_t type;
};

static bool read_glb_accessor(const struct glb *g, const json_t *a, const char *shape, struct glb_view *to)
{
  static const json_int_t most = INT32_MAX;
  const json_t *view = find_glb_element(g, "bufferViews", a, "bufferView");
  const char *found = json_string_value(json_object_get(a, "type"));
  if (!view || !found || strcmp(found, shape) != 0 || json_object_get(a, "sparse"))
    return REFUSE_GLB(g, "an accessor is not of type %s in a buffer view; export without sparse accessors",
                      shape);
  /* Sizes and places, all of them below 2^31: their sums and products fit. */
  const json_int_t type = read_glb_number(a, "componentType", -1, most),
                   count = read_glb_number(a, "count", -1, most),
                   from = read_glb_number(a, "byteOffset", 0, most),
                   begin = read_glb_number(view, "byteOffset", 0, most),
                   length = read_glb_number(view, "byteLength", -1, most);
  const json_int_t width = type == TYPE_BYTE                        ? 1
                           : type == TYPE_SHORT                     ? 2
                           : type == TYPE_INT || type == TYPE_FLOAT ? 4
                                                                    : 0;
  const json_int_t bytes = width * (strcmp(shape, "VEC3") == 0 ? 3 : 1);
  const json_int_t stride = read_glb_number(view, "byteStride", bytes, most);
  if (read_glb_number(view, "buffer", -1, 0) != 0 || count < 0 || from < 0 || begin < 0 || length < 0 ||
      bytes == 0 || stride < bytes)
    return REFUSE_GLB(g, "an accessor or its buffer view has a value that is missing or wrong");
  const json_int_t last = count > 0 ? from + (count - 1) * stride + bytes : 0;
  if (last > length || begin + length > (json_int_t)g->bin_size)
    return REFUSE_GLB(g, "an accessor ends behind its buffer view, or the view behind the file");
  *to = (struct glb_view){.at = g->bin + (count > 0 ? begin + from : 0),
                          .count = (size_t)count,
                          .stride = (size_t)stride,
                          .type = type};
  return true;
}

static uint32_t read_glb_index(const struct glb_view *v, size_t i)
{
  const unsigned char *at = v->at + i * v->stride;
  uint16_t two;
  if (v->type == TYPE_BYTE) return *at;
  if (v->type == TYPE_INT) return read_u32(at);
  memcpy(&two, at, sizeof two);
  return two;
}

/* --- triangles --- */

/* A channel of a linear colour as a byte of sRGB. */
static int32_t encode_srgb(double x)
{
  const double c = fmin(1, fmax(0, x));
  return (int32_t)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

static int32_t read_glb_color(const struct glb *g, const json_t *primitive)
{
  double c[4];
  const json_t *material = find_glb_element(g, "materials", primitive, "material");
  const json_t *list = json_object_get(json_object_get(material, "pbrMetallicRoughness"), "baseColorFactor");
  if (!read_glb_list(list, c, 4)) return MESH_NO_COLOR;
  return encode_srgb(c[0]) << 16 | encode_srgb(c[1]) << 8 | encode_srgb(c[2]);
}

/* M: 4 rows of 4, without perspective. */
static void place_glb_corner(const struct glb_view *v, size_t i, const double M[16], float to[3])
{
  float p[3];
  memcpy(p, v->at + i * v->stride, sizeof p);
  for (int r = 0; r < 3; r++)
    to[r] = (float)(M[4 * r] * (double)p[0] + M[4 * r + 1] * (double)p[1] + M[4 * r + 2] * (double)p[2] +
                    M[4 * r + 3]);
}

static bool read_glb_primitive(struct glb *g, const json_t *primitive, const double M[16])
{
  struct glb_view point = {0}, index = {0};
  const json_int_t mode = read_glb_number(primitive, "mode", MODE_TRIANGLES, INT32_MAX);
  const json_t *indices = json_object_get(primitive, "indices");
  if (++g->primitives > PRIMITIVES_MOST)
    return REFUSE_GLB(g, "expected at most %d primitives in all nodes", PRIMITIVES_MOST);
  if (mode >= 0 && mode < MODE_TRIANGLES) return true; /* points and lines */
  if (mode != MODE_TRIANGLES) return REFUSE_GLB(g, "expected separate triangles, found strips or fans");
  const json_t *at = find_glb_element(g, "accessors", json_object_get(primitive, "attributes"), "POSITION");
  if (!read_glb_accessor(g, at, "VEC3", &point)) return false;
  if (point.type != TYPE_FLOAT)
    return REFUSE_GLB(g, "expected positions of 32-bit floats; export without quantization");
  if (indices &&
      !read_glb_accessor(g, find_glb_element(g, "accessors", primitive, "indices"), "SCALAR", &index))
    return false;
  if (indices && index.type == TYPE_FLOAT)
    return REFUSE_GLB(g, "expected whole numbers as indices, found floats");
  /* The corners, by their indices or in their order. */
  const size_t n = (indices ? index.count : point.count) / 3;
  if (!mesh_begin_part(g->mesh, read_glb_color(g, primitive), g->error, g->size)) return false;
  for (size_t i = 0; i < n; i++) {
    float corner[9];
    for (size_t k = 0; k < 3; k++) {
      const size_t one = indices ? read_glb_index(&index, 3 * i + k) : 3 * i + k;
      if (one >= point.count)
        return REFUSE_GLB(g, "an index is %zu, but there are %zu corners", one, point.count);
      place_glb_corner(&point, one, M, corner + 3 * k);
    }
    if (!mesh_add(g->mesh, corner, g->error, g->size)) return false;
  }
  return true;
}

/* --- nodes --- */

/* The place of a node: a matrix by columns, or translation, rotation (x y z w) and scale. */
static bool read_glb_place(const struct glb *g, const json_t *node, double L[16])
{
  double column[16], t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  const json_t *matrix = json_object_get(node, "matrix"), *move = json_object_get(node, "translation"),
               *turn = json_object_get(node, "rotation"), *scale = json_object_get(node, "scale");
  const bool good = (!matrix || read_glb_list(matrix, column, 16)) && (!move || read_glb_list(move, t, 3)) &&
                    (!turn || read_glb_list(turn, q, 4)) && (!scale || read_glb_list(scale, s, 3));
  /* A matrix, or its three parts. */
  if (!good) return REFUSE_GLB(g, "the place of a node is no list of numbers");
  if (matrix) {
    for (int i = 0; i < 16; i++) L[i] = column[4 * (i % 4) + i / 4];
    return true;
  }
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                       2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                       2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  memset(L, 0, 16 * sizeof *L);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) L[4 * r + c] = R[3 * r + c] * s[c];
    L[4 * r + 3] = t[r];
  }
  L[15] = 1;
  return true;
}

static bool read_glb_node(struct glb *g, const json_t *node, const double parent[16], int depth)
{
  double L[16], M[16] = {0};
  if (depth > DEEPEST || ++g->visits > NODES_MOST)
    return REFUSE_GLB(g, "expected at most %d nodes, at most %d deep", NODES_MOST, DEEPEST);
  if (!json_is_object(node)) return REFUSE_GLB(g, "a node is named that the file does not have");
  if (!read_glb_place(g, node, L)) return false;
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 4; k++) M[i] += parent[4 * (i / 4) + k] * L[4 * k + i % 4];
  /* Its triangles, then its children. */
  const json_t *primitives = json_object_get(find_glb_element(g, "meshes", node, "mesh"), "primitives"),
               *children = json_object_get(node, "children"), *nodes = json_object_get(g->root, "nodes");
  for (size_t i = 0; i < json_array_size(primitives); i++)
    if (!read_glb_primitive(g, json_array_get(primitives, i), M)) return false;
  for (size_t i = 0; i < json_array_size(children); i++) {
    const json_int_t child = json_integer_value(json_array_get(children, i));
    if (!read_glb_node(g, child < 0 ? NULL : json_array_get(nodes, (size_t)child), M, depth + 1))
      return false;
  }
  return true;
}

static bool read_glb_scene(struct glb *g)
{
  static const double unit[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const json_t *needed = json_object_get(g->root, "extensionsRequired");
  if (json_array_size(needed) > 0) {
    const char *name = json_string_value(json_array_get(needed, 0));
    return REFUSE_GLB(g, "the extension %.60s is not supported: export without compression and extensions",
                      name ? name : "of the file");
  }
  /* Each node at its top. */
  const json_int_t first = read_glb_number(g->root, "scene", 0, INT32_MAX);
  const json_t *scene = first < 0 ? NULL : json_array_get(json_object_get(g->root, "scenes"), (size_t)first),
               *nodes = json_object_get(scene, "nodes");
  if (!scene) return REFUSE_GLB(g, "expected a scene, found none");
  for (size_t i = 0; i < json_array_size(nodes); i++) {
    const json_int_t node = json_integer_value(json_array_get(nodes, i));
    if (!read_glb_node(g, node < 0 ? NULL : json_array_get(json_object_get(g->root, "nodes"), (size_t)node),
                       unit, 0))
      return false;
  }
  return true;
}

/* A chunk at *at, which moves behind it. NULL: there is none of this kind. */
static const unsigned char *next_glb_chunk(const unsigned char *bytes, size_t count, uint32_t kind,
                                           size_t *at, size_t *length)
{
  if (count - *at < CHUNK_HEAD || read_u32(bytes + *at + 4) != kind) return NULL;
  *length = read_u32(bytes + *at);
  if (*length > count - *at - CHUNK_HEAD) return NULL;
  const unsigned char *chunk = bytes + *at + CHUNK_HEAD;
  *at += CHUNK_HEAD + *length;
  return chunk;
}

bool glb_read(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size)
{
  struct glb g = {.mesh = m, .error = error, .size = size};
  size_t at = GLB_HEAD, text = 0;
  json_error_t mistake;
  /* The head, and the two chunks. */
  if (read_u32(bytes + 4) != 2)
    return mesh_refuse(error, size, "expected version 2 of glTF, found version %u", read_u32(bytes + 4));
  if (read_u32(bytes + 8) != count)
    return mesh_refuse(error, size, "expected %u bytes as its head says, found %zu", read_u32(bytes + 8),
                       count);
  const unsigned char *json = next_glb_chunk(bytes, count, CHUNK_JSON, &at, &text);
  if (!json || text > JSON_MOST)
    return mesh_refuse(error, size, "expected a first chunk of JSON with at most %d MB", JSON_MOST >> 20);
  g.bin = next_glb_chunk(bytes, count, CHUNK_BIN, &at, &g.bin_size);
  if (!g.bin) {
    g.bin = bytes;
    g.bin_size = 0;
  }
  /* The scene. */
  g.root = json_loadb((const char *)json, text, 0, &mistake);
  const bool good = g.root ? read_glb_scene(&g)
                           : mesh_refuse(error, size, "JSON, line %d: %.100s", mistake.line, mistake.text);
  json_decref(g.root);
  return good;
}
