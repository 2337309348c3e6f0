/* SPDX-License-Identifier: MIT
 * Recursive descent: sum, product, sign, then numbers, names, functions, brackets and units. */
#include "expand/expression.h"

#include "expand/expression_parts.h"
#include "yaml/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 40 };

struct reading {
  const char *at;
  const struct scope *scope;
  int depth;
  char *why;
};

static bool read_sum(struct reading *r, struct value *out);

static bool fail_expression(struct reading *r, const char *text)
{
  snprintf(r->why, REASON_SIZE, "%s", text);
  return false;
}

static bool fail_expression_at(struct reading *r, const char *text, const char *found)
{
  if (*found)
    snprintf(r->why, REASON_SIZE, "%s at \"%.40s\"", text, found);
  else
    snprintf(r->why, REASON_SIZE, "%s at the end", text);
  return false;
}

static bool fail_unit(struct reading *r, const char *name, size_t length)
{
  snprintf(r->why, REASON_SIZE, "no unit is called \"%.*s\"", (int)(length < 40 ? length : 40), name);
  return false;
}

static void skip_spaces(struct reading *r)
{
  while (*r->at == ' ') r->at++;
}

static bool is_name_start(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const char *p)
{
  size_t n = 0;
  while (is_name_start(p[n]) || (n > 0 && p[n] >= '0' && p[n] <= '9')) n++;
  return n;
}

/* Digits with at most one point, and an exponent. 0: no number. */
static size_t number_length(const char *p)
{
  const size_t whole = strspn(p, "0123456789");
  size_t n = whole;
  if (p[n] == '.') {
    const size_t fraction = strspn(p + n + 1, "0123456789");
    if (whole + fraction == 0) return 0;
    n += 1 + fraction;
  }
  if (n > 0 && (p[n] == 'e' || p[n] == 'E')) {
    const size_t sign = p[n + 1] == '+' || p[n + 1] == '-';
    const size_t digits = strspn(p + n + 1 + sign, "0123456789");
    if (digits) n += 1 + sign + digits;
  }
  return n;
}

bool expression_is_decimal(const char *text)
{
  const char *p = text + (*text == '+' || *text == '-');
  const size_t length = number_length(p);
  return length > 0 && !p[length];
}

bool expression_is_word(const char *text)
{
  if (!is_name_start(*text)) return false;
  while (is_name_start(*text) || (*text >= '0' && *text <= '9') || *text == '-') text++;
  return !*text;
}

bool expression_is_free_name(const char *text)
{
  const size_t length = name_length(text);
  double pi;
  return length > 0 && !text[length] && !function_constant(text, length, &pi) && !function_find(text, length);
}

const struct value *scope_find(const struct scope *s, const char *name, size_t length)
{
  for (; s; s = s->outer)
    for (int i = s->count - 1; i >= 0; i--)
      if (strlen(s->item[i].name) == length && strncmp(s->item[i].name, name, length) == 0)
        return &s->item[i].value;
  return NULL;
}

/* b is one number. */
static bool multiply_values(struct reading *r, struct value *a, const struct value *b, bool divide)
{
  if (a->text || b->text) return fail_expression(r, "expected numbers on both sides of * and /");
  if (b->count)
    return fail_expression(r, "a vector is multiplied or divided by one number; write dot or cross");
  for (int i = 0; i < (a->count ? a->count : 1); i++)
    a->number[i] = divide ? a->number[i] / b->number[0] : a->number[i] * b->number[0];
  return function_combine(a, b, divide ? -1 : 1) || fail_expression(r, "the unit has too large a power");
}

/* A unit may follow a number or a closing bracket. */
static bool read_unit_behind(struct reading *r, struct value *v, const char *digits, size_t length)
{
  const char *p = r->at;
  while (*p == ' ') p++;
  if (!is_name_start(*p)) return true;
  struct unit u;
  char name[40];
  if (!unit_read(p, &u, &r->at, name, sizeof name)) return fail_unit(r, name, strlen(name));
  if (is_name_start(*r->at) || (*r->at >= '0' && *r->at <= '9')) return fail_unit(r, p, name_length(p));
  /* Take the numbers to SI. */
  if (digits) {
    v->number[0] = unit_apply_to_text(&u, digits, length);
  } else if (v->measure == MEASURE_UNIT || v->text) {
    return fail_expression(r, "the brackets have a unit already");
  } else {
    for (int i = 0; i < (v->count ? v->count : 1); i++) v->number[i] = unit_apply(&u, v->number[i]);
  }
  v->measure = MEASURE_UNIT;
  v->unit = u;
  return true;
}

/* Numbers between a bracket and `close`. */
static bool read_list(struct reading *r, char close, struct value *item, int most, int *count)
{
  for (*count = 0;; (*count)++) {
    if (*count == most) return fail_expression(r, "too many values in brackets");
    if (!read_sum(r, &item[*count])) return false;
    skip_spaces(r);
    if (*r->at == close) break;
    if (*r->at != ',') return fail_expression_at(r, "expected a comma or a closing bracket", r->at);
    r->at++;
  }
  r->at++;
  (*count)++;
  return true;
}

static bool read_vector(struct reading *r, struct value *out)
{
  struct value item[4];
  int count;
  if (!read_list(r, ']', item, 4, &count)) return false;
  *out = (struct value){.count = count, .measure = item[0].measure, .unit = item[0].unit};
  for (int i = 0; i < count; i++) {
    if (item[i].text || item[i].count) return fail_expression(r, "expected numbers in [...]");
    out->number[i] = item[i].number[0];
    if (item[i].measure != out->measure || !unit_agrees(&item[i].unit, &out->unit))
      out->measure = MEASURE_OPEN;
  }
  return true;
}

static bool fail_unknown_name(struct reading *r, const char *name, size_t length)
{
  char word[40];
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  struct nearest near = {.word = word};
  for (const struct scope *s = r->scope; s; s = s->outer)
    for (int i = 0; i < s->count; i++) nearest_try(&near, s->item[i].name);
  if (near.best)
    snprintf(r->why, REASON_SIZE, "no parameter is called \"%s\"; did you mean \"%.30s\"?", word, near.best);
  else
    snprintf(r->why, REASON_SIZE, "no parameter is called \"%s\"", word);
  return false;
}

static bool read_named_value(struct reading *r, struct value *out)
{
  const char *name = r->at;
  const size_t length = name_length(name);
  r->at += length;
  const struct value *known = scope_find(r->scope, name, length);
  if (known) {
    *out = *known;
    return true;
  }
  *out = (struct value){.measure = MEASURE_PURE};
  if (function_constant(name, length, &out->number[0])) return true;
  const struct function *f = function_find(name, length);
  if (!f || *r->at != '(') return fail_unknown_name(r, name, length);

  /* A function of one value or more. */
  struct value item[FUNCTION_VALUES_MOST];
  int count;
  r->at++;
  if (!read_list(r, ')', item, FUNCTION_VALUES_MOST, &count)) return false;
  const char *wrong = function_call(f, item, count, out);
  if (wrong) snprintf(r->why, REASON_SIZE, "%.*s %s", (int)length, name, wrong);
  return !wrong;
}

/* ".x", ".y", ".z" behind a vector. */
static bool read_component(struct reading *r, struct value *v)
{
  if (*r->at != '.' || v->text || !v->count) return true;
  const int i = r->at[1] - 'x';
  if (i < 0 || i >= v->count || name_length(r->at + 1) != 1)
    return fail_expression(r, "expected .x, .y or .z behind a vector");
  v->number[0] = v->number[i];
  v->count = 0;
  r->at += 2;
  return true;
}

static bool read_primary(struct reading *r, struct value *out)
{
  skip_spaces(r);
  const char *p = r->at;
  const size_t length = number_length(p);
  if (length) {
    *out = (struct value){.number = {strtod(p, NULL)}, .measure = MEASURE_PURE};
    r->at += length;
    return read_unit_behind(r, out, p, length);
  }
  /* Names, vectors and brackets. */
  if (is_name_start(*p)) return read_named_value(r, out) && read_component(r, out);
  if (*p == '[') {
    r->at++;
    return read_vector(r, out) && read_component(r, out);
  }
  const bool braces = p[0] == '$' && p[1] == '{';
  if (*p != '(' && !braces) return fail_expression_at(r, "expected a number or a name", p);
  r->at += braces ? 2 : 1;
  if (!read_sum(r, out)) return false;
  skip_spaces(r);
  if (*r->at != (braces ? '}' : ')')) return fail_expression(r, "a closing bracket is missing");
  r->at++;
  return read_component(r, out) && read_unit_behind(r, out, NULL, 0);
}

static bool read_sign(struct reading *r, struct value *out)
{
  skip_spaces(r);
  if (*r->at != '-' && *r->at != '+') return read_primary(r, out);
  const bool minus = *r->at++ == '-';
  if (++r->depth > NESTED_MOST) return fail_expression(r, "the expression is nested too deeply");
  if (!read_sign(r, out)) return false;
  r->depth--;
  if (out->text) return fail_expression(r, "expected a number behind the sign");
  for (int i = 0; minus && i < (out->count ? out->count : 1); i++) out->number[i] = -out->number[i];
  return true;
}

static bool read_product(struct reading *r, struct value *out)
{
  if (!read_sign(r, out)) return false;
  for (;;) {
    skip_spaces(r);
    const char sign = *r->at;
    if (sign != '*' && sign != '/') return true;
    if (r->at[1] == '*') return fail_expression(r, "write pow(a, b) for a power");
    r->at++;
    struct value b;
    if (!read_sign(r, &b)) return false;
    if (out->count == 0 && b.count) { /* a number times a vector: the vector keeps its place */
      struct value a = b;
      if (sign == '/') return fail_expression(r, "a number cannot be divided by a vector");
      if (!multiply_values(r, &a, out, false)) return false;
      *out = a;
    } else if (!multiply_values(r, out, &b, sign == '/')) {
      return false;
    }
  }
}

static bool add_values(struct reading *r, struct value *a, const struct value *b, double sign)
{
  if (a->text || b->text) return fail_expression(r, "expected numbers on both sides of + and -");
  if (a->count != b->count)
    return fail_expression(r, "the two sides of + or - have different numbers of components");
  if (a->measure == MEASURE_UNIT && b->measure == MEASURE_UNIT && !unit_agrees(&a->unit, &b->unit))
    return fail_expression(r, "the two sides of + or - have different units");
  const bool one_pure = (a->measure == MEASURE_PURE) != (b->measure == MEASURE_PURE);
  if (one_pure && (a->measure == MEASURE_UNIT || b->measure == MEASURE_UNIT))
    return fail_expression(r, "one side of + or - has a unit and the other has none");
  for (int i = 0; i < (a->count ? a->count : 1); i++) a->number[i] += sign * b->number[i];
  if (b->measure == MEASURE_UNIT) a->unit = b->unit;
  if (b->measure > a->measure) a->measure = b->measure;
  return true;
}

static bool read_sum(struct reading *r, struct value *out)
{
  if (++r->depth > NESTED_MOST) return fail_expression(r, "the expression is nested too deeply");
  if (!read_product(r, out)) return false;
  for (;;) {
    skip_spaces(r);
    const char sign = *r->at;
    if (sign != '+' && sign != '-') break;
    r->at++;
    struct value b;
    if (!read_product(r, &b) || !add_values(r, out, &b, sign == '-' ? -1.0 : 1.0)) return false;
  }
  r->depth--;
  return true;
}

static bool check_result(struct reading *r, const struct value *v)
{
  for (int i = 0; !v->text && i < (v->count ? v->count : 1); i++)
    if (!isfinite(v->number[i])) return fail_expression(r, "the result is not a finite number");
  return true;
}

bool expression_in_braces(const char *text, const struct scope *s, struct value *out, const char **end,
                          char why[REASON_SIZE])
{
  struct reading r = {.at = text, .scope = s, .why = why};
  if (!read_sum(&r, out)) return false;
  skip_spaces(&r);
  *end = r.at;
  if (*r.at != '}') return fail_expression_at(&r, "expected }", r.at);
  return check_result(&r, out);
}

bool expression_evaluate(const char *text, const struct scope *s, struct value *out, char why[REASON_SIZE])
{
  struct reading r = {.at = text, .scope = s, .why = why};
  if (!read_sum(&r, out)) return false;
  skip_spaces(&r);
  if (*r.at) return fail_expression_at(&r, "expected the end", r.at);
  return check_result(&r, out);
}
