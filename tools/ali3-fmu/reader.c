/* SPDX-License-Identifier: MIT
 * What modelDescription.xml of an FMU says, for check and info. */
#include "fmu_tool.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
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
  return x;
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

/* --- variables --- */

/* FMI 2 has the type in an element of its own. */
static bool read_one_variable(struct description *d, const xmlNode *node)
{
  const xmlNode *type = node;
  struct read_variable *grown = realloc(d->variable, ((size_t)d->variables + 1) * sizeof *grown);
  if (!grown) return fmu_complain("out of memory");
  d->variable = grown;
  /* The type, then the attributes of the variable. */
  if (d->version == 2)
    for (type = node->children; type && type->type != XML_ELEMENT_NODE;) type = type->next;
  char *reference = copy_xml_attribute(node, "valueReference"),
       *causality = copy_xml_attribute(node, "causality");
  struct read_variable *v = &grown[d->variables];
  *v = (struct read_variable){.name = copy_xml_attribute(node, "name"),
                              .type = strdup(type ? (const char *)type->name : ""),
                              .causality = causality ? causality : strdup("local"),
                              .reference = reference ? (unsigned)strtoul(reference, NULL, 10) : 0,
                              .array = child_named(node, "Dimension") != NULL};
  d->variables++;
  const bool good = v->name && v->type && v->causality && reference;
  free(reference);
  return good || fmu_complain("modelDescription.xml:%ld: expected a variable with name and valueReference",
                              xmlGetLineNo(node));
}

static bool read_variables(struct description *d, const xmlNode *root)
{
  const xmlNode *list = child_named(root, "ModelVariables");
  bool good = true;
  for (const xmlNode *n = list ? list->children : NULL; good && n; n = n->next)
    if (n->type == XML_ELEMENT_NODE) good = read_one_variable(d, n);
  return good;
}

/* --- the whole file --- */

static bool read_root(struct description *d, const xmlNode *root)
{
  char *version = root ? copy_xml_attribute(root, "fmiVersion") : NULL;
  d->version = version && strcmp(version, "2.0") == 0 ? 2 : version && strncmp(version, "3.", 2) == 0 ? 3 : 0;
  if (d->version == 0) {
    fmu_complain("modelDescription.xml: expected fmiVersion 2.0 or 3.0, found %s",
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
  return read_variables(d, root);
}

bool description_read(struct description *d, const char *fmu)
{
  size_t size;
  *d = (struct description){0};
  char *text = archive_read(fmu, "modelDescription.xml", &size);
  if (!text) return false;
  /* No file and no host that the text names is read. */
  xmlDocPtr document =
      size < INT32_MAX ? xmlReadMemory(text, (int)size, "modelDescription.xml", NULL, XML_PARSE_NONET) : NULL;
  free(text);
  const bool good = document ? read_root(d, xmlDocGetRootElement(document))
                             : fmu_complain("%s: modelDescription.xml is not well-formed", fmu);
  xmlFreeDoc(document);
  return good;
}

void description_free(struct description *d)
{
  for (int i = 0; i < d->variables; i++) {
    free(d->variable[i].name);
    free(d->variable[i].type);
    free(d->variable[i].causality);
  }
  free(d->variable);
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

bool variable_is_real(const struct description *d, const struct read_variable *v)
{
  return strcmp(v->type, d->version == 3 ? "Float64" : "Real") == 0;
}
