/* SPDX-License-Identifier: MIT
 * The state of an instance as bytes: phase, time, values of the importer, parameters in use, and the state of the model. */
#include "base/bits.h"
#include "base/crc.h"
#include "fmi/instance.h"

#include <ali3/model.h>
#include <ali3/state.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = "ALI3FMU1";

struct memory_head {
  char magic[8];
  uint32_t crc;   /* of all bytes after this number */
  uint32_t phase; /* enum fmu_phase */
  uint64_t size;  /* of all bytes */
  uint64_t table_hash;
  double start;
  int64_t steps, warned;
  uint32_t count; /* variables */
  uint32_t ready; /* 1: the state of the model is there */
  char isa[16];   /* option of the model that saved */
};
enum { CRC_FROM = offsetof(struct memory_head, phase) };

/* The parts behind the head. */
struct memory_parts {
  size_t wanted, acting, given, model, size; /* bytes from the beginning */
};

static struct memory_parts parts_of(const struct fmu *f)
{
  const size_t n = (size_t)f->table.count;
  struct memory_parts p = {.wanted = sizeof(struct memory_head)};
  p.acting = p.wanted + n * sizeof(double);
  p.given = p.acting + n * sizeof(double);
  p.model = p.given + n;
  p.size = p.model + ali3_state_size(f->base);
  return p;
}

size_t fmu_state_size(const struct fmu *f)
{
  return parts_of(f).size;
}

enum fmu_status fmu_state_save(struct fmu *f, unsigned char *to)
{
  const struct memory_parts p = parts_of(f);
  struct memory_head head = {.phase = (uint32_t)f->phase,
                             .size = p.size,
                             .table_hash = f->table_hash,
                             .start = f->start,
                             .steps = f->steps,
                             .warned = f->warned,
                             .count = (uint32_t)f->table.count,
                             .ready = f->ready};
  memcpy(head.magic, MAGIC, sizeof head.magic);
  snprintf(head.isa, sizeof head.isa, "%s", ali3_model_options(f->base)->isa);
  memset(to, 0, p.size);
  memcpy(to + p.wanted, f->wanted, head.count * sizeof(double));
  memcpy(to + p.acting, f->acting, head.count * sizeof(double));
  for (uint32_t i = 0; i < head.count; i++) to[p.given + i] = f->given[i];
  /* The state of the model, then the checksum over all. */
  if (f->ready && (p.model + ali3_state_size(f->model) > p.size ||
                   ali3_state_save(f->model, f->data, to + p.model) != ALI3_OK))
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "the model has no state that can be saved");
  memcpy(to, &head, sizeof head);
  head.crc = crc32_ieee(to + CRC_FROM, p.size - CRC_FROM);
  memcpy(to, &head, sizeof head);
  return FMU_OK;
}

/* --- loading --- */

static bool check_memory(struct fmu *f, const unsigned char *from, size_t size, struct memory_head *head)
{
  const struct memory_parts p = parts_of(f);
  const char *why = NULL;
  /* The size and the checksum, then what the head says. */
  if (size != p.size) {
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a state of this FMU has %zu bytes, found %zu", p.size, size);
    return false;
  }
  memcpy(head, from, sizeof *head);
  if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->size != size)
    why = "the bytes are no state of an FMU of ali3";
  else if (head->crc != crc32_ieee(from + CRC_FROM, size - CRC_FROM))
    why = "the bytes of the state are damaged";
  else if (head->table_hash != f->table_hash || head->count != (uint32_t)f->table.count)
    why = "the state belongs to an FMU with other variables";
  else if (head->phase >= FMU_PHASES || !isfinite(head->start) || head->steps < 0 || head->ready > 1 ||
           !memchr(head->isa, 0, sizeof head->isa))
    why = "the state has a head that no FMU of ali3 writes";
  if (why) fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "%s", why);
  return !why;
}

/* Values as a Set function takes them. */
static bool are_good_values(const struct fmu *f, const double *value)
{
  for (int i = 0; i < f->table.count; i++)
    if (!isfinite(value[i])) return false;
  return true;
}

/* The state of another instruction set or release: poses and velocities go on, with other roundings. */
static enum fmu_status convert_model_state(struct fmu *f, const ali3_model *m, ali3_data *d,
                                           const double *parameter, const char *isa,
                                           const unsigned char *state, char *why, size_t size)
{
  const size_t bytes = ali3_state_size(m);
  ali3_model *other = NULL;
  const ali3_model *from = m;
  /* The hash of the other model has its instruction set. */
  if (strcmp(isa, ali3_model_options(f->base)->isa) != 0) {
    other = fmu_tuned_model(f, parameter, isa, why, size);
    if (!other) return FMU_ERROR;
    from = other;
  }
  const int status = ali3_state_convert(m, d, from, state, bytes);
  if (status == ALI3_E_STATE)
    ali3_state_convert_text(m, from, state, bytes, why, size);
  else if (status < 0)
    snprintf(why, size, "%s", ali3_status_text(status));
  ali3_model_free(other);
  return status < 0 ? FMU_ERROR
                    : fmu_say(f, FMU_WARNING, FMU_LOG_WARNING,
                              "the state is of another instruction set or release: poses and velocities go "
                              "on, but not with the same bits");
}

/* The model with the parameters of the state, and its state in `d`. */
static enum fmu_status load_model_state(struct fmu *f, const struct memory_head *head,
                                        const double *parameter, const unsigned char *state,
                                        ali3_model **model, ali3_data **data, char *why, size_t size)
{
  bool as_file = true;
  for (int i = 0; i < f->table.count; i++) {
    const struct fmu_variable *v = &f->table.variable[i];
    as_file &= v->kind != FMU_PARAMETER || same_bits(&parameter[i], &v->start, 1);
  }
  *model = as_file ? f->base : fmu_tuned_model(f, parameter, NULL, why, size);
  *data = *model ? ali3_data_new(*model) : NULL;
  if (*model && !*data) snprintf(why, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  if (!*data) return FMU_ERROR;
  if (!head->ready || ali3_state_load(*model, *data, state, ali3_state_size(*model)) == ALI3_OK)
    return FMU_OK;
  return convert_model_state(f, *model, *data, parameter, head->isa, state, why, size);
}

enum fmu_status fmu_state_load(struct fmu *f, const unsigned char *from, size_t size)
{
  const struct memory_parts p = parts_of(f);
  struct memory_head head;
  char why[400] = "out of memory";
  ali3_model *m = NULL;
  ali3_data *d = NULL;
  if (!check_memory(f, from, size, &head)) return FMU_ERROR;
  const size_t n = head.count;
  double *value = malloc(2 * n * sizeof *value);
  enum fmu_status status = FMU_ERROR;
  if (value) {
    memcpy(value, from + p.wanted, 2 * n * sizeof *value);
    snprintf(why, sizeof why, "it has numbers that are not finite");
    if (are_good_values(f, value) && are_good_values(f, value + n))
      status = load_model_state(f, &head, value + n, from + p.model, &m, &d, why, sizeof why);
  }
  /* Nothing changes before the whole state is there. */
  if (status >= FMU_ERROR) {
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "the state is refused: %s", why);
    ali3_data_free(d);
    if (m != f->base) ali3_model_free(m);
    free(value);
    return FMU_ERROR;
  }
  ali3_data_free(f->data);
  if (f->model != f->base) ali3_model_free(f->model);
  f->model = m;
  f->data = d;
  memcpy(f->wanted, value, n * sizeof *value);
  memcpy(f->acting, value + n, n * sizeof *value);
  for (size_t i = 0; i < n; i++) f->given[i] = from[p.given + i] != 0;
  free(value);
  /* The rest of the head. */
  f->phase = (enum fmu_phase)head.phase;
  f->start = head.start;
  f->steps = head.steps;
  f->warned = head.warned;
  f->ready = head.ready != 0;
  f->fresh = false;
  return status;
}
