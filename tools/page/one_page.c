/* SPDX-License-Identifier: MIT */
#include "page/one_page.h"

#include "page/assets.h"
#include "page/meshes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_base64(FILE *out, const unsigned char *byte, size_t count)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const unsigned long bits = (unsigned long)byte[i] << 16 |
                               (left > 1 ? (unsigned long)byte[i + 1] << 8 : 0) |
                               (left > 2 ? byte[i + 2] : 0u);
    fputc(digit[bits >> 18 & 63], out);
    fputc(digit[bits >> 12 & 63], out);
    fputc(left > 1 ? digit[bits >> 6 & 63] : '=', out);
    fputc(left > 2 ? digit[bits & 63] : '=', out);
  }
}

/* JSON inside a script: no text in it may end the script. */
static void write_script_json(FILE *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '<')
      fputs("\\u003c", out);
    else
      fputc(*text, out);
  }
}

/* --- meshes --- */

enum { MESHES_MOST_MB = 64 };

/* Each mesh file once. */
struct page_meshes {
  struct page_mesh {
    size_t shape; /* the number by which the page knows it */
    unsigned char *byte;
    size_t count;
  } * item; /* (count) */
  size_t count;
};

static void release_page_meshes(struct page_meshes *m)
{
  for (size_t i = 0; i < m->count; i++) free(m->item[i].byte);
  free(m->item);
}

/* Reads them and numbers them in the scene. False: the reason in error[size]. */
static bool read_page_meshes(struct page_meshes *m, json_t *visual, char *error, size_t size)
{
  json_t *numbered = json_deep_copy(visual);
  const size_t shapes = json_array_size(visual);
  size_t sum = 0;
  unsigned status;
  bool good = true;
  *m = (struct page_meshes){.item = calloc(shapes + 1, sizeof *m->item)};
  if (numbered) meshes_number(numbered);
  if (!m->item || (visual && !numbered)) {
    snprintf(error, size, "out of memory");
    good = false;
  }
  /* Each file once, within the limit of all. */
  for (size_t i = 0; good && i < shapes; i++) {
    const json_t *number = json_object_get(json_array_get(numbered, i), "mesh");
    if (!number || json_integer_value(number) != (json_int_t)i) continue;
    struct page_mesh *to = &m->item[m->count];
    to->byte = meshes_read(visual, i, &to->count, &status, error, size);
    to->shape = i;
    good = to->byte != NULL;
    m->count += good;
    sum += to->count;
    if (good && sum > (size_t)MESHES_MOST_MB << 20) {
      snprintf(error, size, "expected meshes of at most %d MB in all, found more: use coarser ones",
               MESHES_MOST_MB);
      good = false;
    }
  }
  json_decref(numbered);
  meshes_number(visual);
  return good;
}

static void write_page_meshes(FILE *out, const struct page_meshes *m)
{
  fputs(",\"meshes\":{", out);
  for (size_t i = 0; i < m->count; i++) {
    fprintf(out, "%s\"%zu\":\"", i ? "," : "", m->item[i].shape);
    write_base64(out, m->item[i].byte, m->item[i].count);
    fputc('"', out);
  }
  fputc('}', out);
}

/* --- the page --- */

static void write_run(FILE *out, const char *scene, const struct page_meshes *meshes,
                      const struct record_bytes *records)
{
  fputs("<script type=\"application/json\" id=\"ali3-run\">{\"scene\":", out);
  write_script_json(out, scene);
  write_page_meshes(out, meshes);
  fputs(",\"records\":\"", out);
  write_base64(out, records->byte, records->count);
  fputs("\"}</script>\n", out);
}

static void write_scripts(FILE *out, const char *three, size_t three_size)
{
  fputs("<script>", out);
  fwrite(three, 1, three_size, out);
  fputs("</script>\n", out);
  const struct asset *script;
  for (int i = 0; (script = assets_script(i)) != NULL; i++) {
    fputs("<script>", out);
    fwrite(script->bytes, 1, script->size, out);
    fputs("</script>\n", out);
  }
}

static void write_style(FILE *out)
{
  const struct asset *style = assets_find("/style.css");
  fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
        "'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data:\">\n<style>",
        out);
  fwrite(style->bytes, 1, style->size, out);
  fputs("</style>\n", out);
}

bool one_page_write(FILE *out, json_t *scene, const struct record_bytes *records, char *error, size_t size)
{
  size_t three_size = 0;
  struct page_meshes meshes = {0};
  char *three = assets_three(&three_size, error, size);
  const bool read = three && read_page_meshes(&meshes, json_object_get(scene, "visual"), error, size);
  char *text = read ? json_dumps(scene, JSON_COMPACT) : NULL;
  const struct asset *index = assets_find("/");
  if (read && !text) snprintf(error, size, "out of memory");
  /* The lines of the page, with the contents of its files in place of their names. */
  for (const char *line = index->bytes, *end = line + index->size; text && line < end;) {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    const size_t length = feed ? (size_t)(feed - line) + 1 : (size_t)(end - line);
    if (strncmp(line, "<link rel=\"stylesheet\"", 22) == 0) {
      write_style(out);
    } else if (strncmp(line, "</body>", 7) == 0) {
      write_run(out, text, &meshes, records);
      write_scripts(out, three, three_size);
      fwrite(line, 1, length, out);
    } else if (strncmp(line, "<script src=", 12) != 0) {
      fwrite(line, 1, length, out);
    }
    line += length;
  }
  const bool good = text != NULL;
  free(text);
  free(three);
  release_page_meshes(&meshes);
  return good;
}
