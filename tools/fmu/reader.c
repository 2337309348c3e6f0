/* SPDX-License-Identifier: MIT
 * What modelDescription.xml of an FMU says. */
#include "fmu/reader.h"

#include "fmu/unpack.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A copy of an attribute, to be freed; NULL: it is not there. */
static char *copy_xml_attribute(const xmlNode *node, const char *name)
{
  xmlChar *value = node ? xmlGetProp(node, BAD_CAST name) : NULL;
  char *copy = value ? strdup((const char *)value) : NULL;
  xmlFree(value);
  return copy;
}

static double number_attribute(const xmlNode *node, const char *name)
{
  char *text = copy_xml_attribute(node, name);
  const double x = text ? strtod(text, NULL) : 0.0;
  free(text);
  return isfinite(x) ? x : 0.0;
}

static bool flag_attribute(const xmlNode *node, const char *name)
{
  char *text = copy_xml_attribute(node, name);
  const bool set = text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
  free(text);
  return set;
}

static const xmlNode *child_named(const xmlNode *node, const char *name)
{
  for (const xmlNode *c = node ? node->children : NULL; c; c = c->next)
    if (c->type == XML_ELEMENT_NODE && strcmp((const char *)c->name, name) == 0) return c;
  return NULL;
}

/* Room for one more element of a list; NULL when out of memory. */
static void *grow_by_one(void *list, int count, size_t size)
{
  return realloc(list, ((size_t)count + 1) * size);
}

/* Calls read_one for each element `name` in a list of the root. */
static bool read_each(struct description *d, const xmlNode *root, const char *list,
                      bool (*read_one)(struct description *, const xmlNode *, char *), char why[FMU_WHY])
{
  const xmlNode *all = child_named(root, list);
  bool good = true;
  for (const xmlNode *n = all ? all->children : NULL; good && n; n = n->next)
    if (n->type == XML_ELEMENT_NODE) good = read_one(d, n, why);
  return good;
}

/* --- units and types --- */

static bool read_one_unit(struct description *d, const xmlNode *node, char why[FMU_WHY])
{
  struct read_unit *grown = (struct read_unit *)grow_by_one(d->unit, d->units, sizeof *grown);
  if (!grown) return fmu_fail(why, "out of memory");
  d->unit = grown;
  struct read_unit *u = &grown[d->units++];
  *u = (struct read_unit){.name = copy_xml_attribute(node, "name"), .measure.factor = 1.0};
  /* Without a base unit, its name alone says what it measures. */
  const xmlNode *base = child_named(node, "BaseUnit");
  if (!base) {
    if (u->name) u->measure = unit_measure(u->name);
    return true;
  }
  u->measure.known = true;
  for (int i = 0; i < BASE_UNITS; i++)
    u->measure.exponent[i] = (int)fmin(fmax(number_attribute(base, base_unit[i]), -99.0), 99.0);
  if (xmlHasProp(base, BAD_CAST "factor")) u->measure.factor = number_attribute(base, "factor");
  u->measure.offset = number_attribute(base, "offset");
  return true;
}

/* FMI 2 has the kind of a type in an element of its own. */
static const xmlNode *element_of_kind(const struct description *d, const xmlNode *node)
{
  if (d->version == 3) return node;
  const xmlNode *kind = node->children;
  while (kind && kind->type != XML_ELEMENT_NODE) kind = kind->next;
  return kind;
}

static bool read_one_type(struct description *d, const xmlNode *node, char why[FMU_WHY])
{
  struct read_type *grown = (struct read_type *)grow_by_one(d->named, d->types, sizeof *grown);
  if (!grown) return fmu_fail(why, "out of memory");
  d->named = grown;
  grown[d->types++] = (struct read_type){.name = copy_xml_attribute(node, "name"),
                                         .unit = copy_xml_attribute(element_of_kind(d, node), "unit")};
  return true;
}

/* --- variables --- */

static enum fmu_type type_of_word(int version, const char *word)
{
#define FMU_TYPE_WORD(type) [FMU_##type] = #type,
  static const char *const words[] = {FMU_NUMBER_LIST(FMU_TYPE_WORD)[FMU_String] = "String"};
#undef FMU_TYPE_WORD
  static const struct {
    const char *word;
    enum fmu_type type;
  } of2[] = {{"Real", FMU_Float64},
             {"Integer", FMU_Int32},
             {"Enumeration", FMU_Int32},
             {"Boolean", FMU_Boolean},
             {"String", FMU_String}};
  /* FMI 2 has its own words. */
  if (version == 2) {
    for (size_t i = 0; i < sizeof of2 / sizeof *of2; i++)
      if (strcmp(of2[i].word, word) == 0) return of2[i].type;
    return FMU_OTHER;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], word) == 0) return (enum fmu_type)i;
  return strcmp(word, "Enumeration") == 0 ? FMU_Int64 : FMU_OTHER;
}

static bool read_one_variable(struct description *d, const xmlNode *node, char why[FMU_WHY])
{
  const xmlNode *type = element_of_kind(d, node);
  struct read_variable *grown = (struct read_variable *)grow_by_one(d->variable, d->variables, sizeof *grown);
  if (!grown) return fmu_fail(why, "out of memory");
  d->variable = grown;
  /* The type, then the attributes of the variable. */
  char *reference = copy_xml_attribute(node, "valueReference"),
       *causality = copy_xml_attribute(node, "causality"),
       *variability = copy_xml_attribute(node, "variability");
  struct read_variable *v = &grown[d->variables];
  *v = (struct read_variable){.name = copy_xml_attribute(node, "name"),
                              .type = strdup(type ? (const char *)type->name : ""),
                              .causality = causality ? causality : strdup("local"),
                              .initial = copy_xml_attribute(node, "initial"),
                              .unit = copy_xml_attribute(type, "unit"),
                              .declared = copy_xml_attribute(type, "declaredType"),
                              .reference = reference ? (unsigned)strtoul(reference, NULL, 10) : 0,
                              .array = child_named(node, "Dimension") != NULL};
  v->kind = v->type ? type_of_word(d->version, v->type) : FMU_OTHER;
  v->variability = variability ? variability : strdup(v->kind <= FMU_Float32 ? "continuous" : "discrete");
  d->variables++;
  const bool good = v->name && v->type && v->causality && v->variability && reference;
  free(reference);
  return good || fmu_fail(why, "modelDescription.xml:%ld: expected a variable with name and valueReference",
                          xmlGetLineNo(node));
}

/* --- the whole file --- */

static bool read_root(struct description *d, const xmlNode *root, char why[FMU_WHY])
{
  char *version = root ? copy_xml_attribute(root, "fmiVersion") : NULL;
  d->version = version && strcmp(version, "2.0") == 0 ? 2 : version && strncmp(version, "3.", 2) == 0 ? 3 : 0;
  if (d->version == 0) {
    fmu_fail(why, "modelDescription.xml: expected fmiVersion 2.0 or 3.0, found %s",
             version ? version : "none");
    free(version);
    return false;
  }
  free(version);
  /* Attributes of the root, of the interface and of the experiment. */
  const xmlNode *cs = child_named(root, "CoSimulation"), *run = child_named(root, "DefaultExperiment");
  d->name = copy_xml_attribute(root, "modelName");
  d->token = copy_xml_attribute(root, d->version == 3 ? "instantiationToken" : "guid");
  d->tool = copy_xml_attribute(root, "generationTool");
  d->identifier = copy_xml_attribute(cs, "modelIdentifier");
  d->keeps_state = flag_attribute(cs, d->version == 3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
  d->serialises = flag_attribute(cs, d->version == 3 ? "canSerializeFMUState" : "canSerializeFMUstate");
  d->stop = number_attribute(run, "stopTime");
  d->step = number_attribute(run, "stepSize");
  d->steps_vary = flag_attribute(cs, "canHandleVariableCommunicationStepSize");
  d->fixed_step = number_attribute(cs, "fixedInternalStepSize");
  return read_each(d, root, "UnitDefinitions", read_one_unit, why) &&
         read_each(d, root, "TypeDefinitions", read_one_type, why) &&
         read_each(d, root, "ModelVariables", read_one_variable, why);
}

bool description_parse(struct description *d, const char *text, size_t size, const char *fmu,
                       char why[FMU_WHY])
{
  *d = (struct description){0};
  /* No file and no host that the text names is read. The caller alone reports a mistake. */
  xmlDocPtr document = size < INT32_MAX
                           ? xmlReadMemory(text, (int)size, "modelDescription.xml", NULL,
                                           XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)
                           : NULL;
  const xmlError *error = document ? NULL : xmlGetLastError();
  const bool good = document ? read_root(d, xmlDocGetRootElement(document), why)
                             : fmu_fail(why, "%s: modelDescription.xml:%d is not well-formed", fmu,
                                        error ? error->line : 0);
  xmlFreeDoc(document);
  return good;
}

bool description_read(struct description *d, const char *fmu, char why[FMU_WHY])
{
  size_t size;
  *d = (struct description){0};
  char *text = fmu_read_entry(fmu, "modelDescription.xml", &size, why);
  const bool good = text && description_parse(d, text, size, fmu, why);
  free(text);
  return good;
}

static void free_variable(struct read_variable *v)
{
  free(v->name);
  free(v->type);
  free(v->causality);
  free(v->variability);
  free(v->initial);
  free(v->unit);
  free(v->declared);
}

void description_free(struct description *d)
{
  for (int i = 0; i < d->variables; i++) free_variable(&d->variable[i]);
  for (int i = 0; i < d->units; i++) free(d->unit[i].name);
  for (int i = 0; i < d->types; i++) {
    free(d->named[i].name);
    free(d->named[i].unit);
  }
  free(d->variable);
  free(d->unit);
  free(d->named);
  free(d->name);
  free(d->token);
  free(d->identifier);
  free(d->tool);
  *d = (struct description){0};
}

int description_count(const struct description *d, const char *causality)
{
  int count = 0;
  for (int i = 0; i < d->variables; i++) count += strcmp(d->variable[i].causality, causality) == 0;
  return count;
}

bool variable_is_real(const struct read_variable *v)
{
  return v->kind == FMU_Float64;
}

const char *variable_unit(const struct description *d, const struct read_variable *v, struct measure *m)
{
  const char *unit = v->unit;
  *m = (struct measure){.factor = 1.0};
  for (int i = 0; i < d->types && !unit && v->declared; i++)
    if (d->named[i].name && strcmp(d->named[i].name, v->declared) == 0) unit = d->named[i].unit;
  if (!unit) return NULL;
  /* Its definition, if there is one. */
  for (int i = 0; i < d->units; i++) {
    if (!d->unit[i].name || strcmp(d->unit[i].name, unit) != 0) continue;
    *m = d->unit[i].measure;
    return unit;
  }
  *m = unit_measure(unit);
  return unit;
}
