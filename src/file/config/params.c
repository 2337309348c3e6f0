/* SPDX-License-Identifier: MIT */
#include "config/params.h"

#include "base/bits.h"
#include "config/mechanism.h"
#include "model/copy.h"

#include <ali3/model.h>
#include <stdlib.h>
#include <string.h>

/* --- the list --- */

static int numbers_of_key(enum key_type type)
{
  switch (type) {
  case KEY_NUMBER:
  case KEY_ANGLE:
  case KEY_INTEGER:
  case KEY_WORKERS: /* a number takes the place of the word auto */
    return 1;
  case KEY_VECTOR:
    return 3;
  case KEY_INERTIA:
    return PARAM_NUMBERS;
  default:
    return 0;
  }
}

bool param_is_whole(const struct param *p)
{
  return p->key->type == KEY_INTEGER || p->key->type == KEY_WORKERS;
}

/* Where the keys of an owner's section are read to, and the names of its elements. */
struct key_group {
  enum param_owner owner;
  const struct section *section;
  const char *prefix, *name; /* name NULL: no elements */
  int element;
  size_t base; /* offset of the spec in the struct of the section */
};

static bool add_param(struct params *p, const struct key_group *g, const struct key *k)
{
  if (p->count == p->room) {
    const int room = 2 * p->room + 64;
    struct param *grown = realloc(p->param, (size_t)room * sizeof *grown);
    if (!grown) return false;
    p->param = grown;
    p->room = room;
  }
  struct param *x = &p->param[p->count++];
  *x = (struct param){.key = k,
                      .owner = g->owner,
                      .element = g->element,
                      .offset = k->offset - g->base,
                      .count = numbers_of_key(k->type)};
  snprintf(x->name, sizeof x->name, "%s%s%s.%s", g->prefix, g->name ? "." : "", g->name ? g->name : "",
           k->name);
  return true;
}

/* A table stands in place of a stiffness or damping. */
static bool has_table(const ali3_model *m, const struct key_group *g, const struct key *k)
{
  if (g->owner != PARAM_OF_FORCE) return false;
  const ali3_force_spec s = ali3_model_force_spec(m, g->element);
  const size_t at = k->offset - g->base;
  return (s.force_table.n > 0 && at == offsetof(ali3_force_spec, stiffness)) ||
         (s.damping_table.n > 0 && at == offsetof(ali3_force_spec, damping));
}

/* A key that other types of the sensor have. */
static bool is_of_other_type(const ali3_model *m, const struct key_group *g, const struct key *k)
{
  return g->owner == PARAM_OF_SENSOR && k->only && !(k->only >> ali3_model_sensor_type(m, g->element) & 1);
}

static bool add_group(struct params *p, const ali3_model *m, const struct key_group *g)
{
  for (int i = 0; i < g->section->keys; i++) {
    const struct key *k = &g->section->key[i];
    if (k->change != WHILE_RUNNING || numbers_of_key(k->type) == 0 || has_table(m, g, k) ||
        is_of_other_type(m, g, k))
      continue;
    if (!add_param(p, g, k)) return false;
  }
  return true;
}

static bool add_load_group(struct params *p, const ali3_model *m, int load)
{
  const ali3_load_spec s = ali3_model_load_spec(m, load);
  const char *wanted = s.type == ALI3_LOAD_FORCE ? "force" : "torque";
  if (!s.name) return true; /* it belongs to an input */
  for (int i = 0; i < schema_force.keys; i++) {
    struct key_group g = {PARAM_OF_LOAD, &schema_force, "force", s.name, load, 0};
    const struct key *k = &schema_force.key[i];
    if (strcmp(k->name, wanted) != 0) continue;
    g.base = k->offset - offsetof(ali3_load_spec, vector);
    if (!add_param(p, &g, k)) return false;
  }
  return true;
}

static const struct section *section_of(const char *name)
{
  for (int i = 0; i < schema_file.keys; i++)
    if (strcmp(schema_file.key[i].name, name) == 0) return schema_file.key[i].section;
  return NULL;
}

bool params_list(struct params *p, const ali3_model *m)
{
  *p = (struct params){0};
  /* Keys of the model and the solver, then of the elements. */
  bool good = add_group(p, m,
                        &(struct key_group){PARAM_OF_MODEL, &schema_model, "model", NULL, 0,
                                            offsetof(struct model_values, gravity)}) &&
              add_group(p, m,
                        &(struct key_group){PARAM_OF_SOLVER, section_of("solver"), "solver", NULL, 0,
                                            offsetof(struct file_values, settings.options)});
  for (int i = 0; good && i < ali3_model_bodies(m); i++)
    good = add_group(
        p, m, &(struct key_group){PARAM_OF_BODY, &schema_body, "body", ali3_model_body_name(m, i), i, 0});
  for (int i = 0; good && i < ali3_model_loads(m); i++) good = add_load_group(p, m, i);
  for (int i = 0; good && i < ali3_model_forces(m); i++)
    good = add_group(p, m,
                     &(struct key_group){PARAM_OF_FORCE, &schema_connection[ali3_model_force_type(m, i)],
                                         "force", ali3_model_force_name(m, i), i,
                                         offsetof(struct connection_values, spec)});
  for (int i = 0; good && i < ali3_model_sensors(m); i++)
    good =
        add_group(p, m,
                  &(struct key_group){PARAM_OF_SENSOR, &schema_sensor, "sensor", ali3_model_sensor_name(m, i),
                                      i, offsetof(struct sensor_values, spec)});
  return good;
}

void params_free(struct params *p)
{
  free(p->param);
  *p = (struct params){0};
}

int params_find(const struct params *p, const char *name)
{
  for (int i = 0; i < p->count; i++)
    if (strcmp(p->param[i].name, name) == 0) return i;
  return -1;
}

/* --- parts --- */

static const struct param_part parts_of_vector[] = {{".x", 0, -1}, {".y", 1, -1}, {".z", 2, -1}};
static const struct param_part parts_of_matrix[] = {{".xx", 0, -1}, {".yy", 4, -1}, {".zz", 8, -1},
                                                    {".xy", 1, 3},  {".xz", 2, 6},  {".yz", 5, 7}};

const struct param_part *param_parts(const struct param *p, int *count)
{
  *count = p->count == PARAM_NUMBERS ? 6 : p->count == 3 ? 3 : 0;
  return p->count == PARAM_NUMBERS ? parts_of_matrix : parts_of_vector;
}

int params_find_part(const struct params *p, const char *name, const struct param_part **part)
{
  const int whole = params_find(p, name);
  const char *dot = strrchr(name, '.');
  *part = NULL;
  if (whole >= 0 || !dot) return whole;
  for (int i = 0; i < p->count; i++) {
    const struct param *x = &p->param[i];
    int count;
    const struct param_part *of = param_parts(x, &count);
    if (strlen(x->name) != (size_t)(dot - name) || strncmp(x->name, name, strlen(x->name)) != 0) continue;
    for (int k = 0; k < count; k++)
      if (strcmp(of[k].name, dot) == 0) {
        *part = &of[k];
        return i;
      }
  }
  return -1;
}

void param_put_part(const struct param_part *part, double number, double value[PARAM_NUMBERS])
{
  value[part->number] = number;
  if (part->mirror >= 0) value[part->mirror] = number;
}

bool params_explain_name(const struct params *p, const char *name, char *text, size_t size)
{
  const char *end = strchr(name, '[') ? strchr(name, '[') : strrchr(name, '.');
  const struct param *whole = NULL;
  int count;
  for (int i = 0; end && i < p->count && !whole; i++) {
    const size_t length = strlen(p->param[i].name);
    if (length == (size_t)(end - name) && strncmp(p->param[i].name, name, length) == 0) whole = &p->param[i];
  }
  if (!whole) return false;
  /* Name its parts: "a, b and c". */
  const struct param_part *part = param_parts(whole, &count);
  int used = snprintf(text, size, "%s: no parameter of this name; %s has %s", name, whole->name,
                      count ? "the parts " : "one number, and no parts");
  for (int k = 0; k < count && used < (int)size; k++)
    used += snprintf(text + used, size - (size_t)used, "%s%s",
                     k == 0          ? ""
                     : k + 1 < count ? ", "
                                     : " and ",
                     part[k].name);
  return true;
}

/* --- values --- */

/* The specs of a model that hold a parameter. */
struct param_specs {
  double gravity[3];
  ali3_options options;
  ali3_body_spec body;
  ali3_load_spec load;
  ali3_force_spec force;
  ali3_sensor_spec sensor;
};

static char *place_of(const struct param *p, struct param_specs *s)
{
  char *const base[] = {[PARAM_OF_MODEL] = (char *)s->gravity, [PARAM_OF_SOLVER] = (char *)&s->options,
                        [PARAM_OF_BODY] = (char *)&s->body,    [PARAM_OF_LOAD] = (char *)&s->load,
                        [PARAM_OF_FORCE] = (char *)&s->force,  [PARAM_OF_SENSOR] = (char *)&s->sensor};
  return base[p->owner] + p->offset;
}

void params_get(const struct param *p, const ali3_model *m, double value[PARAM_NUMBERS])
{
  struct param_specs s;
  ali3_model_gravity(m, s.gravity);
  s.options = *ali3_model_options(m);
  if (p->owner == PARAM_OF_BODY) s.body = ali3_model_body_spec(m, p->element);
  if (p->owner == PARAM_OF_LOAD) s.load = ali3_model_load_spec(m, p->element);
  if (p->owner == PARAM_OF_FORCE) s.force = ali3_model_force_spec(m, p->element);
  if (p->owner == PARAM_OF_SENSOR) s.sensor = ali3_model_sensor_spec(m, p->element);
  const char *at = place_of(p, &s);
  if (param_is_whole(p)) {
    int n;
    memcpy(&n, at, sizeof n);
    value[0] = n;
  } else {
    memcpy(value, at, (size_t)p->count * sizeof *value);
  }
}

static void put_value(const struct param *p, struct param_specs *s, const double *value)
{
  char *at = place_of(p, s);
  if (param_is_whole(p))
    memcpy(at, &(int){(int)value[0]}, sizeof(int)); /* params_check() has judged its range */
  else
    memcpy(at, value, (size_t)p->count * sizeof *value);
}

static bool is_in_range(const struct param *p, double x)
{
  const struct key *k = p->key;
  if (!isfinite(x) || (param_is_whole(p) && x != floor(x))) return false;
  if (x < k->min || (x == k->min && k->ends & OPEN_MIN)) return false;
  return !(x > k->max || (x == k->max && k->ends & OPEN_MAX));
}

bool params_check(const struct param *p, int count, double value[PARAM_NUMBERS], char *error, size_t size)
{
  char expected[300];
  if (p->key->type == KEY_INERTIA && count == 3) {
    const double d[3] = {value[0], value[1], value[2]};
    for (int i = 0; i < PARAM_NUMBERS; i++) value[i] = i % 4 ? 0.0 : d[i / 4];
    count = PARAM_NUMBERS;
  }
  bool good = count == p->count;
  for (int i = 0; good && i < count; i++) good = is_in_range(p, value[i]);
  struct key key = *p->key;
  if (param_is_whole(p)) key.type = KEY_INTEGER; /* without the word auto */
  int parts;
  const struct param_part *part = param_parts(p, &parts);
  if (!good)
    snprintf(error, size, "%s: expected %s%s%s%s", p->name, schema_expected(&key, expected, sizeof expected),
             count == 1 && parts ? "; for one of them set " : "", count == 1 && parts ? p->name : "",
             count == 1 && parts ? part[0].name : "");
  return good;
}

bool params_check_part(const struct param *p, const struct param_part *part, int count, double number,
                       char *error, size_t size)
{
  char expected[300];
  struct key key = *p->key;
  key.type = KEY_NUMBER;
  const bool good = count == 1 && is_in_range(p, number);
  if (!good)
    snprintf(error, size, "%s%s: expected %s", p->name, part->name,
             schema_expected(&key, expected, sizeof expected));
  return good;
}

/* --- models --- */

/* The changes of a model, for its copy. */
struct param_edit {
  const struct params *params;
  const struct param_change *change; /* (changes) */
  int changes;
};

static void change_spec(const struct param_edit *e, enum param_owner owner, int element,
                        struct param_specs *s)
{
  for (int i = 0; i < e->changes; i++) {
    const struct param *x = &e->params->param[e->change[i].param];
    if (x->owner == owner && x->element == element) put_value(x, s, e->change[i].value);
  }
}

static void edit_spec(const void *of, enum spec_element element, int index, void *spec)
{
  struct param_specs s;
  switch (element) {
  case SPEC_OF_BODY:
    s.body = *(ali3_body_spec *)spec;
    change_spec(of, PARAM_OF_BODY, index, &s);
    *(ali3_body_spec *)spec = s.body;
    break;
  case SPEC_OF_LOAD:
    s.load = *(ali3_load_spec *)spec;
    change_spec(of, PARAM_OF_LOAD, index, &s);
    *(ali3_load_spec *)spec = s.load;
    break;
  case SPEC_OF_FORCE:
    s.force = *(ali3_force_spec *)spec;
    change_spec(of, PARAM_OF_FORCE, index, &s);
    *(ali3_force_spec *)spec = s.force;
    break;
  case SPEC_OF_SENSOR:
    s.sensor = *(ali3_sensor_spec *)spec;
    change_spec(of, PARAM_OF_SENSOR, index, &s);
    *(ali3_sensor_spec *)spec = s.sensor;
    break;
  default: /* joints have no parameters */
    break;
  }
}

ali3_model *params_apply(const struct params *p, const ali3_model *m, const struct param_change *change,
                         int changes, char *error, size_t size)
{
  struct param_specs s = {.options = *ali3_model_options(m)};
  const struct param_edit edit = {p, change, changes};
  ali3_model *to = ali3_model_new();
  snprintf(error, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  if (!to) return NULL;
  ali3_model_gravity(m, s.gravity);
  change_spec(&edit, PARAM_OF_MODEL, 0, &s);
  change_spec(&edit, PARAM_OF_SOLVER, 0, &s);
  int status = ali3_model_set_gravity(to, s.gravity);
  if (status >= 0) status = model_copy_edited(to, m, &(struct model_edit){edit_spec, &edit});
  if (status >= 0) status = ali3_model_freeze(to, &s.options);
  if (status >= 0) return to;
  snprintf(error, size, "%s", ali3_model_problem(to)->text);
  ali3_model_free(to);
  return NULL;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const struct param *)a)->name, ((const struct param *)b)->name);
}

bool param_values_read(struct param_values *v, const ali3_model *m)
{
  const bool listed = params_list(&v->sorted, m);
  v->value = listed ? calloc((size_t)v->sorted.count + 1, sizeof *v->value) : NULL;
  if (!v->value) return false;
  qsort(v->sorted.param, (size_t)v->sorted.count, sizeof *v->sorted.param, compare_names);
  for (int i = 0; i < v->sorted.count; i++) params_get(&v->sorted.param[i], m, v->value[i]);
  return true;
}

void param_values_free(struct param_values *v)
{
  params_free(&v->sorted);
  free(v->value);
  v->value = NULL;
}

int params_difference(const struct params *p, const ali3_model *from, const struct param_values *to,
                      struct param_change *change)
{
  int changes = 0;
  for (int i = 0; i < p->count; i++) {
    const struct param *x = &p->param[i], *y = bsearch(x, to->sorted.param, (size_t)to->sorted.count,
                                                       sizeof *to->sorted.param, compare_names);
    if (!y || y->key != x->key) continue;
    double before[PARAM_NUMBERS];
    struct param_change next = {.param = i};
    params_get(x, from, before);
    memcpy(next.value, to->value[y - to->sorted.param], sizeof next.value);
    if (!same_bits(before, next.value, (size_t)x->count)) change[changes++] = next;
  }
  return changes;
}

void params_value_text(const struct param *p, const double *value, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < p->count && used < size; i++) {
    const char *before = p->count == 1 ? "" : i == 0 ? "[" : i % 3 == 0 ? "], [" : ", ";
    const char *first = p->count == PARAM_NUMBERS && i == 0 ? "[" : "";
    char number[40];
    if (isfinite(value[i]))
      snprintf(number, sizeof number, "%.17g", value[i]);
    else
      snprintf(number, sizeof number, "%s", isnan(value[i]) ? ".nan" : value[i] < 0 ? "-.inf" : ".inf");
    used += (size_t)snprintf(text + used, size - used, "%s%s%s", first, before, number);
  }
  if (p->count > 1 && used < size) snprintf(text + used, size - used, p->count == PARAM_NUMBERS ? "]]" : "]");
}
