/* SPDX-License-Identifier: MIT
 * Prints the tables of keys as a JSON Schema, draft-07, which YAML language servers of editors support best. A section whose
 * keys depend on a type has if and then for each type, so that an editor offers the keys of the type only. */
#include "expand/units.h"
#include "manual/manual.h"
#include "settings/values.h"

#include <jansson.h>
#include <string.h>

/* json_object_set_new() reports an error for NULL, so that only the end has to check `failed`. */
struct writer {
  json_t *definitions;               /* sections by name */
  const struct section *section[64]; /* sections that have a definition */
  int sections;
  bool failed;
};

static void put_member(struct writer *w, json_t *object, const char *name, json_t *value)
{
  if (json_object_set_new(object, name, value)) w->failed = true;
}

static void append_value(struct writer *w, json_t *array, json_t *value)
{
  if (json_array_append_new(array, value)) w->failed = true;
}

/* --- values --- */

static void put_range(struct writer *w, json_t *value, const struct key *k)
{
  if (isfinite(k->min))
    put_member(w, value, k->ends & OPEN_MIN ? "exclusiveMinimum" : "minimum", json_real(k->min));
  if (isfinite(k->max))
    put_member(w, value, k->ends & OPEN_MAX ? "exclusiveMaximum" : "maximum", json_real(k->max));
}

/* A value, or an expression in place of it. */
static json_t *or_expression(const struct key *k, json_t *value)
{
  return json_pack("{s:[o, {s:s}]}", "anyOf", value, "$ref",
                   k->min >= 0 ? "#/definitions/an_expression" : "#/definitions/an_expression_with_sign");
}

/* A text with operators or brackets, the name of a parameter, or a number with a unit. */
static json_t *expression_schema(const char *sign)
{
  char pattern[900];
  size_t used = (size_t)snprintf(pattern, sizeof pattern,
                                 "[+*/()$]|^-?\\[|\\w - \\w|^-?[A-Za-z_]\\w*(\\.[xyz])?$|"
                                 "^%s([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? ?(",
                                 sign);
  for (int i = 0; unit_name(i) && used < sizeof pattern; i++)
    used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%s", i ? "|" : "", unit_name(i));
  if (used >= sizeof pattern) return NULL;
  snprintf(pattern + used, sizeof pattern - used, ")([ /^].*)?$");
  return json_pack("{s:s, s:s, s:s}", "type", "string", "pattern", pattern, "description",
                   "An expression with parameters and units: 2*L + 5 mm, 30 deg, unit(b - a).");
}

static json_t *number_schema(struct writer *w, const struct key *k)
{
  const bool whole = k->type == KEY_INTEGER || k->type == KEY_OR_NONE || k->type == KEY_WORKERS;
  json_t *value = json_pack("{s:s}", "type", whole ? "integer" : "number");
  put_range(w, value, k);
  return value;
}

static json_t *list_schema(json_t *items, int least, int most)
{
  json_t *list = json_pack("{s:s, s:o, s:i}", "type", "array", "items", items, "minItems", least);
  if (most) json_object_set_new(list, "maxItems", json_integer(most));
  return list;
}

/* YAML reads the words true and false as booleans. */
static json_t *word_value(const char *text)
{
  if (strcmp(text, "true") == 0) return json_true();
  return strcmp(text, "false") == 0 ? json_false() : json_string(text);
}

static json_t *choice_schema(struct writer *w, const struct key *k)
{
  json_t *words = json_array();
  for (int i = 0; k->choices[i]; i++) append_value(w, words, word_value(k->choices[i]));
  return json_pack("{s:o}", "enum", words);
}

static json_t *section_reference(struct writer *w, const struct section *s);

/* Numbers, each of which may be an expression. */
static json_t *component_list(struct writer *w, const struct key *k, int least, int most)
{
  return list_schema(or_expression(k, number_schema(w, k)), least, most);
}

static json_t *value_schema(struct writer *w, const struct key *k)
{
  json_t *items;
  switch (k->type) {
  /* Single values. */
  case KEY_NUMBER:
  case KEY_INTEGER:
  case KEY_ANGLE:
    return or_expression(k, number_schema(w, k));
  case KEY_OR_NONE:
  case KEY_WORKERS:
    return json_pack("{s:[o, {s:s}]}", "anyOf", number_schema(w, k), "const",
                     k->type == KEY_WORKERS ? "auto" : "none");
  case KEY_BOOL:
    return json_pack("{s:s}", "type", "boolean");
  case KEY_STRING:
    return json_pack("{s:s}", "type", "string");
  case KEY_CHOICE:
    return choice_schema(w, k);
  /* Lists of numbers. */
  case KEY_VECTOR:
    return or_expression(k, component_list(w, k, 3, 3));
  case KEY_QUATERNION:
    return json_pack("{s:[o, o]}", "anyOf", component_list(w, k, 4, 4),
                     section_reference(w, &schema_orientation));
  case KEY_INERTIA:
    items =
        json_pack("{s:[o, o]}", "anyOf", or_expression(k, number_schema(w, k)), component_list(w, k, 3, 3));
    return or_expression(k, list_schema(items, 3, 3));
  case KEY_TABLE:
    return list_schema(component_list(w, k, 2, 2), 2, 0);
  case KEY_SIX:
    return or_expression(k, component_list(w, k, 6, 6));
  case KEY_SIX_POINTS:
    return list_schema(component_list(w, k, 3, 3), 6, 6);
  /* Mappings, and lists of them. */
  case KEY_SECTION:
  case KEY_ELEMENT:
    return section_reference(w, k->section);
  case KEY_LIST:
    return list_schema(section_reference(w, k->section), 0, 0);
  case KEY_LIST_FILE:
    return json_pack("{s:[o, o]}", "anyOf", list_schema(section_reference(w, k->section), 0, 0),
                     section_reference(w, k->file));
  case KEY_LIST_LIKE:
    return list_schema(section_reference(w, k->like), 0, 0);
  case KEY_MAP_LIKE:
    return section_reference(w, k->like);
  /* Values of parameters. */
  case KEY_VARIABLES:
    return json_pack("{s:s}", "type", "object");
  case KEY_COPIES:
    items = json_pack("{s:s, s:i}", "type", "integer", "minimum", 1);
    return json_pack("{s:[o, {s:s}, {s:s}]}", "anyOf", items, "$ref", "#/definitions/an_expression", "type",
                     "object");
  }
  return NULL;
}

/* The default as JSON, which an editor may fill in; NULL: none. */
static json_t *default_value(const struct key *k)
{
  if (!k->fallback || !*k->fallback) return NULL;
  if (k->type == KEY_BOOL || k->type == KEY_CHOICE) return word_value(k->fallback);
  if (k->type == KEY_STRING || k->type == KEY_ANGLE) return json_string(k->fallback);
  char *end;
  const double v = strtod(k->fallback, &end);
  if (end == k->fallback) return json_string(k->fallback); /* none, auto */
  if (k->type == KEY_INTEGER || k->type == KEY_OR_NONE) return json_integer((json_int_t)v);
  if (!*end) return json_real(v);
  json_t *list = json_array();
  for (const char *p = k->fallback; *p; p = end + (*end == ' ')) {
    const double component = strtod(p, &end);
    if (end == p || json_array_append_new(list, json_real(component))) break;
  }
  return list;
}

static json_t *documented_schema(struct writer *w, const struct key *k)
{
  json_t *value = value_schema(w, k), *by_default = default_value(k);
  char text[1200];
  const char *live = k->change == WHILE_RUNNING ? " Changes live." : "";
  snprintf(text, sizeof text, "%s%s%s%s%s", k->doc, *k->unit ? " Unit: " : "", k->unit, *k->unit ? "." : "",
           live);
  if (value && json_object_get(value, "$ref")) /* draft-07 ignores keys beside a reference */
    value = json_pack("{s:[o]}", "allOf", value);
  put_member(w, value, "description", json_string(text));
  if (by_default) put_member(w, value, "default", by_default);
  return value;
}

/* --- sections --- */

static const struct key *key_by(const struct section *s)
{
  const struct key *k = s->key;
  while (strcmp(k->name, s->by) != 0) k++;
  return k;
}

/* Writes the keys that may stand with a choice (-1: any), and the list of keys that must stand. */
static void put_keys(struct writer *w, json_t *object, const struct section *s, int by)
{
  json_t *properties = json_object(), *required = json_array();
  for (int i = 0; i < s->keys; i++) {
    const struct key *k = &s->key[i];
    if (by >= 0 && k->only && !(k->only >> by & 1)) continue;
    put_member(w, properties, k->name, documented_schema(w, k));
    if ((!k->fallback && !k->derived) || (by >= 0 && k->needed >> by & 1))
      append_value(w, required, json_string(k->name));
  }
  put_member(w, object, "properties", properties);
  put_member(w, object, "required", required);
  put_member(w, object, "additionalProperties", json_false());
}

/* Two choices allow and need the same keys. */
static bool same_keys(const struct section *s, int a, int b)
{
  const int first = s->variant_first, end = first + s->variant_count;
  if ((a >= first && a < end) || (b >= first && b < end)) return a == b;
  for (int i = 0; i < s->keys; i++) {
    const struct key *k = &s->key[i];
    if (k->only && (k->only >> a & 1) != (k->only >> b & 1)) return false;
    if ((k->needed >> a & 1) != (k->needed >> b & 1)) return false;
  }
  return true;
}

/* Writes if: {type: one of some types}, then: their keys. */
static void put_alternatives(struct writer *w, json_t *object, const struct section *s)
{
  const struct key *by = key_by(s);
  json_t *all = json_array();
  for (int i = 0; by->choices[i]; i++) {
    int first = 0;
    while (!same_keys(s, first, i)) first++;
    if (first < i) continue; /* an earlier choice has these keys */
    json_t *words = json_array(), *then = json_object();
    for (int j = i; by->choices[j]; j++)
      if (same_keys(s, i, j)) append_value(w, words, json_string(by->choices[j]));
    const int variant = i - s->variant_first;
    if (variant >= 0 && variant < s->variant_count) {
      put_member(w, then, "description", json_string(s->variants[variant].doc));
      put_keys(w, then, &s->variants[variant], -1);
    } else {
      put_keys(w, then, s, i);
    }
    append_value(w, all,
                 json_pack("{s:{s:{s:{s:o}}, s:[s]}, s:o}", "if", "properties", by->name, "enum", words,
                           "required", by->name, "then", then));
  }
  put_member(w, object, "properties", json_pack("{s:o}", by->name, documented_schema(w, by)));
  put_member(w, object, "required", json_pack("[s]", by->name));
  put_member(w, object, "allOf", all);
}

static void fill_section(struct writer *w, json_t *object, const struct section *s)
{
  put_member(w, object, "type", json_string("object"));
  if (s->by)
    put_alternatives(w, object, s);
  else
    put_keys(w, object, s, -1);
}

/* The title without spaces. A second section with one title gets a number. */
static void name_section(const struct writer *w, int index, char *name, size_t size)
{
  int before = 0;
  for (int i = 0; i < index; i++) before += strcmp(w->section[i]->title, w->section[index]->title) == 0;
  snprintf(name, size, "%s", w->section[index]->title);
  for (char *p = name; *p; p++)
    if (*p == ' ') *p = '_';
  if (before) snprintf(name + strlen(name), size - strlen(name), "_%d", before + 1);
}

/* A reference to the definition of a section. The first reference writes the definition. */
static json_t *section_reference(struct writer *w, const struct section *s)
{
  char name[80], path[100];
  int index = 0;
  while (index < w->sections && w->section[index] != s) index++;
  const bool first = index == w->sections;
  if (first) w->section[w->sections++] = s;
  name_section(w, index, name, sizeof name);
  if (first) {
    json_t *definition = json_object();
    put_member(w, w->definitions, name, definition);
    fill_section(w, definition, s);
  }
  snprintf(path, sizeof path, "#/definitions/%s", name);
  return json_pack("{s:s}", "$ref", path);
}

bool manual_print_schema(FILE *out)
{
  struct writer w = {.definitions = json_object()};
  json_t *root = json_pack("{s:s, s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "title",
                           "Configuration of ali3d");
  if (root) fill_section(&w, root, &schema_file);
  json_t *unused = section_reference(&w, &schema_packets);
  json_decref(unused);
  unused = section_reference(&w, &schema_maps);
  json_decref(unused);
  put_member(&w, w.definitions, "an_expression", expression_schema("\\+?"));
  put_member(&w, w.definitions, "an_expression_with_sign", expression_schema("[-+]?"));
  put_member(&w, root, "definitions", w.definitions);
  const bool good = !w.failed && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
  json_decref(root);
  fputc('\n', out);
  return good;
}
