/* SPDX-License-Identifier: MIT
 * STL. Binary: 80 bytes of any text, the number of triangles, then 50 bytes for each: normal, three corners, two spare bytes.
 * Text: "facet normal x y z, outer loop, vertex x y z three times, endloop, endfacet". Normals are not read: they follow from
 * the corners. */
#include "mesh/mesh_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD = 84, COUNT_AT = 80, FACET = 50, NORMAL = 12, WORD_MOST = 64 };

static uint32_t count_stl_facets(const unsigned char *bytes)
{
  uint32_t n;
  memcpy(&n, bytes + COUNT_AT, sizeof n);
  return n;
}

bool stl_is_binary(const unsigned char *bytes, size_t count, size_t length)
{
  return count >= HEAD && length == HEAD + FACET * (uint64_t)count_stl_facets(bytes);
}

bool stl_is_text(const unsigned char *bytes, size_t count)
{
  return count > 5 && strncasecmp((const char *)bytes, "solid", 5) == 0 && isspace(bytes[5]);
}

static bool read_binary_stl(struct mesh *m, const unsigned char *bytes, char *error, size_t size)
{
  const uint32_t n = count_stl_facets(bytes);
  for (uint32_t i = 0; i < n; i++) {
    float corner[9];
    memcpy(corner, bytes + HEAD + (size_t)FACET * i + NORMAL, sizeof corner);
    if (!mesh_add(m, corner, error, size)) return false;
  }
  return true;
}

/* --- text --- */

struct stl_words {
  const unsigned char *at, *end;
  unsigned long line;
};

/* The next word, in `word`; false at the end of the text. A longer word is cut. */
static bool next_stl_word(struct stl_words *w, char word[WORD_MOST])
{
  for (; w->at < w->end && isspace(*w->at); w->at++)
    if (*w->at == '\n') w->line++;
  int n = 0;
  for (; w->at < w->end && !isspace(*w->at); w->at++)
    if (n < WORD_MOST - 1) word[n++] = (char)*w->at;
  word[n] = '\0';
  return n > 0;
}

/* The name of a solid: the rest of the line. */
static void skip_stl_line(struct stl_words *w)
{
  while (w->at < w->end && *w->at != '\n') w->at++;
}

static bool refuse_stl_word(const struct stl_words *w, const char *expected, const char *word, char *error,
                            size_t size)
{
  return mesh_refuse(error, size, "line %lu: expected %s, found %.40s", w->line, expected,
                     *word ? word : "the end of the file");
}

static bool read_stl_words(struct stl_words *w, const char *const *expected, int count, char *error,
                           size_t size)
{
  char word[WORD_MOST];
  for (int i = 0; i < count; i++)
    if (!next_stl_word(w, word) || strcasecmp(word, expected[i]) != 0)
      return refuse_stl_word(w, expected[i], word, error, size);
  return true;
}

static bool read_stl_numbers(struct stl_words *w, float to[3], char *error, size_t size)
{
  char word[WORD_MOST], *end;
  for (int i = 0; i < 3; i++) {
    const bool there = next_stl_word(w, word);
    to[i] = there ? strtof(word, &end) : 0;
    if (!there || *end != '\0') return refuse_stl_word(w, "a number", word, error, size);
  }
  return true;
}

/* A facet, behind its first word. */
static bool read_stl_facet(struct mesh *m, struct stl_words *w, char *error, size_t size)
{
  static const char *const normal[] = {"normal"}, *const loop[] = {"outer", "loop"},
                           *const vertex[] = {"vertex"}, *const end[] = {"endloop", "endfacet"};
  float corner[9];
  if (!read_stl_words(w, normal, 1, error, size) || !read_stl_numbers(w, corner, error, size) ||
      !read_stl_words(w, loop, 2, error, size))
    return false;
  for (int i = 0; i < 3; i++)
    if (!read_stl_words(w, vertex, 1, error, size) || !read_stl_numbers(w, corner + 3 * i, error, size))
      return false;
  return read_stl_words(w, end, 2, error, size) && mesh_add(m, corner, error, size);
}

static bool read_text_stl(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size)
{
  struct stl_words w = {.at = bytes, .end = bytes + count, .line = 1};
  char word[WORD_MOST];
  while (next_stl_word(&w, word)) {
    if (strcasecmp(word, "solid") == 0 || strcasecmp(word, "endsolid") == 0)
      skip_stl_line(&w);
    else if (strcasecmp(word, "facet") != 0)
      return refuse_stl_word(&w, "facet or endsolid", word, error, size);
    else if (!read_stl_facet(m, &w, error, size))
      return false;
  }
  return true;
}

bool stl_read(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size)
{
  /* Some programs begin binary files with "solid", too. So the length decides first. */
  if (!mesh_begin_part(m, MESH_NO_COLOR, error, size)) return false;
  if (stl_is_binary(bytes, count, count)) return read_binary_stl(m, bytes, error, size);
  if (stl_is_text(bytes, count)) return read_text_stl(m, bytes, count, error, size);
  if (count < HEAD)
    return mesh_refuse(error, size, "expected an STL or GLB file, found %zu bytes of neither", count);
  const uint32_t n = count_stl_facets(bytes);
  return mesh_refuse(
      error, size,
      "expected an STL or GLB file: as a binary STL file it has %u triangles and is to have %llu bytes, "
      "found %zu",
      n, HEAD + FACET * (unsigned long long)n, count);
}
