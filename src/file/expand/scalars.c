/* SPDX-License-Identifier: MIT
 * Replaces the expressions of scalars by their values. A scalar that is no expression stays, with the reason. The code that reads
 * the key reports it, because it knows what the key expects. */
#include "expand/expand_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4000 };

/* The words none and auto, and words of people who mistake a key: without parameters they are no attempt at an expression. */
static bool is_foreign_word(const char *text, const struct scope *s)
{
  while (s && s->count == 0) s = s->outer;
  return !s && !strpbrk(text, "+*/()[]${} ");
}

static void keep_remark(struct expander *e, struct node *n, const char *why)
{
  n->why = yaml_copy_text(e->tree, why, strlen(why));
}

static bool set_node_text(struct expander *e, struct node *n, const char *text)
{
  n->text = yaml_copy_text(e->tree, text, strlen(text));
  if (!n->text) n->text = "";
  return *n->text || !*text || fail_expansion(e, n->at, "out of memory");
}

/* --- numbers --- */

/* Converts a value from SI to the unit of the key. False: they measure different things, or the value is no number. */
static bool convert_to_key(const struct value *v, const struct expand_key *k, double *out,
                           char why[REASON_SIZE])
{
  struct unit unit;
  if (v->measure != MEASURE_UNIT) return true;
  if (!unit_of_key(k->unit, &v->unit, &unit)) {
    snprintf(why, REASON_SIZE, *k->unit ? "the value has another unit" : "the key has no unit");
    return false;
  }
  if (unit.factor == 1 && unit.decimal == 0) return true;
  /* 5 deg is 5 again in a key in degrees. */
  char digits[DECIMAL_SIZE];
  const double one = unit_apply(&unit, 1.0);
  for (int i = 0; i < (v->count ? v->count : 1); i++) {
    snprintf(digits, sizeof digits, "%.15g", v->number[i] / one);
    out[i] = strtod(digits, NULL);
  }
  return true;
}

/* Computes the value of a scalar in the unit of its key. */
static bool compute_scalar(const struct node *n, const struct expand_key *k, const struct scope *s,
                           struct value *v, double out[NUMBERS_MOST], char why[REASON_SIZE])
{
  if (!expression_evaluate(n->text, s, v, why)) return false;
  if (v->text) {
    snprintf(why, REASON_SIZE, "the value is the text \"%.40s\"", v->text);
    return false;
  }
  memcpy(out, v->number, sizeof v->number);
  return convert_to_key(v, k, out, why);
}

static void evaluate_scalar_number(struct expander *e, struct node *n, const struct expand_key *k,
                                   const struct scope *s)
{
  char why[REASON_SIZE], text[DECIMAL_SIZE];
  struct value v;
  double out[NUMBERS_MOST];
  if (expression_is_decimal(n->text)) return;
  if (!compute_scalar(n, k, s, &v, out, why)) {
    if (!is_foreign_word(n->text, s)) keep_remark(e, n, why);
  } else if (v.count) {
    keep_remark(e, n, "the value is a vector");
  } else {
    /* The reader checks the value, and its messages show the expression. */
    snprintf(why, sizeof why, "the value is %.6g", out[0]);
    keep_remark(e, n, why);
    n->written = n->text;
    n->quoted = false;
    set_node_text(e, n, decimal_text(out[0], text));
  }
}

/* A scalar in place of a list of numbers: its value is a vector. */
static void evaluate_scalar_vector(struct expander *e, struct node *n, const struct expand_key *k,
                                   const struct scope *s)
{
  char why[REASON_SIZE];
  struct value v;
  double out[NUMBERS_MOST];
  if (expression_is_decimal(n->text)) return;
  if (!compute_scalar(n, k, s, &v, out, why)) {
    if (!is_foreign_word(n->text, s)) keep_remark(e, n, why);
    return;
  }
  /* The value has the length of the vector. */
  if (v.count != k->count) {
    snprintf(why, sizeof why, v.count ? "the value has %d components" : "the value is one number", v.count);
    keep_remark(e, n, why);
    return;
  }
  struct node holder = {.kind = NODE_MAP, .at = n->at};
  if (!node_put_numbers(e, &holder, "v", out, v.count)) return;
  n->kind = NODE_LIST;
  n->quoted = false;
  n->text = "";
  n->count = v.count;
  n->first = holder.first->first;
  for (struct node *c = n->first; c; c = c->next) c->at = c->key_at = n->at;
}

/* --- texts --- */

/* Appends a value to a text of `used` characters. False: it does not fit, or is a vector. */
static bool add_to_text(char text[TEXT_MOST], size_t *used, const struct value *v)
{
  char number[DECIMAL_SIZE];
  if (v->count) return false;
  const char *part = v->text ? v->text : decimal_text(v->number[0], number);
  const size_t length = strlen(part);
  if (*used + length >= TEXT_MOST) return false;
  memcpy(text + *used, part, length + 1);
  *used += length;
  return true;
}

/* Replaces every ${...} of a text. False with the reason. */
static bool substitute_in_text(const char *from, const struct scope *s, char text[TEXT_MOST],
                               char why[REASON_SIZE])
{
  size_t used = 0;
  text[0] = '\0';
  while (*from) {
    if (from[0] == '$' && from[1] == '{') {
      struct value v;
      if (!expression_in_braces(from + 2, s, &v, &from, why)) return false;
      from++;
      if (add_to_text(text, &used, &v)) continue;
    } else if (used + 1 < TEXT_MOST) {
      text[used++] = *from++;
      text[used] = '\0';
      continue;
    }
    snprintf(why, REASON_SIZE, "expected a number or a word in ${...} of a shorter text");
    return false;
  }
  return true;
}

static void evaluate_text(struct expander *e, struct node *n, bool word, const struct scope *s)
{
  char text[TEXT_MOST], why[REASON_SIZE];
  if (!strstr(n->text, "${")) return;
  if (!substitute_in_text(n->text, s, text, why)) {
    report_error(e->report, n->at, "%s%s${...}: %s", n->key ? n->key : "", n->key ? ": " : "", why);
    return;
  }
  n->quoted = !word;
  set_node_text(e, n, text);
}

void scalar_evaluate(struct expander *e, struct node *n, const struct expand_key *k, const struct scope *s)
{
  switch (k->kind) {
  /* Numbers. */
  case EXPAND_NUMBER:
    evaluate_scalar_number(e, n, k, s);
    break;
  case EXPAND_NUMBERS:
  case EXPAND_ORIENTATION:
    evaluate_scalar_vector(e, n, k, s);
    break;
  case EXPAND_TEXT:
  case EXPAND_WORD:
    evaluate_text(e, n, k->kind == EXPAND_WORD, s);
    break;
  case EXPAND_MAP:
  case EXPAND_LIST:
  case EXPAND_VALUES:
  case EXPAND_LATER:
    break;
  }
}

/* --- values of parameters --- */

static bool take_text(struct expander *e, const struct node *n, const char *text, struct value *out)
{
  *out = (struct value){.text = yaml_copy_text(e->tree, text, strlen(text)), .measure = MEASURE_OPEN};
  return out->text || fail_expansion(e, n->at, "out of memory");
}

/* A scalar that is an expression has its value. A word that names no parameter, and any other quoted scalar, is a text. */
static bool scalar_as_value(struct expander *e, const struct node *n, const struct scope *s,
                            struct value *out)
{
  char text[TEXT_MOST], why[REASON_SIZE];
  const bool word = expression_is_word(n->text);
  const bool named = word && scope_find(s, n->text, strlen(n->text));
  const bool constant = word && strcmp(n->text, "pi") == 0;
  if ((!word || ((named || constant) && !n->quoted)) && !(n->quoted && expression_is_decimal(n->text)) &&
      expression_evaluate(n->text, s, out, why)) {
    if (out->measure == MEASURE_PURE) out->measure = MEASURE_OPEN;
    return true;
  }
  if (word || n->quoted || strstr(n->text, "${"))
    if (substitute_in_text(n->text, s, text, why)) return take_text(e, n, text, out);
  report_error(e->report, n->at, "expected a number, a word or an expression, found \"%.40s\" (%s)", n->text,
               why);
  return false;
}

bool scalar_value(struct expander *e, const struct node *n, const struct scope *s, struct value *out)
{
  char found[NODE_SHOWN];
  if (n->kind == NODE_SCALAR) return scalar_as_value(e, n, s, out);
  if (n->kind != NODE_LIST || n->count == 0 || n->count > NUMBERS_MOST) {
    report_error(e->report, n->at, "expected a number, a word or a list of up to %d numbers, found %s",
                 NUMBERS_MOST, node_show(n, found));
    return false;
  }
  /* Read the numbers of a list. Unequal measures make the vector open. */
  *out = (struct value){0};
  for (const struct node *c = n->first; c; c = c->next) {
    struct value one;
    if (c->kind != NODE_SCALAR)
      return fail_expansion(e, c->at, "expected a number in the list of a parameter");
    if (!scalar_as_value(e, c, s, &one)) return false;
    if (one.text || one.count)
      return fail_expansion(e, c->at, "expected a number in the list of a parameter");
    if (out->count == 0) {
      out->measure = one.measure;
      out->unit = one.unit;
    } else if (out->measure != one.measure || !unit_agrees(&out->unit, &one.unit)) {
      out->measure = MEASURE_OPEN;
    }
    out->number[out->count++] = one.number[0];
  }
  return true;
}
