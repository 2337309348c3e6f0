/* SPDX-License-Identifier: MIT
 * Reads nodes by the tables of the schema. This file knows types and ranges, and no single key. Set-up only. */
#include "yaml/schema.h"
#include "yaml/nearest.h"

#include <ali3/model.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *schema_type(const struct key *k)
{
  /* In the order of enum key_type. */
  static const char *const type[] = {
      [KEY_NUMBER] = "a number",
      [KEY_ANGLE] = "a number",
      [KEY_INTEGER] = "a whole number",
      [KEY_OR_NONE] = "none or a whole number",
      [KEY_WORKERS] = "auto or a whole number",
      [KEY_BOOL] = "true or false",
      [KEY_STRING] = "a text",
      [KEY_CHOICE] = "one of",
      [KEY_VECTOR] = "three numbers [x, y, z]",
      [KEY_QUATERNION] = "four numbers [e0, e1, e2, e3]",
      [KEY_INERTIA] = "three rows of three numbers, or [ixx, iyy, izz]",
      [KEY_TABLE] = "two or more pairs [[x, y], ...]",
      [KEY_SIX] = "six numbers [a, b, c, d, e, f]",
      [KEY_SIX_POINTS] = "six points [[x, y, z], ...]",
      [KEY_SECTION] = "a mapping",
      [KEY_ELEMENT] = "a mapping",
      [KEY_LIST] = "a list of mappings",
      [KEY_LIST_FILE] = "a list of mappings, or {file: PATH}",
      [KEY_LIST_LIKE] = "a list of mappings",
      [KEY_MAP_LIKE] = "a mapping",
      [KEY_VARIABLES] = "a mapping of names to values {NAME: VALUE}",
      [KEY_COPIES] = "a whole number, or a mapping {NAME: [VALUE, ...]}",
  };
  return type[k->type];
}

const char *schema_range(const struct key *k, char *text, size_t size)
{
  const bool low = isfinite(k->min), high = isfinite(k->max);
  size_t used = 0;
  text[0] = '\0';
  if (k->type == KEY_CHOICE)
    for (int i = 0; k->choices[i] && used < size; i++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", k->choices[i]);
  else if (low && high)
    snprintf(text, size, "%s %.10g %s %.10g", k->ends & OPEN_MIN ? "above" : "from", k->min,
             k->ends & OPEN_MAX ? "and below" : "to", k->max);
  else if (low)
    snprintf(text, size, "%s %g", k->ends & OPEN_MIN ? ">" : ">=", k->min);
  return text;
}

const char *schema_expected(const struct key *k, char *text, size_t size)
{
  char range[200];
  schema_range(k, range, sizeof range);
  snprintf(text, size, "%s%s%s%s%s%s", schema_type(k), *range ? " " : "", range, *k->unit ? " (" : "",
           k->unit, *k->unit ? ")" : "");
  return text;
}

static bool refuse_value(const struct key *k, const struct node *n, const char *why, struct report *r)
{
  char expected[200], found[NODE_SHOWN];
  const bool reason = n->why && !*why;
  report_error(r, n->at, "%s: expected %s, found %s%s%s%s", k->name,
               schema_expected(k, expected, sizeof expected), node_show(n, found), reason ? " (" : why,
               reason ? n->why : "", reason ? ")" : "");
  return false;
}

static const char *skip_digits(const char *p)
{
  while (*p >= '0' && *p <= '9') p++;
  return p;
}

/* A whole text that is a decimal number. strtod() also accepts nan, inf, hexadecimals, and the "1" of "1x". */
static bool is_decimal(const char *text, bool integer)
{
  const char *p = text + (*text == '+' || *text == '-');
  const char *whole = skip_digits(p);
  if (integer) return whole > p && !*whole;
  const char *fraction = *whole == '.' ? skip_digits(whole + 1) : whole;
  if (fraction - p - (*whole == '.') < 1) return false;
  if (*fraction == 'e' || *fraction == 'E') {
    p = fraction + 1;
    p += *p == '+' || *p == '-';
    fraction = skip_digits(p);
    if (fraction == p) return false;
  }
  return !*fraction;
}

static bool in_range(const struct key *k, double v)
{
  bool low = k->ends & OPEN_MIN ? v > k->min : v >= k->min;
  bool high = k->ends & OPEN_MAX ? v < k->max : v <= k->max;
  return low && high;
}

static bool read_one_number(const struct key *k, const struct node *n, double *out, struct report *r)
{
  if (n->kind != NODE_SCALAR) return refuse_value(k, n, "", r);
  if (n->quoted && !n->why) return refuse_value(k, n, " (a text: write it without quotes)", r);
  if (!is_decimal(n->text, false)) return refuse_value(k, n, "", r);
  double v = strtod(n->text, NULL);
  if (!isfinite(v)) return refuse_value(k, n, " (too large)", r);
  if (!in_range(k, v)) return refuse_value(k, n, "", r);
  *out = v;
  return true;
}

bool schema_in_degrees(const struct node *n)
{
  static const char unit[] = " deg";
  size_t length = n->kind == NODE_SCALAR ? strlen(n->text) : 0;
  return length > strlen(unit) && strcmp(n->text + length - strlen(unit), unit) == 0;
}

/* "2 deg", or a number in rad. */
static bool read_angle(const struct key *k, const struct node *n, double *out, struct report *r)
{
  static const double DEGREE = 3.14159265358979323846 / 180.0;
  char digits_only[64];
  if (!schema_in_degrees(n)) return read_one_number(k, n, out, r); /* JSON has it in quotes */
  snprintf(digits_only, sizeof digits_only, "%.*s", (int)(strlen(n->text) - strlen(" deg")), n->text);
  double v = strtod(digits_only, NULL) * DEGREE;
  if (!is_decimal(digits_only, false) || !isfinite(v) || !in_range(k, v)) return refuse_value(k, n, "", r);
  *out = v;
  return true;
}

static bool read_integer(const struct key *k, const struct node *n, int *out, struct report *r)
{
  if (n->kind != NODE_SCALAR) return refuse_value(k, n, "", r);
  const char *word = k->type == KEY_OR_NONE ? "none" : k->type == KEY_WORKERS ? "auto" : NULL;
  if (word && strcmp(n->text, word) == 0) { /* JSON has it in quotes */
    *out = -1;
    return true;
  }
  if (n->quoted && !n->why) return refuse_value(k, n, " (a text: write it without quotes)", r);
  if (!is_decimal(n->text, true)) return refuse_value(k, n, "", r);
  errno = 0;
  long v = strtol(n->text, NULL, 10);
  if (errno || v < INT_MIN || v > INT_MAX || !in_range(k, (double)v)) return refuse_value(k, n, "", r);
  *out = (int)v;
  return true;
}

static bool read_bool(const struct key *k, const struct node *n, bool *out, struct report *r)
{
  bool yes = n->kind == NODE_SCALAR && !n->quoted && strcmp(n->text, "true") == 0;
  bool no = n->kind == NODE_SCALAR && !n->quoted && strcmp(n->text, "false") == 0;
  if (!yes && !no) return refuse_value(k, n, "", r);
  *out = yes;
  return true;
}

static bool read_string(const struct key *k, const struct node *n, const char **out, struct report *r)
{
  static const char *const word[] = {"true", "false", "null", "~"};
  if (n->kind != NODE_SCALAR) return refuse_value(k, n, "", r);
  bool other = !n->quoted && is_decimal(n->text, false);
  for (size_t i = 0; i < sizeof word / sizeof *word && !other; i++)
    other = !n->quoted && strcmp(n->text, word[i]) == 0;
  if (other) return refuse_value(k, n, " (put it in quotes to make it a text)", r);
  const bool prose = strcmp(k->name, "description") == 0; /* all other texts are names, paths and addresses */
  if (!prose && strpbrk(n->text, "\n\t")) return refuse_value(k, n, " (expected one line without tabs)", r);
  *out = n->text;
  return true;
}

static bool read_choice(const struct key *k, const struct node *n, int *out, struct report *r)
{
  if (n->kind != NODE_SCALAR) return refuse_value(k, n, "", r);
  for (int i = 0; k->choices[i]; i++)
    if (strcmp(k->choices[i], n->text) == 0) {
      *out = i;
      return true;
    }
  return refuse_value(k, n, "", r);
}

static bool read_numbers(const struct key *k, const struct node *n, int count, double *out, struct report *r)
{
  if (n->kind != NODE_LIST) return refuse_value(k, n, "", r);
  if (n->count != count) {
    char why[40];
    snprintf(why, sizeof why, " of %d", n->count);
    return refuse_value(k, n, why, r);
  }
  struct key one = *k;
  one.type = KEY_NUMBER;
  bool good = true;
  double v[9];
  int i = 0;
  for (const struct node *c = n->first; c; c = c->next) good &= read_one_number(&one, c, &v[i++], r);
  if (good) memcpy(out, v, (size_t)count * sizeof *v);
  return good;
}

static bool read_inertia(const struct key *k, const struct node *n, double *out, struct report *r)
{
  double v[9] = {0};
  bool good = true;
  if (n->kind != NODE_LIST || n->count != 3) return refuse_value(k, n, "", r);
  if (n->first->kind == NODE_LIST) {
    double *row = v;
    for (const struct node *c = n->first; c; c = c->next, row += 3) {
      if (c->kind != NODE_LIST || c->count != 3) return refuse_value(k, c, "", r);
      good &= read_numbers(k, c, 3, row, r);
    }
  } else {
    double diagonal[3] = {0};
    good = read_numbers(k, n, 3, diagonal, r);
    for (int i = 0; i < 3; i++) v[4 * i] = diagonal[i];
  }
  if (good) memcpy(out, v, sizeof v);
  return good;
}

/* A pair of a table. before: the previous pair; NULL: none. */
static bool read_pair(const struct key *k, const struct node *n, const double *before, double out[2],
                      struct report *r)
{
  char found[NODE_SHOWN], count[24] = "";
  if (n->kind != NODE_LIST || n->count != 2) {
    if (n->kind == NODE_LIST) snprintf(count, sizeof count, " of %d", n->count);
    report_error(r, n->at, "%s: expected a pair of numbers [x, y], found %s%s", k->name, node_show(n, found),
                 count);
    return false;
  }
  struct key plain = *k;
  plain.unit = "";
  if (!read_numbers(&plain, n, 2, out, r)) return false;
  if (!before || out[0] > before[0]) return true;
  report_error(r, n->at, "%s: expected the first numbers to rise from pair to pair, found %g after %g",
               k->name, out[0], before[0]);
  return false;
}

/* Reports the first mistake only, because others would follow from it. */
static bool read_table(const struct key *k, const struct node *n, ali3_table *out, struct report *r)
{
  char why[24];
  if (n->kind != NODE_LIST) return refuse_value(k, n, "", r);
  snprintf(why, sizeof why, " of %d", n->count);
  if (n->count < 2) return refuse_value(k, n, why, r);
  double(*point)[2] = malloc((size_t)n->count * sizeof *point);
  if (!point) {
    report_error(r, n->at, "%s: out of memory", k->name);
    return false;
  }
  /* The first numbers rise from pair to pair. */
  bool good = true;
  int i = 0;
  for (const struct node *c = n->first; c && good; c = c->next, i++)
    good = read_pair(k, c, i ? point[i - 1] : NULL, point[i], r);
  if (good)
    *out = (ali3_table){n->count, (const double(*)[2])point};
  else
    free(point);
  return good;
}

static bool read_six_points(const struct key *k, const struct node *n, double out[6][3], struct report *r)
{
  char count[24], found[NODE_SHOWN];
  if (n->kind != NODE_LIST) return refuse_value(k, n, "", r);
  snprintf(count, sizeof count, " of %d", n->count);
  if (n->count != 6) return refuse_value(k, n, count, r);
  bool good = true;
  int i = 0;
  for (const struct node *c = n->first; c; c = c->next, i++) {
    if (c->kind == NODE_LIST && c->count == 3) {
      good &= read_numbers(k, c, 3, out[i], r);
      continue;
    }
    report_error(r, c->at, "%s: expected a point [x, y, z], found %s", k->name, node_show(c, found));
    good = false;
  }
  return good;
}

static bool read_value(const struct key *k, const struct node *n, void *base, struct report *r)
{
  void *at = (char *)base + k->offset;
  switch (k->type) {
  /* Single values. */
  case KEY_NUMBER:
    return read_one_number(k, n, at, r);
  case KEY_ANGLE:
    return read_angle(k, n, at, r);
  case KEY_INTEGER:
  case KEY_OR_NONE:
  case KEY_WORKERS:
    return read_integer(k, n, at, r);
  case KEY_BOOL:
    return read_bool(k, n, at, r);
  case KEY_STRING:
    return read_string(k, n, at, r);
  case KEY_CHOICE:
    return read_choice(k, n, at, r);
  /* Lists of numbers. */
  case KEY_VECTOR:
    return read_numbers(k, n, 3, at, r);
  case KEY_QUATERNION:
    return read_numbers(k, n, 4, at, r);
  case KEY_INERTIA:
    return read_inertia(k, n, at, r);
  case KEY_TABLE:
    return read_table(k, n, at, r);
  case KEY_SIX:
    return read_numbers(k, n, 6, at, r);
  case KEY_SIX_POINTS:
    return read_six_points(k, n, at, r);
  /* Mappings, and lists of mappings, whose elements other files read. */
  case KEY_SECTION:
    return schema_read(k->section, n, base, r);
  case KEY_ELEMENT:
  case KEY_MAP_LIKE:
    return n->kind == NODE_MAP || refuse_value(k, n, "", r);
  case KEY_LIST_FILE:
    if (n->kind == NODE_MAP) return true;
    __attribute__((fallthrough));
  case KEY_LIST_LIKE:
  case KEY_LIST: {
    if (n->kind != NODE_LIST) return refuse_value(k, n, "", r);
    bool good = true;
    for (const struct node *c = n->first; c; c = c->next)
      if (c->kind != NODE_MAP) good = refuse_value(k, c, "", r);
    return good;
  }
  /* The expansion reads them. */
  case KEY_VARIABLES:
  case KEY_COPIES:
    return true;
  }
  return false;
}

/* A default goes through the readers of values, so that the table cannot hold a default that a file could not. */
static void set_default(const struct key *k, void *base, struct report *r)
{
  if (k->type == KEY_SECTION) {
    schema_read(k->section, NULL, base, r);
    return;
  }
  if (!k->fallback || !*k->fallback) return;

  struct node list = {.kind = NODE_LIST}, scalar[4] = {{.kind = NODE_SCALAR}};
  char word[64];
  if (k->type != KEY_VECTOR && k->type != KEY_QUATERNION) {
    scalar[0].text = k->fallback;
    read_value(k, &scalar[0], base, r);
    return;
  }
  /* Several numbers become a list node. */
  snprintf(word, sizeof word, "%s", k->fallback);
  char *rest = NULL;
  for (char *w = strtok_r(word, "[, ]", &rest); w && list.count < 4; w = strtok_r(NULL, "[, ]", &rest)) {
    struct node *n = &scalar[list.count];
    *n = (struct node){.kind = NODE_SCALAR, .text = w};
    if (list.count++) n[-1].next = n;
  }
  list.first = scalar;
  read_value(k, &list, base, r);
}

bool schema_read_key(const struct key *k, const struct node *n, void *at, struct report *r)
{
  struct key here = *k;
  here.offset = 0;
  if (n) return read_value(&here, n, at, r);
  set_default(&here, at, r);
  return true;
}

static void report_unknown(const struct section *s, const struct node *n, struct report *r)
{
  struct nearest near = {.word = n->key};
  for (int i = 0; i < s->keys; i++) nearest_try(&near, s->key[i].name);
  if (near.best) {
    report_error(r, n->key_at, "unknown key \"%.40s\" in %s; did you mean \"%s\"?", n->key, s->title,
                 near.best);
    return;
  }
  char known[300];
  size_t used = 0;
  for (int i = 0; i < s->keys && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", s->key[i].name);
  report_error(r, n->key_at, "unknown key \"%.40s\" in %s; expected one of: %s", n->key, s->title, known);
}

/* --- keys that only some choices have --- */

static int find_word(const struct key *k, const char *word)
{
  for (int i = 0; k->choices[i]; i++)
    if (strcmp(k->choices[i], word) == 0) return i;
  return -1;
}

static const struct key *find_section_key(const struct section *s, const char *name)
{
  for (int i = 0; i < s->keys; i++)
    if (strcmp(s->key[i].name, name) == 0) return &s->key[i];
  return NULL;
}

/* The choice of the key section.by; -1: it is missing or wrong, which is reported elsewhere. */
static int choice_in(const struct key *by, const struct node *map)
{
  const struct node *n = node_find(map, by->name);
  if (n) return n->kind == NODE_SCALAR ? find_word(by, n->text) : -1;
  return by->fallback ? find_word(by, by->fallback) : -1;
}

/* Reports keys that the choice does not take, and keys that it needs. */
static bool check_choice(const struct section *s, const struct node *map, struct report *r)
{
  const struct key *by = find_section_key(s, s->by);
  const int choice = choice_in(by, map), before = r->errors;
  for (int i = 0; choice >= 0 && i < s->keys; i++) {
    const struct key *k = &s->key[i];
    const struct node *n = node_find(map, k->name);
    const char *word = by->choices[choice];
    char expected[200];
    if (n && k->only && !(k->only >> choice & 1))
      report_error(r, n->key_at, "\"%s\" has no meaning for the %s %s; remove it", k->name, s->by, word);
    if (!n && k->needed >> choice & 1)
      report_error(r, map->at, "missing key \"%s\" in %s of %s %s: expected %s", k->name, s->title, s->by,
                   word, schema_expected(k, expected, sizeof expected));
  }
  return r->errors == before;
}

bool schema_read(const struct section *s, const struct node *map, void *base, struct report *r)
{
  for (int i = 0; i < s->keys; i++) set_default(&s->key[i], base, r);
  if (!map) return true;
  if (map->kind != NODE_MAP) {
    char found[NODE_SHOWN];
    report_error(r, map->at, "expected the keys of %s, found %s%s", s->title, node_show(map, found),
                 map->kind == NODE_NOTHING ? " (write {} to take every default)" : "");
    return false;
  }

  /* Read each key of the mapping. */
  bool seen[SECTION_KEYS_MAX] = {0};
  bool good = true;
  for (const struct node *n = map->first; n; n = n->next) {
    int i = 0;
    while (i < s->keys && strcmp(s->key[i].name, n->key) != 0) i++;
    if (i == s->keys) {
      report_unknown(s, n, r);
      good = false;
    } else {
      seen[i] = true;
      good &= read_value(&s->key[i], n, base, r);
    }
  }
  /* Report the required keys that are missing. */
  for (int i = 0; i < s->keys; i++)
    if (!s->key[i].fallback && !seen[i]) {
      char expected[200];
      report_error(r, map->at, "missing key \"%s\" in %s: expected %s", s->key[i].name, s->title,
                   schema_expected(&s->key[i], expected, sizeof expected));
      good = false;
    }
  return (!s->by || check_choice(s, map, r)) && good;
}

const struct section *schema_variant(const struct section *s, const struct node *map)
{
  const int variant = s->variants ? choice_in(find_section_key(s, s->by), map) - s->variant_first : -1;
  return variant >= 0 && variant < s->variant_count ? &s->variants[variant] : s;
}
