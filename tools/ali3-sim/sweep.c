/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include "command/option_number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long RUNS_MAX = 10000000;

/* ---- the file ---- */

static bool is_word_of(const char *word, const char *const *list)
{
  for (int i = 0; list[i]; i++)
    if (strcmp(list[i], word) == 0) return true;
  return false;
}

/* Reports keys that the mapping may not have, and keys that it has twice. */
static void check_sweep_keys(const struct node *map, const char *const *known, const char *expected,
                             struct report *r)
{
  for (const struct node *n = map->first; n; n = n->next) {
    if (!is_word_of(n->key, known))
      report_error(r, n->key_at, "unknown key \"%.40s\": expected %s", n->key, expected);
    else if (node_find(map, n->key) != n)
      report_error(r, n->key_at, "duplicate key \"%s\": remove one of the two", n->key);
  }
}

static bool read_real(const struct node *n, double *out, struct report *r)
{
  char shown[NODE_SHOWN];
  if (n->kind == NODE_SCALAR && !n->quoted && option_number(n->text, -DBL_MAX, DBL_MAX, out)) return true;
  report_error(r, n->at, "%s: expected a number, found %s", n->key ? n->key : "list", node_show(n, shown));
  return false;
}

static long read_whole(const struct node *n, long least, long most, long fallback, struct report *r)
{
  char shown[NODE_SHOWN];
  long value = fallback;
  if (n && (n->kind != NODE_SCALAR || n->quoted || !option_count(n->text, least, most, &value)))
    report_error(r, n->at, "%s: expected a whole number from %ld to %ld, found %s", n->key, least, most,
                 node_show(n, shown));
  return value;
}

/* [a, b] */
static bool read_two_reals(const struct node *n, struct sweep_parameter *p, struct report *r)
{
  if (n->kind == NODE_LIST && n->count == 2)
    return read_real(n->first, &p->a, r) && read_real(n->first->next, &p->b, r);
  report_error(r, n->at, "%s: expected two numbers, %s", n->key,
               p->kind == SWEEP_NORMAL ? "[mean, standard deviation]" : "[least, most]");
  return false;
}

/* Values are words of a CSV file. */
static void read_values(const struct node *n, struct sweep_parameter *p, struct report *r)
{
  char shown[NODE_SHOWN];
  p->values = n;
  p->count = n->count;
  if (n->kind != NODE_LIST || n->count == 0) {
    report_error(r, n->at, "values: expected a list of one or more numbers or words, found %s",
                 node_show(n, shown));
    return;
  }
  for (const struct node *v = n->first; v; v = v->next)
    if (v->kind != NODE_SCALAR || strlen(v->text) >= SWEEP_VALUE || strpbrk(v->text, ",\"\n"))
      report_error(r, v->at,
                   "values: expected a number or a word of at most %d characters without , and \", found %s",
                   SWEEP_VALUE - 1, node_show(v, shown));
}

static void read_range(const struct node *map, struct sweep_parameter *p, struct report *r)
{
  const struct node *to = node_find(map, "to"), *count = node_find(map, "count"),
                    *log = node_find(map, "log");
  if (!to || !count) {
    report_error(r, map->at, "missing key \"%s\" beside \"from\": expected %s", to ? "count" : "to",
                 to ? "the number of values" : "the last value");
    return;
  }
  if (!read_real(node_find(map, "from"), &p->a, r) || !read_real(to, &p->b, r)) return;
  p->count = read_whole(count, 2, RUNS_MAX, 2, r);
  p->log = log && log->kind == NODE_SCALAR && strcmp(log->text, "true") == 0;
  if (log && !p->log && (log->kind != NODE_SCALAR || strcmp(log->text, "false") != 0))
    report_error(r, log->at, "log: expected true or false");
  if (p->log && (p->a <= 0 || p->b <= 0))
    report_error(r, map->at, "log: expected from and to above 0, found %g and %g", p->a, p->b);
}

static void read_parameter(struct sweep *s, const struct node *n, struct report *r)
{
  static const char *const known[] = {"key", "values",  "from",   "to", "count",
                                      "log", "uniform", "normal", NULL};
  static const char *const kind[] = {"values", "from", "uniform", "normal"};
  struct sweep_parameter *p = &s->parameter[s->parameters++];
  *p = (struct sweep_parameter){.count = 1};
  if (n->kind != NODE_MAP) {
    report_error(r, n->at, "expected a mapping with the key \"key\"");
    return;
  }
  /* Read the path, and find the kind. */
  check_sweep_keys(n, known, "key, values, from, to, count, log, uniform or normal", r);
  const struct node *key = node_find(n, "key");
  if (!key || key->kind != NODE_SCALAR || strpbrk(key->text, "=,\"\n"))
    report_error(r, n->at, "key: expected the path of a key, such as model.bodies.NAME.mass");
  else
    p->key = key->text;
  int kinds = 0;
  for (int k = SWEEP_VALUES; k <= SWEEP_NORMAL; k++)
    if (node_find(n, kind[k])) {
      p->kind = (enum sweep_kind)k;
      kinds++;
    }
  if (kinds != 1) {
    report_error(r, n->at, "expected one of the keys values, from, uniform and normal, found %d", kinds);
    return;
  }
  /* Read the values of the kind. */
  const struct node *values = node_find(n, kind[p->kind]);
  if (p->kind == SWEEP_VALUES)
    read_values(values, p, r);
  else if (p->kind == SWEEP_RANGE)
    read_range(n, p, r);
  else if (read_two_reals(values, p, r) && (p->kind == SWEEP_NORMAL ? p->b < 0 : p->b < p->a))
    report_error(r, values->at, "%s: expected %s, found %g and %g", values->key,
                 p->kind == SWEEP_NORMAL ? "a standard deviation >= 0" : "the smaller number first", p->a,
                 p->b);
}

static void read_sweep(struct sweep *s, struct report *r)
{
  static const char *const known[] = {"seed", "repeats", "parameters", NULL};
  const struct node *root = s->file.root, *list = node_find(root, "parameters");
  if (root->kind != NODE_MAP || !list || list->kind != NODE_LIST || list->count == 0) {
    report_error(r, root->at, "expected a mapping with the list \"parameters\"");
    return;
  }
  /* Read the numbers, then each parameter. */
  check_sweep_keys(root, known, "seed, repeats or parameters", r);
  s->seed = (uint64_t)read_whole(node_find(root, "seed"), 0, INT32_MAX, 0, r);
  s->runs = s->repeats = read_whole(node_find(root, "repeats"), 1, RUNS_MAX, 1, r);
  s->parameter = calloc((size_t)list->count, sizeof *s->parameter);
  if (!s->parameter) {
    report_error(r, list->at, "out of memory");
    return;
  }
  for (const struct node *n = list->first; n; n = n->next) read_parameter(s, n, r);
  /* Count the runs. */
  for (int i = 0; i < s->parameters && r->errors == 0; i++) {
    if (s->parameter[i].count > RUNS_MAX / s->runs)
      report_error(r, list->at, "parameters: expected at most %ld runs, found more", RUNS_MAX);
    else
      s->runs *= s->parameter[i].count;
  }
}

bool sweep_open(struct sweep *s, const char *file)
{
  struct report r = {.out = stderr};
  *s = (struct sweep){0};
  if (yaml_read(&s->file, file, &r)) read_sweep(s, &r);
  report_end(&r);
  return r.errors == 0;
}

void sweep_free(struct sweep *s)
{
  free(s->parameter);
  yaml_free(&s->file);
  *s = (struct sweep){0};
}

/* ---- values ---- */

/* splitmix64 */
static uint64_t mix_bits(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* A number in (0, 1) that depends on the seed, the run, the parameter and the draw alone. */
static double draw_number(const struct sweep *s, long run, int parameter, int draw)
{
  const uint64_t bits =
      mix_bits(mix_bits(mix_bits(s->seed) ^ (uint64_t)run) ^ (uint64_t)(2 * parameter + draw));
  return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

/* The place in the grid; the first parameter changes fastest, and repeats slowest. */
static long grid_index(const struct sweep *s, long run, int parameter)
{
  for (int i = 0; i < parameter; i++) run /= s->parameter[i].count;
  return run % s->parameter[parameter].count;
}

static double range_value(const struct sweep_parameter *p, long i)
{
  const double part = (double)i / (double)(p->count - 1);
  if (i == p->count - 1) return p->b;
  return p->log ? p->a * pow(p->b / p->a, part) : p->a + part * (p->b - p->a);
}

void sweep_value(const struct sweep *s, long run, int parameter, char text[SWEEP_VALUE])
{
  const struct sweep_parameter *p = &s->parameter[parameter];
  const long index = grid_index(s, run, parameter);
  const double u = draw_number(s, run, parameter, 0), v = draw_number(s, run, parameter, 1);
  const struct node *n = p->values ? p->values->first : NULL;
  switch (p->kind) {
  case SWEEP_VALUES:
    for (long i = 0; i < index; i++) n = n->next;
    snprintf(text, SWEEP_VALUE, "%s", n->text);
    break;
  case SWEEP_RANGE:
    snprintf(text, SWEEP_VALUE, "%.17g", range_value(p, index));
    break;
  case SWEEP_UNIFORM:
    snprintf(text, SWEEP_VALUE, "%.17g", p->a + u * (p->b - p->a));
    break;
  case SWEEP_NORMAL: /* Box and Muller */
    snprintf(text, SWEEP_VALUE, "%.17g", p->a + p->b * sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v));
    break;
  }
}
