/* SPDX-License-Identifier: MIT
 * MDF 4.1, as ASAM describes it: blocks of "##XX", their length, links to other blocks, and data. All numbers are little endian.
 *
 *   ID | HD | FH | DG | CG | CN ... | TX and MD | DT
 *
 * A block begins at a multiple of eight. The place of every block follows from the sizes of the blocks ahead of it, so a first
 * pass counts and a second one writes. */
#include "replay.h"

#include "base/build_info.h"

#include <stdlib.h>
#include <string.h>

enum {
  HEAD = 24,
  HD_BYTES = 104,
  FH_BYTES = 56,
  DG_BYTES = 64,
  CG_BYTES = 104,
  CN_BYTES = 160,
  ID_BYTES = 64
};
enum { CHANNEL_VALUE = 0, CHANNEL_MASTER = 2, SYNC_TIME = 1, DATA_UNSIGNED = 0, DATA_FLOAT = 4 };

struct mdf_file {
  FILE *out; /* NULL: only count */
  uint64_t at;
  bool good;
};

static void put_raw(struct mdf_file *f, const void *bytes, size_t n)
{
  if (f->out && fwrite(bytes, 1, n, f->out) != n) f->good = false;
  f->at += n;
}

static void put_whole(struct mdf_file *f, uint64_t value, int bytes)
{
  unsigned char b[8];
  for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(value >> 8 * i);
  put_raw(f, b, (size_t)bytes);
}

static void put_zeros(struct mdf_file *f, uint64_t n)
{
  for (uint64_t i = 0; i < n; i++) put_whole(f, 0, 1);
}

static void put_head(struct mdf_file *f, const char *name, uint64_t length, uint64_t links)
{
  put_raw(f, "##", 2);
  put_raw(f, name, 2);
  put_whole(f, 0, 4);
  put_whole(f, length, 8);
  put_whole(f, links, 8);
}

/* A text or, as MD, an XML comment; it ends with a 0. */
static uint64_t put_text_block(struct mdf_file *f, const char *block, const char *text)
{
  const uint64_t at = f->at, length = strlen(text) + 1, padded = (length + 7) / 8 * 8;
  put_head(f, block, HEAD + padded, 0);
  put_raw(f, text, length);
  put_zeros(f, padded - length);
  return at;
}

/* Characters that have a meaning in XML. */
static void escape_xml(const char *text, char *to, size_t size)
{
  size_t at = 0;
  to[0] = '\0';
  for (; *text; text++) {
    const char *const word = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
    const char one[2] = {*text, '\0'};
    const int n = snprintf(to + at, size - at, "%s", word ? word : one);
    if (n < 0 || (size_t)n >= size - at) {
      to[at] = '\0';
      return;
    }
    at += (size_t)n;
  }
}

static uint64_t put_history(struct mdf_file *f, const struct mdf_plan *plan)
{
  char text[600], tool[300];
  escape_xml(build_info(), tool, sizeof tool);
  snprintf(text, sizeof text,
           "<FHcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>exported</TX><tool_id>ali3-replay</tool_id>"
           "<tool_vendor>ali3</tool_vendor><tool_version>%s</tool_version></FHcomment>",
           tool);
  const uint64_t comment = put_text_block(f, "MD", text), at = f->at;
  put_head(f, "FH", FH_BYTES, 2);
  put_whole(f, 0, 8); /* the next one */
  put_whole(f, comment, 8);
  put_whole(f, plan->start_utc, 8);
  put_zeros(f, 8); /* zones, flags: UTC */
  return at;
}

static void put_header(struct mdf_file *f, const struct mdf_plan *plan, uint64_t group, uint64_t history,
                       uint64_t comment)
{
  put_raw(f, "MDF     4.10    ali3    ", 24);
  put_zeros(f, 4);
  put_whole(f, 410, 2);
  put_zeros(f, 34);
  put_head(f, "HD", HD_BYTES, 6);
  put_whole(f, group, 8);
  put_whole(f, history, 8);
  put_zeros(f, 24); /* hierarchy, attachments, events */
  put_whole(f, comment, 8);
  put_whole(f, plan->start_utc, 8);
  put_zeros(f, 24); /* zones, flags, start angle, start distance */
}

static uint64_t row_bytes(const struct mdf_plan *plan)
{
  uint64_t n = 0;
  for (int i = 0; i < plan->channels; i++) n += (uint64_t)plan->channel[i].bytes;
  return n;
}

/* The channels, each after its texts. Returns the first one. */
static uint64_t put_channels(struct mdf_file *f, const struct mdf_plan *plan)
{
  uint64_t offset = 0, first = 0;
  for (int i = 0; i < plan->channels; i++) {
    const struct mdf_channel *c = &plan->channel[i];
    const uint64_t name = put_text_block(f, "TX", c->name), unit = put_text_block(f, "TX", c->unit);
    if (i == 0) first = f->at;
    /* The next channel stands behind its two texts. */
    struct mdf_file ahead = {.at = f->at + CN_BYTES};
    if (i + 1 < plan->channels) {
      put_text_block(&ahead, "TX", plan->channel[i + 1].name);
      put_text_block(&ahead, "TX", plan->channel[i + 1].unit);
    }
    put_head(f, "CN", CN_BYTES, 8);
    put_whole(f, i + 1 < plan->channels ? ahead.at : 0, 8);
    put_whole(f, 0, 8); /* composition */
    put_whole(f, name, 8);
    put_zeros(f, 24); /* source, conversion, data */
    put_whole(f, unit, 8);
    put_whole(f, 0, 8); /* comment */
    put_whole(f, i == 0 ? CHANNEL_MASTER : CHANNEL_VALUE, 1);
    put_whole(f, i == 0 ? SYNC_TIME : 0, 1);
    put_whole(f, c->whole ? DATA_UNSIGNED : DATA_FLOAT, 1);
    put_whole(f, 0, 1); /* bit offset */
    put_whole(f, offset, 4);
    put_whole(f, 8 * (uint64_t)c->bytes, 4);
    put_zeros(f, 60); /* flags, invalidation bit, precision, attachments, ranges */
    offset += (uint64_t)c->bytes;
  }
  return first;
}

static uint64_t put_group(struct mdf_file *f, const struct mdf_plan *plan, uint64_t channels)
{
  const uint64_t group = f->at;
  put_head(f, "CG", CG_BYTES, 6);
  put_whole(f, 0, 8); /* the next one */
  put_whole(f, channels, 8);
  put_zeros(f, 32);   /* name, source, reduction, comment */
  put_whole(f, 0, 8); /* record id */
  put_whole(f, plan->rows, 8);
  put_whole(f, 0, 2);
  put_whole(f, '.', 2); /* between the parts of a name */
  put_whole(f, 0, 4);
  put_whole(f, row_bytes(plan), 4);
  put_whole(f, 0, 4);
  /* The data behind this block. */
  const uint64_t at = f->at;
  put_head(f, "DG", DG_BYTES, 4);
  put_whole(f, 0, 8); /* the next one */
  put_whole(f, group, 8);
  put_whole(f, at + DG_BYTES, 8);
  put_whole(f, 0, 8);
  put_zeros(f, 8); /* no record ids */
  put_head(f, "DT", HEAD + plan->rows * row_bytes(plan), 0);
  return at;
}

struct mdf_places {
  uint64_t group, history, comment;
};

static struct mdf_places put_file(struct mdf_file *f, const struct mdf_plan *plan, const struct mdf_places *p)
{
  char text[1000], inner[900];
  struct mdf_places found;
  put_header(f, plan, p->group, p->history, p->comment);
  escape_xml(plan->comment, inner, sizeof inner);
  snprintf(text, sizeof text, "<HDcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>%s</TX></HDcomment>",
           inner);
  found.comment = put_text_block(f, "MD", text);
  found.history = put_history(f, plan);
  found.group = put_group(f, plan, put_channels(f, plan));
  return found;
}

bool mdf_begin(FILE *out, const struct mdf_plan *plan)
{
  struct mdf_file count = {.good = true}, file = {.out = out, .good = true};
  const struct mdf_places places = put_file(&count, plan, &(struct mdf_places){0});
  put_file(&file, plan, &places);
  return file.good;
}
