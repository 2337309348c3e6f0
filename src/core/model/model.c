/* SPDX-License-Identifier: MIT
 * Builds a model element by element. check.c has the checks, and the stepper freezes the model. */
#include "model/model_parts.h"

#include <ali3/model.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ali3_options ali3_options_default(void)
{
  return (ali3_options){.dt = 0.01,
                        .iterations = 3,
                        .compliance = 4e-9,
                        .substeps = 1,
                        .gamma = 0.5,
                        .violation = 0.1,
                        .coordinates = ALI3_COORDINATES_AUTO};
}

ali3_model *ali3_model_new(void)
{
  ali3_model *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->options = ali3_options_default();
  if (ali3_model_set_name(m, "model") != ALI3_OK) {
    free(m);
    return NULL;
  }
  return m;
}

static void free_tables(ali3_force_spec *s)
{
  free((void *)s->force_table.point);
  free((void *)s->damping_table.point);
  free((void *)s->motion.point);
}

void ali3_model_free(ali3_model *m)
{
  if (!m) return;
  if (m->frozen) m->frozen_free(m->frozen);
  /* Free names and tables of each element. */
  for (int i = 0; i < m->bodies; i++) free(m->body[i].name);
  for (int i = 0; i < m->joints; i++) free(m->joint[i].name);
  for (int i = 0; i < m->loads; i++) free(m->load[i].name);
  names_free(&m->body_names);
  names_free(&m->joint_names);
  for (int i = 0; i < m->forces; i++) {
    free(m->force[i].name);
    free_tables(&m->force[i].spec);
  }
  names_free(&m->force_names);
  for (int i = 0; i < m->sensors; i++) free(m->sensor[i].name);
  names_free(&m->sensor_names);
  /* Free the lists. */
  free(m->body);
  free(m->joint);
  free(m->load);
  free(m->force);
  free(m->sensor);
  free(m->name);
  free(m);
}

static int refuse_memory(ali3_model *m, const char *element)
{
  return model_refuse(m, ALI3_E_MEMORY, element, "", "out of memory");
}

/* m may be NULL. */
static int refuse_null(ali3_model *m, const char *element)
{
  if (!m) return ALI3_E_ARGUMENT;
  return model_refuse(m, ALI3_E_ARGUMENT, element, "", "an argument is NULL");
}

static int refuse_frozen(ali3_model *m, const char *element)
{
  return model_refuse(m, ALI3_E_FROZEN, element, "",
                      "the model is frozen: add and change elements before ali3_model_freeze()");
}

ali3_status ali3_model_set_name(ali3_model *m, const char *name)
{
  if (!m || !name) return refuse_null(m, "model");
  if (m->frozen) return refuse_frozen(m, "model");
  for (const char *p = name; *p; p++) /* tools print the name */
    if ((unsigned char)*p < ' ' || *p == 0x7f)
      return model_refuse(m, ALI3_E_MODEL, "model", "name",
                          "expected one line of text without control characters, found character %d", *p);
  char *copy = strdup(name);
  if (!copy) return refuse_memory(m, "model");
  free(m->name);
  m->name = copy;
  return ALI3_OK;
}

ali3_status ali3_model_set_gravity(ali3_model *m, const double gravity[3])
{
  if (!m || !gravity) return refuse_null(m, "model");
  if (m->frozen) return refuse_frozen(m, "model");
  for (int i = 0; i < 3; i++)
    if (!(gravity[i] - gravity[i] == 0.0))
      return model_refuse(m, ALI3_E_MODEL, "model", "gravity", "expected finite numbers");
  for (int i = 0; i < 3; i++)
    if (fabs(gravity[i]) > BOUND_RATE)
      return model_refuse(m, ALI3_E_MODEL, "model", "gravity",
                          "expected a magnitude of at most %g m/s^2, found %g", BOUND_RATE, gravity[i]);
  memcpy(m->gravity, gravity, sizeof m->gravity);
  return ALI3_OK;
}

void ali3_model_gravity(const ali3_model *m, double gravity[3])
{
  if (m && gravity) memcpy(gravity, m->gravity, sizeof m->gravity);
}

/* Makes room for one more element of `size` bytes; false: out of memory. */
static bool reserve_room(void **array, int used, int *room, size_t size)
{
  if (used < *room) return true;
  int bigger = *room ? 2 * *room : 16;
  void *p = realloc(*array, (size_t)bigger * size);
  if (!p) return false;
  *array = p;
  *room = bigger;
  return true;
}

/* Copies and enters the name of a new element, if it has one, and counts the element. */
static int enter_name(ali3_model *m, const char *element, struct names *names, const char *name, char **copy,
                      int *count)
{
  *copy = NULL;
  if (!name) return (*count)++;
  *copy = strdup(name);
  if (!*copy) return refuse_memory(m, element);
  if (!names_add(names, *copy, *count)) {
    free(*copy);
    return refuse_memory(m, element);
  }
  return (*count)++;
}

int ali3_model_add_body(ali3_model *m, const ali3_body_spec *spec)
{
  struct body b;
  if (!m || !spec) return refuse_null(m, "body");
  if (m->frozen) return refuse_frozen(m, "body");
  int status = model_check_body(m, spec, &b);
  if (status < 0) return status;
  if (!reserve_room((void **)&m->body, m->bodies, &m->body_room, sizeof b)) return refuse_memory(m, "body");
  m->body[m->bodies] = b;
  return enter_name(m, "body", &m->body_names, spec->name, &m->body[m->bodies].name, &m->bodies);
}

int ali3_model_add_joint(ali3_model *m, const ali3_joint_spec *spec)
{
  struct joint j;
  if (!m || !spec) return refuse_null(m, "joint");
  if (m->frozen) return refuse_frozen(m, "joint");
  int status = model_check_joint(m, spec, &j);
  if (status < 0) return status;
  if (!reserve_room((void **)&m->joint, m->joints, &m->joint_room, sizeof j))
    return refuse_memory(m, "joint");
  m->joint[m->joints] = j;
  return enter_name(m, "joint", &m->joint_names, spec->name, &m->joint[m->joints].name, &m->joints);
}

int ali3_model_add_load(ali3_model *m, const ali3_load_spec *spec)
{
  struct load l;
  if (!m || !spec) return refuse_null(m, "load");
  if (m->frozen) return refuse_frozen(m, "load");
  int status = model_check_load(m, spec, &l);
  if (status < 0) return status;
  if (!reserve_room((void **)&m->load, m->loads, &m->load_room, sizeof l)) return refuse_memory(m, "load");
  m->load[m->loads] = l;
  return enter_name(m, "load", &m->force_names, spec->name, &m->load[m->loads].name, &m->loads);
}

/* Replaces the points of the caller by a copy. */
static bool copy_table(ali3_table *t)
{
  size_t size = (size_t)t->n * sizeof *t->point;
  void *copy = t->n ? malloc(size) : NULL;
  if (copy) memcpy(copy, t->point, size);
  t->point = copy;
  return copy || t->n == 0;
}

static bool copy_tables(ali3_force_spec *s)
{
  bool ok = copy_table(&s->force_table);
  ok &= copy_table(&s->damping_table);
  ok &= copy_table(&s->motion);
  if (!ok) free_tables(s);
  return ok;
}

int ali3_model_add_force(ali3_model *m, const ali3_force_spec *spec)
{
  struct force f;
  if (!m || !spec) return refuse_null(m, "force");
  if (m->frozen) return refuse_frozen(m, "force");
  int status = model_check_force(m, spec, &f);
  if (status < 0) return status;
  if (!reserve_room((void **)&m->force, m->forces, &m->force_room, sizeof f))
    return refuse_memory(m, "force");
  if (!copy_tables(&f.spec)) return refuse_memory(m, "force");
  m->force[m->forces] = f;
  status = enter_name(m, "force", &m->force_names, spec->name, &m->force[m->forces].name, &m->forces);
  if (status < 0)
    free_tables(&f.spec);
  else
    model_list_force(m, status);
  return status;
}

int ali3_model_add_sensor(ali3_model *m, const ali3_sensor_spec *spec)
{
  struct sensor s;
  if (!m || !spec) return refuse_null(m, "sensor");
  if (m->frozen) return refuse_frozen(m, "sensor");
  int status = model_check_sensor(m, spec, &s);
  if (status < 0) return status;
  if (!reserve_room((void **)&m->sensor, m->sensors, &m->sensor_room, sizeof s))
    return refuse_memory(m, "sensor");
  m->sensor[m->sensors] = s;
  return enter_name(m, "sensor", &m->sensor_names, spec->name, &m->sensor[m->sensors].name, &m->sensors);
}

ali3_status ali3_model_set_law(ali3_model *m, int force, const ali3_law *law)
{
  if (!m || !law || !law->force || force < 0 || force >= m->forces) return ALI3_E_ARGUMENT;
  if (m->frozen) return refuse_frozen(m, "force");
  const ali3_force_type type = m->force[force].spec.type;
  if (type != ALI3_FORCE_SPRING && type != ALI3_FORCE_JOINT_SPRING)
    return (ali3_status)model_refuse(m, ALI3_E_MODEL, "force", "type",
                                     "force \"%s\" is a %s: expected a spring_damper or a joint_spring",
                                     m->force[force].name, ali3_force_type_name(type));
  m->force[force].law = *law;
  return ALI3_OK;
}

ali3_status ali3_model_drop_rows(ali3_model *m, int joint, unsigned dropped)
{
  if (!m || joint < 0 || joint >= m->joints) return ALI3_E_ARGUMENT;
  if (m->frozen) return refuse_frozen(m, "joint");
  struct joint *j = &m->joint[joint];
  const int status = model_check_dropped(m, j->name, j->spec.type, dropped);
  if (status == ALI3_OK) j->spec.dropped = dropped;
  return status;
}

const ali3_problem *ali3_model_problem(const ali3_model *m)
{
  static const ali3_problem none = {ALI3_E_ARGUMENT, "model", "", "expected a model, found NULL"};
  return m ? &m->problem : &none;
}
const char *ali3_model_name(const ali3_model *m)
{
  return m ? m->name : NULL;
}
const ali3_options *ali3_model_options(const ali3_model *m)
{
  return m ? &m->options : NULL;
}

/* An element has this index. */
static bool has_name(int count, int index)
{
  return index >= 0 && index < count;
}

int ali3_model_bodies(const ali3_model *m)
{
  return m ? m->bodies : 0;
}
int ali3_model_joints(const ali3_model *m)
{
  return m ? m->joints : 0;
}
int ali3_model_loads(const ali3_model *m)
{
  return m ? m->loads : 0;
}
int ali3_model_forces(const ali3_model *m)
{
  return m ? m->forces : 0;
}
int ali3_model_sensors(const ali3_model *m)
{
  return m ? m->sensors : 0;
}
const char *ali3_model_force_name(const ali3_model *m, int force)
{
  return has_name(m ? m->forces : 0, force) ? m->force[force].name : NULL;
}
const char *ali3_model_body_name(const ali3_model *m, int body)
{
  if (body == ALI3_GROUND) return "ground";
  return has_name(m ? m->bodies : 0, body) ? m->body[body].name : NULL;
}
const char *ali3_model_joint_name(const ali3_model *m, int joint)
{
  return has_name(m ? m->joints : 0, joint) ? m->joint[joint].name : NULL;
}
ali3_joint_type ali3_model_joint_type(const ali3_model *m, int joint)
{
  return has_name(m ? m->joints : 0, joint) ? m->joint[joint].spec.type : ALI3_JOINT_TYPES;
}

int ali3_model_find_body(const ali3_model *m, const char *name)
{
  if (!m || !name) return ALI3_NONE;
  return strcmp(name, "ground") == 0 ? ALI3_GROUND : names_find(&m->body_names, name);
}

int ali3_model_find_joint(const ali3_model *m, const char *name)
{
  return !m || !name ? -2 : names_find(&m->joint_names, name);
}

bool ali3_model_force_turns(const ali3_model *m, int force)
{
  if (!has_name(m ? m->forces : 0, force)) return false;
  const ali3_force_spec *s = &m->force[force].spec;
  return ali3_force_type_on_joint(s->type) && m->joint[s->joint].spec.type == ALI3_JOINT_REVOLUTE;
}
/* Loads and forces share one table of names, so the index is compared with the name of the load. */
int ali3_model_find_load(const ali3_model *m, const char *name)
{
  int i = !m || !name ? -2 : names_find(&m->force_names, name);
  return i >= 0 && i < m->loads && m->load[i].name && strcmp(m->load[i].name, name) == 0 ? i : -2;
}

int ali3_model_find_force(const ali3_model *m, const char *name)
{
  int i = !m || !name ? -2 : names_find(&m->force_names, name);
  return i >= 0 && i < m->forces && strcmp(m->force[i].name, name) == 0 ? i : -2;
}

int ali3_model_find_sensor(const ali3_model *m, const char *name)
{
  return !m || !name ? -2 : names_find(&m->sensor_names, name);
}

ali3_force_type ali3_model_force_type(const ali3_model *m, int force)
{
  return has_name(m ? m->forces : 0, force) ? m->force[force].spec.type : ALI3_FORCE_TYPES;
}

bool ali3_model_force_takes_command(const ali3_model *m, int force)
{
  if (!has_name(m ? m->forces : 0, force)) return false;
  const ali3_force_spec *spec = &m->force[force].spec;
  return spec->type == ALI3_FORCE_DRIVE ? spec->external : ali3_force_type_takes_command(spec->type);
}

const char *ali3_model_sensor_name(const ali3_model *m, int sensor)
{
  return has_name(m ? m->sensors : 0, sensor) ? m->sensor[sensor].name : NULL;
}
ali3_sensor_type ali3_model_sensor_type(const ali3_model *m, int sensor)
{
  return has_name(m ? m->sensors : 0, sensor) ? m->sensor[sensor].spec.type : ALI3_SENSOR_TYPES;
}
