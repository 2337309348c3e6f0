/* SPDX-License-Identifier: MIT
 * The tables of spec_fields.h have every field of the specs in ali3/model.h, in that order, and every field survives in the model, in its
 * bytes and in its hash. */
#include "check.h"
#include "common/specs.h"
#include "model/model.h"

#include <ali3/flat.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the header --- */

static char *read_header(void)
{
  static char text[1 << 16];
  FILE *f = fopen(TEST_DATA "/../include/ali3/model.h", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  /* Blanks in place of comments. */
  for (char *at = text; (at = strstr(at, "/*"));) {
    char *end = strstr(at, "*/");
    assert_non_null(end);
    memset(at, ' ', (size_t)(end + 2 - at));
  }
  return text;
}

/* The members of "typedef struct { .. } ali3_ELEMENT_spec;", which it cuts out of the text. */
static char *members_of(char *text, const char *element)
{
  char end[64];
  snprintf(end, sizeof end, "} ali3_%s_spec;", element);
  char *last = strstr(text, end);
  assert_non_null(last);
  *last = '\0';
  char *from = NULL;
  for (char *at = text; (at = strstr(at, "typedef struct {")); at++) from = at;
  assert_non_null(from);
  return from + strlen("typedef struct {");
}

/* The name that a declarator "*name", "name[3]" or "int name" declares. Its end is cut. */
static char *declared_name(char *declarator)
{
  declarator[strcspn(declarator, "[")] = '\0';
  char *end = declarator + strlen(declarator);
  while (end > declarator && isspace((unsigned char)end[-1])) *--end = '\0';
  char *name = end;
  while (name > declarator && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
  return name;
}

static void compare_with_header(const struct spec_fields *of)
{
  char *rest = NULL, *members = members_of(read_header(), of->element);
  int i = 0;
  for (char *line = strtok_r(members, ";", &rest); line; line = strtok_r(NULL, ";", &rest)) {
    char *others = NULL;
    if (!line[strspn(line, " \n")]) continue;
    for (char *d = strtok_r(line, ",", &others); d; d = strtok_r(NULL, ",", &others), i++) {
      const char *name = declared_name(d), *row = i < of->fields ? of->field[i].name : "none";
      if (strcmp(row, name) != 0)
        fail_msg("ali3_%s_spec has the field %s, and the table in spec_fields.c %s", of->element, name, row);
    }
  }
  assert_int_equal(i, of->fields);
}

TEST(the_tables_are_the_header)
{
  for (int e = 0; e < SPEC_ELEMENTS; e++) {
    const struct spec_fields *of = &spec_fields[e];
    compare_with_header(of);
    for (int i = 0; i < of->fields; i++) {
      const struct spec_field *f = &of->field[i];
      assert_int_equal(strncmp(f->name, "body", 4) == 0 && strcmp(f->name, "body_axes") != 0,
                       f->kind == SPEC_BODY);
      assert_int_equal(strncmp(f->name, "joint", 5) == 0, f->kind == SPEC_JOINT);
      assert_int_equal(strcmp(f->name, "force") == 0, f->kind == SPEC_FORCE);
      assert_true(f->at < of->size);
    }
  }
}

/* --- every field, one after the other --- */

static const double rising[][2] = {{-1, -2}, {0, 0}, {1, 3}}, other_rising[][2] = {{-1, -2}, {0, 0}, {1, 4}};

/* A drive follows a function, a table or an input; beyond the types of forces stand the other two drives. */
enum { TABLE_DRIVE = ALI3_FORCE_TYPES, INPUT_DRIVE, FORCE_KINDS };

static int types_of(enum spec_element e)
{
  const int types[SPEC_ELEMENTS] = {1, ALI3_JOINT_TYPES, 2, FORCE_KINDS, ALI3_SENSOR_TYPES};
  return types[e];
}

/* The fields of the other drives keep their zeros. */
static bool is_of_other_drive(enum spec_element e, int type, const struct spec_field *f)
{
  static const char *const function[] = {"offset", "speed", "amplitude", "frequency", "phase"};
  if (e != SPEC_OF_FORCE || type < ALI3_FORCE_DRIVE || (type > ALI3_FORCE_DRIVE && type < TABLE_DRIVE))
    return false;
  if (strcmp(f->name, "motion") == 0) return type != TABLE_DRIVE;
  if (strcmp(f->name, "external") == 0) return true;
  for (size_t i = 0; i < sizeof function / sizeof *function; i++)
    if (strcmp(f->name, function[i]) == 0) return type != ALI3_FORCE_DRIVE;
  return false;
}

/* A spec of a type in which every number differs from every other one. */
static union spec full_spec(enum spec_element e, int type)
{
  union spec s;
  memset(&s, 0, sizeof s);
  const struct spec_fields *of = &spec_fields[e];
  double next = 0.11;
  if (e == SPEC_OF_FORCE)
    s.force = ali3_force_spec_default(type < ALI3_FORCE_TYPES ? (ali3_force_type)type : ALI3_FORCE_DRIVE);
  for (int i = 0; i < of->fields; i++) {
    const struct spec_field *f = &of->field[i];
    double *x = (double *)(void *)((char *)&s + f->at);
    const bool zero = is_of_other_drive(e, type, f);
    for (int k = 0; f->kind == SPEC_NUMBERS && k < f->count; k++) x[k] = zero ? 0 : (next += 0.01);
  }
  /* Fields that are no free numbers. */
  switch (e) {
  case SPEC_OF_BODY:
    memcpy(s.body.inertia, (const double[9]){2, 0.1, 0.2, 0.1, 2.1, 0.3, 0.2, 0.3, 2.2},
           sizeof s.body.inertia);
    memcpy(s.body.orientation, (const double[4]){0.7, 0.1, 0.7, 0.1}, sizeof s.body.orientation);
    break;
  case SPEC_OF_JOINT:
    s.joint.type = (ali3_joint_type)type;
    s.joint.body_a = 0;
    s.joint.body_b = 1;
    s.joint.dropped = 0;
    memcpy(s.joint.relative_orientation, (const double[4]){0.1, 0.7, 0.1, 0.7},
           sizeof s.joint.relative_orientation);
    break;
  case SPEC_OF_LOAD:
    s.load.type = (ali3_load_type)type;
    break;
  case SPEC_OF_FORCE:
    s.force.body_a = 0;
    s.force.body_b = 1;
    s.force.joint_b = 1;
    s.force.lower = -0.5;
    s.force.force_table = s.force.damping_table = (ali3_table){3, rising};
    if (type == TABLE_DRIVE) s.force.motion = (ali3_table){3, rising};
    s.force.external = type == INPUT_DRIVE;
    s.force.rod = 0.05;
    s.force.bulk_modulus = 1.3e9;
    s.force.supply = 1e6;
    s.force.max_current = 7;
    s.force.shape = 1.3;
    break;
  default:
    s.sensor.type = (ali3_sensor_type)type;
    s.sensor.body_b = ALI3_GROUND;
    s.sensor.filter_order = s.sensor.stuck = s.sensor.seed = 1;
    for (int i = 0; i < 2; i++) s.sensor.upper[i] = s.sensor.lower[i] + 1.0;
    memcpy(s.sensor.orientation, (const double[4]){0.7, 0.1, 0.1, 0.7}, sizeof s.sensor.orientation);
    break;
  }
  return s;
}

/* Three bodies, three hinges with springs, and the element, which must be accepted. */
static ali3_model *model_with(enum spec_element e, union spec s)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec body = {.mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  ali3_joint_spec hinge = {.type = ALI3_JOINT_REVOLUTE, .body_a = ALI3_GROUND, .axis_a = {1}, .axis_b = {1}};
  for (int i = 0; i < 3; i++) {
    body.name = hinge.name = (const char *const[]){"first", "second", "third"}[i];
    assert_int_equal(ali3_model_add_body(m, &body), i);
    hinge.body_b = i;
    assert_int_equal(ali3_model_add_joint(m, &hinge), i);
    ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
    spring.name = hinge.name;
    spring.joint = i;
    spring.stiffness[0] = 1.0;
    assert_int_equal(ali3_model_add_force(m, &spring), i);
  }
  int status = 0;
  switch (e) {
  case SPEC_OF_BODY:
    s.body.name = "it";
    status = ali3_model_add_body(m, &s.body);
    break;
  case SPEC_OF_JOINT:
    s.joint.name = "it";
    status = ali3_model_add_joint(m, &s.joint);
    break;
  case SPEC_OF_LOAD:
    s.load.name = "it";
    status = ali3_model_add_load(m, &s.load);
    break;
  case SPEC_OF_FORCE:
    s.force.name = "it";
    status = ali3_model_add_force(m, &s.force);
    break;
  default:
    s.sensor.name = "it";
    status = ali3_model_add_sensor(m, &s.sensor);
    break;
  }
  if (status < 0) fail_msg("%s", ali3_model_problem(m)->text);
  return m;
}

/* The element that model_with() has added: the last one of its kind. */
static union spec spec_in(const ali3_model *m, enum spec_element e)
{
  return spec_at(m, e, spec_count(m, e) - 1);
}

static void compare_specs(enum spec_element e, const union spec *a, const union spec *b, const char *what)
{
  for (int i = 0; i < spec_fields[e].fields; i++)
    if (!spec_field_equal(&spec_fields[e].field[i], a, b))
      fail_msg("%s: the field %s of a %s is lost", what, spec_fields[e].field[i].name,
               spec_fields[e].element);
}

/* Another value of a field; false: the field has no other one here. */
static bool change_field(enum spec_element e, const struct spec_field *f, int number, union spec *s)
{
  char *at = (char *)s + f->at;
  const int third = 2;
  int whole;
  bool flag;
  double x;
  switch (f->kind) {
  case SPEC_NAME:
  case SPEC_TYPE:
    return false;
  case SPEC_BODY:
  case SPEC_JOINT:
  case SPEC_FORCE:
    memcpy(at, &third, sizeof third);
    return true;
  case SPEC_WHOLE:
    memcpy(&whole, at, sizeof whole);
    whole += f->at == offsetof(ali3_sensor_spec, stuck) && s->sensor.type == ALI3_SENSOR_IMU ? -1 : 1;
    memcpy(at, &whole, sizeof whole);
    return true;
  case SPEC_BITS:
    memcpy(at, &(unsigned){ALI3_DROP_FIRST}, sizeof(unsigned));
    return (ali3_joint_type_droppable(s->joint.type) & ALI3_DROP_FIRST) != 0;
  case SPEC_FLAG:
    memcpy(&flag, at, sizeof flag);
    flag = !flag;
    memcpy(at, &flag, sizeof flag);
    return true;
  case SPEC_TABLE:
    memcpy(at, &(ali3_table){3, other_rising}, sizeof(ali3_table));
    return true;
  case SPEC_NUMBERS:
    at += (size_t)number * sizeof x;
    memcpy(&x, at, sizeof x);
    x += 1e-4;
    memcpy(at, &x, sizeof x);
    /* An inertia stays symmetric. */
    if (e == SPEC_OF_BODY && f->at == offsetof(ali3_body_spec, inertia))
      s->body.inertia[3 * (number % 3) + number / 3] = x;
    return true;
  }
  return false;
}

static void flat_hash(const ali3_model *m, unsigned char hash[ALI3_MODEL_HASH_SIZE])
{
  assert_int_equal(ali3_model_hash(m, hash), ALI3_OK);
}

/* The model, written as bytes and read again. */
static ali3_model *read_again(const ali3_model *m)
{
  const size_t size = ali3_model_flat_size(m);
  unsigned char *flat = malloc(size);
  ali3_model *again = ali3_model_new();
  assert_true(flat && again && ali3_model_flat_write(m, flat, size) == ALI3_OK);
  assert_int_equal(ali3_model_flat_read(again, flat, size), ALI3_OK);
  free(flat);
  return again;
}

/* A joint without the type's axes, a load or a sensor may ignore a field: then the spec of the model does not change either. */
static void check_change(enum spec_element e, int type, const struct spec_field *f, int number)
{
  union spec s = full_spec(e, type);
  const union spec before = s;
  unsigned char hash[2][ALI3_MODEL_HASH_SIZE];
  ali3_model *m = model_with(e, before);
  if (!is_of_other_drive(e, type, f) && change_field(e, f, number, &s)) {
    ali3_model *changed = model_with(e, s);
    const union spec was = spec_in(m, e), is = spec_in(changed, e);
    flat_hash(m, hash[0]);
    flat_hash(changed, hash[1]);
    const bool same = spec_field_equal(f, &was, &is);
    if (same != (memcmp(hash[0], hash[1], sizeof hash[0]) == 0))
      fail_msg("%s of a %s: the bytes of the model do not have it", f->name, spec_fields[e].element);
    ali3_model *again = read_again(changed);
    const union spec read = spec_in(again, e);
    compare_specs(e, &is, &read, "bytes");
    ali3_model_free(again);
    ali3_model_free(changed);
  }
  ali3_model_free(m);
}

TEST(every_field_is_in_the_bytes_and_in_the_hash)
{
  for (int e = 0; e < SPEC_ELEMENTS; e++)
    for (int type = 0; type < types_of((enum spec_element)e); type++)
      for (int i = 0; i < spec_fields[e].fields; i++) {
        const struct spec_field *f = &spec_fields[e].field[i];
        for (int k = 0; k < f->count; k++) check_change((enum spec_element)e, type, f, k);
      }
}

/* Unit vectors and symmetric matrices are made exact; every other field is the one that was given. */
static bool is_made_exact(enum spec_element e, const struct spec_field *f)
{
  return strstr(f->name, "orientation") || strncmp(f->name, "axis", 4) == 0 ||
         (e == SPEC_OF_BODY && strcmp(f->name, "inertia") == 0);
}

TEST(a_model_keeps_every_field_that_its_type_uses)
{
  for (int e = 0; e < SPEC_ELEMENTS; e++) {
    int survived[64] = {0};
    for (int type = 0; type < types_of((enum spec_element)e); type++) {
      const union spec given = full_spec((enum spec_element)e, type);
      ali3_model *m = model_with((enum spec_element)e, given);
      const union spec s = spec_in(m, (enum spec_element)e);
      for (int i = 0; i < spec_fields[e].fields; i++) {
        const struct spec_field *f = &spec_fields[e].field[i];
        survived[i] +=
            f->kind == SPEC_NAME || spec_field_equal(f, &given, &s) || is_made_exact((enum spec_element)e, f);
      }
      ali3_model_free(m);
    }
    for (int i = 0; i < spec_fields[e].fields; i++)
      if (survived[i] == 0)
        fail_msg("no %s keeps the field %s", spec_fields[e].element, spec_fields[e].field[i].name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tables_are_the_header),
      cmocka_unit_test(every_field_is_in_the_bytes_and_in_the_hash),
      cmocka_unit_test(a_model_keeps_every_field_that_its_type_uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
