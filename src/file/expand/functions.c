/* SPDX-License-Identifier: MIT */
#include "expand/expression_parts.h"

#include <math.h>
#include <string.h>

/* The measure of the value of a function. */
enum measure_rule {
  RULE_OF_ANGLE, /* an angle, or a number: the result is a number */
  RULE_OF_RATIO, /* a number: the result is an angle, which every key takes */
  RULE_KEEP,     /* the unit of the first value */
  RULE_OPEN,
};

struct function {
  const char *name;
  int values; /* 0: on vectors */
  enum measure_rule rule;
  double (*one)(double);
  double (*two)(double, double);
  void (*vectors)(const struct value *item, struct value *out);
  int vector_values;
};

static void take_norm(const struct value *item, struct value *out)
{
  double sum = 0;
  for (int i = 0; i < item->count; i++) sum += item->number[i] * item->number[i];
  out->number[0] = sqrt(sum);
}

static void take_direction(const struct value *item, struct value *out)
{
  take_norm(item, out);
  const double norm = out->number[0];
  out->count = item->count;
  for (int i = 0; i < item->count; i++) out->number[i] = item->number[i] / norm;
  out->measure = MEASURE_PURE;
}

static void take_dot(const struct value *item, struct value *out)
{
  double sum = 0;
  for (int i = 0; i < item->count; i++) sum += item[0].number[i] * item[1].number[i];
  out->number[0] = sum;
}

static void take_cross(const struct value *item, struct value *out)
{
  const double *a = item[0].number, *b = item[1].number;
  out->count = 3;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out->number[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static const struct function functions[] = {
    {"sin", 1, RULE_OF_ANGLE, .one = sin},
    {"cos", 1, RULE_OF_ANGLE, .one = cos},
    {"tan", 1, RULE_OF_ANGLE, .one = tan},
    {"asin", 1, RULE_OF_RATIO, .one = asin},
    {"acos", 1, RULE_OF_RATIO, .one = acos},
    {"atan", 1, RULE_OF_RATIO, .one = atan},
    {"atan2", 2, RULE_OPEN, .two = atan2},
    {"sqrt", 1, RULE_OPEN, .one = sqrt},
    {"abs", 1, RULE_KEEP, .one = fabs},
    {"floor", 1, RULE_KEEP, .one = floor},
    {"mod", 2, RULE_KEEP, .two = fmod},
    {"pow", 2, RULE_OPEN, .two = pow},
    {"hypot", 2, RULE_KEEP, .two = hypot},
    {"min", 2, RULE_KEEP, .two = fmin},
    {"max", 2, RULE_KEEP, .two = fmax},
    {"norm", 0, RULE_KEEP, .vectors = take_norm, .vector_values = 1},
    {"unit", 0, RULE_KEEP, .vectors = take_direction, .vector_values = 1},
    {"dot", 0, RULE_OPEN, .vectors = take_dot, .vector_values = 2},
    {"cross", 0, RULE_OPEN, .vectors = take_cross, .vector_values = 2},
};

bool function_constant(const char *name, size_t length, double *out)
{
  if (length != 2 || strncmp(name, "pi", 2) != 0) return false;
  *out = 3.14159265358979323846;
  return true;
}

const struct function *function_find(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
      return &functions[i];
  return NULL;
}

static bool is_angle(const struct value *v)
{
  static const struct unit radian = {1, 0, {0, 0, 0, 1}};
  return v->measure != MEASURE_UNIT || unit_agrees(&v->unit, &radian);
}

static const char *call_on_vectors(const struct function *f, const struct value *item, int count,
                                   struct value *out)
{
  static const char size_text[] = "takes vectors of one size";
  if (count != f->vector_values) return f->vector_values == 1 ? "takes one vector" : "takes two vectors";
  for (int i = 0; i < count; i++)
    if (item[i].text || item[i].count == 0 || item[i].count != item[0].count) return size_text;
  if (f->vectors == take_cross && item[0].count != 3) return size_text;
  f->vectors(item, out);
  return NULL;
}

const char *function_call(const struct function *f, const struct value *item, int count, struct value *out)
{
  *out =
      (struct value){.measure = f->rule == RULE_KEEP ? item[0].measure : MEASURE_OPEN, .unit = item[0].unit};
  if (!f->values) return call_on_vectors(f, item, count, out);
  if (count != f->values) return f->values == 1 ? "takes one number" : "takes two numbers";
  for (int i = 0; i < count; i++) {
    if (item[i].text || item[i].count) return "takes numbers";
    if (f->rule == RULE_OF_ANGLE && !is_angle(&item[i])) return "takes an angle";
    if (f->rule == RULE_OF_RATIO && item[i].measure == MEASURE_UNIT) return "takes a number without unit";
  }
  if (f->rule == RULE_OF_ANGLE) out->measure = MEASURE_PURE;
  out->number[0] = f->one ? f->one(item[0].number[0]) : f->two(item[0].number[0], item[1].number[0]);
  return NULL;
}

bool function_combine(struct value *a, const struct value *b, int power)
{
  if (a->measure == MEASURE_OPEN || b->measure == MEASURE_OPEN) {
    a->measure = MEASURE_OPEN;
    return true;
  }
  if (b->measure == MEASURE_PURE) return true;
  if (a->measure == MEASURE_PURE) a->unit = (struct unit){.factor = 1};
  a->measure = MEASURE_UNIT;
  /* Factors do not matter: the numbers are in SI. */
  struct unit plain = b->unit;
  plain.factor = 1;
  plain.decimal = 0;
  if (!unit_multiply(&a->unit, &plain, power)) return false;
  for (int i = 0; i < UNIT_BASES; i++)
    if (a->unit.power[i]) return true;
  a->measure = MEASURE_PURE;
  return true;
}
