/* SPDX-License-Identifier: MIT
 * A model as bytes. Each element is described once, by a visit of the fields of its spec; what the visit does, count,
 * write or read, is a matter of the stream. */
#include "model/check.h"

#include "base/sha256.h"

#include <ali3/flat.h>
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

static void stream_body(struct stream *s, ali3_body_spec *b)
{
  stream_string(s, &b->name);
  stream_number(s, &b->mass);
  STREAM_ARRAY(s, b->inertia);
  STREAM_ARRAY(s, b->position);
  STREAM_ARRAY(s, b->orientation);
  STREAM_ARRAY(s, b->velocity);
  STREAM_ARRAY(s, b->angular_velocity);
}

static void stream_joint(struct stream *s, ali3_joint_spec *j)
{
  /* The name, the type, and the two bodies. */
  int type = (int)j->type, dropped = (int)j->dropped;
  stream_string(s, &j->name);
  stream_integer(s, &type);
  j->type = (ali3_joint_type)type;
  stream_integer(s, &j->body_a);
  stream_integer(s, &j->body_b);
  /* The geometry, and the rows that are left out. */
  STREAM_ARRAY(s, j->point_a);
  STREAM_ARRAY(s, j->point_b);
  STREAM_ARRAY(s, j->axis_a);
  STREAM_ARRAY(s, j->axis_b);
  stream_number(s, &j->length);
  STREAM_ARRAY(s, j->relative_orientation);
  stream_number(s, &j->position);
  stream_number(s, &j->velocity);
  stream_integer(s, &dropped);
  j->dropped = (unsigned)dropped;
}

static void stream_load(struct stream *s, ali3_load_spec *l)
{
  int type = (int)l->type;
  stream_string(s, &l->name);
  stream_integer(s, &type);
  l->type = (ali3_load_type)type;
  stream_integer(s, &l->body);
  STREAM_ARRAY(s, l->vector);
  STREAM_ARRAY(s, l->point);
  stream_flag(s, &l->body_axes);
}

static void stream_force(struct stream *s, ali3_force_spec *f)
{
  /* The name, the type, and the bodies or joints. */
  int type = (int)f->type;
  stream_string(s, &f->name);
  stream_integer(s, &type);
  f->type = (ali3_force_type)type;
  stream_integer(s, &f->body_a);
  stream_integer(s, &f->body_b);
  STREAM_ARRAY(s, f->point_a);
  STREAM_ARRAY(s, f->point_b);
  stream_integer(s, &f->joint);
  /* Springs, stops, friction, contacts. */
  STREAM_ARRAY(s, f->stiffness);
  STREAM_ARRAY(s, f->damping);
  stream_number(s, &f->rest);
  stream_table(s, &f->force_table);
  stream_table(s, &f->damping_table);
  stream_number(s, &f->lower);
  stream_number(s, &f->upper);
  stream_number(s, &f->friction);
  stream_number(s, &f->slip);
  STREAM_ARRAY(s, f->normal);
  stream_number(s, &f->radius_a);
  stream_number(s, &f->radius_b);
  /* Gears and drives. */
  stream_integer(s, &f->joint_b);
  stream_number(s, &f->ratio);
  stream_number(s, &f->offset);
  stream_number(s, &f->speed);
  stream_number(s, &f->amplitude);
  stream_number(s, &f->frequency);
  stream_number(s, &f->phase);
  stream_table(s, &f->motion);
  stream_flag(s, &f->external);
  stream_number(s, &f->max_rate);
  stream_number(s, &f->max_acceleration);
}

static void stream_sensor(struct stream *s, ali3_sensor_spec *x)
{
  int type = (int)x->type;
  stream_string(s, &x->name);
  stream_integer(s, &type);
  x->type = (ali3_sensor_type)type;
  stream_integer(s, &x->body);
  STREAM_ARRAY(s, x->point);
  STREAM_ARRAY(s, x->orientation);
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
}

#define COPY_ARRAY(to, from) memcpy(to, from, sizeof(to))

/* --- the whole --- */

#define PUT_ELEMENTS(s, m, count, spec_type, spec_of, stream_it)                                             \
  for (int i_ = 0; i_ < (count); i_++) {                                                                     \
    spec_type spec_ = spec_of(m, i_);                                                                        \
    stream_it(s, &spec_);                                                                                    \
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
  PUT_ELEMENTS(s, m, m->bodies, ali3_body_spec, ali3_model_body_spec, stream_body)
  PUT_ELEMENTS(s, m, m->joints, ali3_joint_spec, ali3_model_joint_spec, stream_joint)
  PUT_ELEMENTS(s, m, m->loads, ali3_load_spec, ali3_model_load_spec, stream_load)
  PUT_ELEMENTS(s, m, m->forces, ali3_force_spec, ali3_model_force_spec, stream_force)
  PUT_ELEMENTS(s, m, m->sensors, ali3_sensor_spec, ali3_model_sensor_spec, stream_sensor)
}

size_t ali3_model_flat_size(const ali3_model *m)
{
  struct stream s = {0};
  if (m) put_model(&s, m);
  return s.at;
}

int ali3_model_flat_write(const ali3_model *m, void *to, size_t size)
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
#define TAKE_ELEMENTS(m, s, status, count, spec_type, stream_it, add_it)                                     \
  for (int i_ = 0; i_ < (count) && (status) >= 0; i_++) {                                                    \
    spec_type spec_ = {0};                                                                                   \
    stream_it(s, &spec_);                                                                                    \
    (status) = (s)->failed ? refuse_bytes(m, s) : add_it(m, &spec_);                                         \
    release_lent(s);                                                                                         \
  }

int ali3_model_flat_read(ali3_model *m, const void *from, size_t size)
{
  int counts[5] = {0};
  if (!m) return ALI3_E_ARGUMENT;
  if (!from) return model_refuse(m, ALI3_E_ARGUMENT, "model", "", "an argument is NULL");
  if (m->frozen || m->bodies + m->joints + m->loads + m->forces + m->sensors > 0)
    return model_refuse(m, ALI3_E_ARGUMENT, "model", "", "expected an empty model to read into");
  struct stream s = {.from = from, .size = size};
  int status = take_head(m, &s, counts);
  release_lent(&s);
  TAKE_ELEMENTS(m, &s, status, counts[0], ali3_body_spec, stream_body, ali3_model_add_body)
  TAKE_ELEMENTS(m, &s, status, counts[1], ali3_joint_spec, stream_joint, ali3_model_add_joint)
  TAKE_ELEMENTS(m, &s, status, counts[2], ali3_load_spec, stream_load, ali3_model_add_load)
  TAKE_ELEMENTS(m, &s, status, counts[3], ali3_force_spec, stream_force, ali3_model_add_force)
  TAKE_ELEMENTS(m, &s, status, counts[4], ali3_sensor_spec, stream_sensor, ali3_model_add_sensor)
  if (status < 0) return status;
  return s.at == size ? ALI3_OK : refuse_bytes(m, &s);
}

int ali3_model_hash(const ali3_model *m, unsigned char hash[ALI3_MODEL_HASH_SIZE])
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
