/* SPDX-License-Identifier: MIT
 * A model as bytes. Each element is visited field by field, as the tables of spec_fields.h have them; what the visit does, count,
 * write or read, is a matter of the stream. */
#include "model/model_parts.h"
#include "model/spec_fields.h"

#include "base/sha256.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char FLAT_MAGIC[8] = {'A', 'L', 'I', '3', 'F', 'L', 'A', 'T'};

enum { NUMBER_SIZE = 8, WORD_SIZE = 4, NAME_LENGTH_MAX = 1 << 16 };

/* Bytes that pass by. Reads return 0 once `failed` is set. */
struct stream {
  unsigned char *to;         /* write here; NULL: count or read */
  const unsigned char *from; /* read from here; NULL: count or write */
  size_t at, size;           /* size: of what is read */
  bool failed;               /* the bytes are cut short, or a length is impossible */
  bool no_memory;
  void *lent[4]; /* memory of the element that is being read: its name and tables */
  int lents;
};

/* Counts or writes. */
static void put_bytes(struct stream *s, const void *bytes, size_t n)
{
  if (s->to) memcpy(s->to + s->at, bytes, n);
  s->at += n;
}

static void stream_bytes(struct stream *s, void *bytes, size_t n)
{
  if (!s->from) {
    put_bytes(s, bytes, n);
  } else if (s->failed || n > s->size - s->at) {
    s->failed = true;
    memset(bytes, 0, n);
  } else {
    memcpy(bytes, s->from + s->at, n);
    s->at += n;
  }
}

static void stream_integer(struct stream *s, int *x)
{
  const uint32_t u = (uint32_t)*x;
  unsigned char b[WORD_SIZE] = {(unsigned char)u, (unsigned char)(u >> 8), (unsigned char)(u >> 16),
                                (unsigned char)(u >> 24)};
  stream_bytes(s, b, sizeof b);
  *x = (int)(int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

static void stream_flag(struct stream *s, bool *x)
{
  int word = *x;
  stream_integer(s, &word);
  if (word != 0 && word != 1) s->failed = true;
  *x = word == 1;
}

static void stream_number(struct stream *s, double *x)
{
  uint64_t u;
  unsigned char b[NUMBER_SIZE];
  memcpy(&u, x, sizeof u);
  for (int i = 0; i < NUMBER_SIZE; i++) b[i] = (unsigned char)(u >> 8 * i);
  stream_bytes(s, b, sizeof b);
  u = 0;
  for (int i = 0; i < NUMBER_SIZE; i++) u |= (uint64_t)b[i] << 8 * i;
  memcpy(x, &u, sizeof u);
}

static void stream_numbers(struct stream *s, double *x, int n)
{
  for (int i = 0; i < n; i++) stream_number(s, &x[i]);
}
#define STREAM_ARRAY(s, x) stream_numbers(s, x, (int)(sizeof(x) / sizeof(double)))

/* Memory that lasts until the element is read; NULL: out of memory, or more than there are bytes left. */
static void *lend_room(struct stream *s, size_t n, size_t bytes_each)
{
  if (s->failed || n > (s->size - s->at) / bytes_each) {
    s->failed = true;
    return NULL;
  }
  void *room = calloc(n + 1, bytes_each);
  if (room)
    s->lent[s->lents++] = room;
  else
    s->failed = s->no_memory = true;
  return room;
}

static void release_lent(struct stream *s)
{
  while (s->lents > 0) free(s->lent[--s->lents]);
}

/* A length, then its bytes; -1: NULL. */
static void stream_string(struct stream *s, const char **text)
{
  int length = *text ? (int)strlen(*text) : -1;
  stream_integer(s, &length);
  if (s->from) {
    *text = NULL;
    if (length == -1) return;
    char *copy = length < 0 || length > NAME_LENGTH_MAX ? NULL : lend_room(s, (size_t)length, 1);
    if (!copy) s->failed = true;
    if (!copy) return;
    stream_bytes(s, copy, (size_t)length);
    s->failed |= strlen(copy) != (size_t)length;
    *text = copy;
  } else if (length > 0) {
    put_bytes(s, *text, (size_t)length);
  }
}

static void stream_table(struct stream *s, ali3_table *t)
{
  stream_integer(s, &t->n);
  if (s->from) {
    double *room = t->n < 0 ? NULL : lend_room(s, (size_t)t->n, 2 * NUMBER_SIZE);
    s->failed |= !room;
    if (s->failed) t->n = 0;
    for (int i = 0; i < 2 * t->n; i++) stream_number(s, &room[i]);
    t->point = (const double(*)[2])(const void *)room;
  } else {
    for (int i = 0; i < 2 * t->n; i++) {
      double x = t->point[i / 2][i % 2];
      stream_number(s, &x);
    }
  }
}

/* The fields of a spec, in the order of their table. */
static void stream_spec(struct stream *s, enum spec_element element, void *spec)
{
  const struct spec_fields *of = &spec_fields[element];
  for (int i = 0; i < of->fields; i++) {
    const struct spec_field *f = &of->field[i];
    void *at = (char *)spec + f->at;
    /* An enum and a sum of bits are integers. */
    switch (f->kind) {
    case SPEC_NAME:
      stream_string(s, at);
      break;
    case SPEC_TYPE:
    case SPEC_BODY:
    case SPEC_JOINT:
    case SPEC_FORCE:
    case SPEC_WHOLE:
    case SPEC_BITS:
      stream_integer(s, at);
      break;
    case SPEC_FLAG:
      stream_flag(s, at);
      break;
    case SPEC_NUMBERS:
      stream_numbers(s, at, f->count);
      break;
    case SPEC_TABLE:
      stream_table(s, at);
      break;
    }
  }
}

static void stream_options(struct stream *s, ali3_options *o)
{
  /* method and step */
  int method = (int)o->method;
  stream_integer(s, &method);
  o->method = (ali3_method)method;
  stream_number(s, &o->dt);
  stream_integer(s, &o->iterations);
  stream_number(s, &o->alpha);
  stream_number(s, &o->compliance);
  stream_integer(s, &o->substeps);
  stream_integer(s, &o->retry);
  stream_flag(s, &o->interpolate);
  stream_flag(s, &o->extrapolate);
  stream_number(s, &o->gamma);
  stream_number(s, &o->beta);
  stream_number(s, &o->assembly_position);
  stream_number(s, &o->assembly_angle);
  stream_number(s, &o->assembly_velocity);
  stream_number(s, &o->violation);
  /* instruction set */
  stream_bytes(s, o->isa, sizeof o->isa);
  int coordinates = (int)o->coordinates;
  stream_integer(s, &coordinates);
  o->coordinates = (ali3_coordinates)coordinates;
}

#define COPY_ARRAY(to, from) memcpy(to, from, sizeof(to))

/* --- the whole --- */

#define PUT_ELEMENTS(s, m, count, element, id)                                                               \
  for (int i_ = 0; i_ < (count); i_++) {                                                                     \
    ali3_##element##_spec spec_ = ali3_model_##element##_spec(m, i_);                                        \
    stream_spec(s, id, &spec_);                                                                              \
  }

/* Counts or writes. */
static void put_model(struct stream *s, const ali3_model *m)
{
  /* Head: magic, version, name, gravity, options. */
  int version = ALI3_FLAT_VERSION, counts[5] = {m->bodies, m->joints, m->loads, m->forces, m->sensors};
  char magic[sizeof FLAT_MAGIC];
  const char *name = m->name;
  double gravity[3];
  ali3_options options = m->options;
  COPY_ARRAY(magic, FLAT_MAGIC);
  COPY_ARRAY(gravity, m->gravity);
  stream_bytes(s, magic, sizeof magic);
  stream_integer(s, &version);
  stream_string(s, &name);
  STREAM_ARRAY(s, gravity);
  stream_options(s, &options);
  /* Numbers of elements, then the elements. */
  for (int i = 0; i < 5; i++) stream_integer(s, &counts[i]);
  PUT_ELEMENTS(s, m, m->bodies, body, SPEC_OF_BODY)
  PUT_ELEMENTS(s, m, m->joints, joint, SPEC_OF_JOINT)
  PUT_ELEMENTS(s, m, m->loads, load, SPEC_OF_LOAD)
  PUT_ELEMENTS(s, m, m->forces, force, SPEC_OF_FORCE)
  PUT_ELEMENTS(s, m, m->sensors, sensor, SPEC_OF_SENSOR)
}

size_t ali3_model_flat_size(const ali3_model *m)
{
  struct stream s = {0};
  if (m) put_model(&s, m);
  return s.at;
}

ali3_status ali3_model_flat_write(const ali3_model *m, void *to, size_t size)
{
  if (!m || !to) return ALI3_E_ARGUMENT;
  if (size < ali3_model_flat_size(m)) return ALI3_E_MEMORY;
  struct stream s = {.to = to};
  put_model(&s, m);
  return ALI3_OK;
}

static int refuse_bytes(ali3_model *m, const struct stream *s)
{
  if (s->no_memory) return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  return model_refuse(m, ALI3_E_MODEL, "model", "flat",
                      "the bytes of the model are damaged at byte %zu of %zu, or cut short", s->at, s->size);
}

/* Name, gravity and options; counts: of the elements that follow. */
static int take_head(ali3_model *m, struct stream *s, int counts[5])
{
  /* Magic and version. */
  char magic[sizeof FLAT_MAGIC];
  int version = 0;
  stream_bytes(s, magic, sizeof magic);
  if (s->failed || memcmp(magic, FLAT_MAGIC, sizeof magic) != 0)
    return model_refuse(m, ALI3_E_MODEL, "model", "flat",
                        "expected the bytes of a model, which begin with ALI3FLAT");
  stream_integer(s, &version);
  if (version != ALI3_FLAT_VERSION)
    return model_refuse(m, ALI3_E_MODEL, "model", "flat",
                        "expected version %d of the bytes of a model, found %d", ALI3_FLAT_VERSION, version);
  /* Fields that a model has once. */
  const char *name = NULL;
  double gravity[3];
  stream_string(s, &name);
  STREAM_ARRAY(s, gravity);
  stream_options(s, &m->options);
  for (int i = 0; i < 5; i++) {
    stream_integer(s, &counts[i]);
    s->failed |= counts[i] < 0;
  }
  if (s->failed || !name) return refuse_bytes(m, s);
  int status = ali3_model_set_name(m, name);
  if (status == ALI3_OK) status = ali3_model_set_gravity(m, gravity);
  return status == ALI3_OK ? model_check_options(m, &m->options) : status;
}

/* Reads `count` elements of one kind and adds them. */
#define TAKE_ELEMENTS(m, s, status, count, element, id)                                                      \
  for (int i_ = 0; i_ < (count) && (status) >= 0; i_++) {                                                    \
    ali3_##element##_spec spec_ = {0};                                                                       \
    stream_spec(s, id, &spec_);                                                                              \
    (status) = (s)->failed ? refuse_bytes(m, s) : ali3_model_add_##element(m, &spec_);                       \
    release_lent(s);                                                                                         \
  }

ali3_status ali3_model_flat_read(ali3_model *m, const void *from, size_t size)
{
  int counts[5] = {0};
  if (!m) return ALI3_E_ARGUMENT;
  if (!from) return model_refuse(m, ALI3_E_ARGUMENT, "model", "", "an argument is NULL");
  if (m->frozen || m->bodies + m->joints + m->loads + m->forces + m->sensors > 0)
    return model_refuse(m, ALI3_E_ARGUMENT, "model", "", "expected an empty model to read into");
  struct stream s = {.from = from, .size = size};
  int status = take_head(m, &s, counts);
  release_lent(&s);
  TAKE_ELEMENTS(m, &s, status, counts[0], body, SPEC_OF_BODY)
  TAKE_ELEMENTS(m, &s, status, counts[1], joint, SPEC_OF_JOINT)
  TAKE_ELEMENTS(m, &s, status, counts[2], load, SPEC_OF_LOAD)
  TAKE_ELEMENTS(m, &s, status, counts[3], force, SPEC_OF_FORCE)
  TAKE_ELEMENTS(m, &s, status, counts[4], sensor, SPEC_OF_SENSOR)
  if (status < 0) return status;
  return s.at == size ? ALI3_OK : refuse_bytes(m, &s);
}

ali3_status ali3_model_hash(const ali3_model *m, unsigned char hash[ALI3_MODEL_HASH_SIZE])
{
  if (!m || !hash) return ALI3_E_ARGUMENT;
  const size_t size = ali3_model_flat_size(m);
  unsigned char *flat = malloc(size);
  if (!flat) return ALI3_E_MEMORY;
  int status = ali3_model_flat_write(m, flat, size);
  if (status == ALI3_OK) sha256_digest(flat, size, hash);
  free(flat);
  return status;
}
