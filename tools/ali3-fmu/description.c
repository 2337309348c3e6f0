/* SPDX-License-Identifier: MIT
 * modelDescription.xml of FMI 3.0 and FMI 2.0. */
#include "fmi/instance.h"
#include "fmu/units.h"
#include "fmu_tool.h"

#include <ali3/version.h>
#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *number_text(double x, char text[40])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, 40, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  return text;
}

/* --- a writer that remembers a failure --- */

struct xml_out {
  xmlTextWriterPtr writer;
  bool failed;
};

static void begin_element(struct xml_out *x, const char *name)
{
  x->failed |= xmlTextWriterStartElement(x->writer, BAD_CAST name) < 0;
}

static void end_element(struct xml_out *x)
{
  x->failed |= xmlTextWriterEndElement(x->writer) < 0;
}

static void put_text_attribute(struct xml_out *x, const char *name, const char *text)
{
  x->failed |= xmlTextWriterWriteAttribute(x->writer, BAD_CAST name, BAD_CAST text) < 0;
}

static void put_number_attribute(struct xml_out *x, const char *name, double number)
{
  char text[40];
  put_text_attribute(x, name, number_text(number, text));
}

static void put_whole_attribute(struct xml_out *x, const char *name, int number)
{
  char text[40];
  snprintf(text, sizeof text, "%d", number);
  put_text_attribute(x, name, text);
}

/* --- units, categories --- */

static void put_unit(struct xml_out *x, const char *name, const int exponent[BASE_UNITS])
{
  begin_element(x, "Unit");
  put_text_attribute(x, "name", name);
  begin_element(x, "BaseUnit");
  for (int i = 0; i < BASE_UNITS; i++)
    if (exponent[i]) put_whole_attribute(x, base_unit[i], exponent[i]);
  end_element(x);
  end_element(x);
}

static void put_units(struct xml_out *x, const struct exports *p)
{
  char(*seen)[UNIT_NAME] = calloc((size_t)p->table.count, sizeof *seen);
  int count = 0;
  x->failed |= !seen;
  begin_element(x, "UnitDefinitions");
  for (int i = 0; seen && i < p->table.count; i++) {
    char name[UNIT_NAME];
    int exponent[BASE_UNITS], k = 0;
    if (!unit_describe(p->exported[i].unit, name, exponent)) continue;
    while (k < count && strcmp(seen[k], name) != 0) k++;
    if (k < count) continue;
    snprintf(seen[count++], UNIT_NAME, "%s", name);
    put_unit(x, name, exponent);
  }
  end_element(x);
  free(seen);
}

static void put_categories(struct xml_out *x)
{
#define CATEGORY(id, text, meaning) {text, meaning},
  static const char *const category[][2] = {FMU_CATEGORY_LIST(CATEGORY)};
#undef CATEGORY
  begin_element(x, "LogCategories");
  for (int i = 0; i < FMU_CATEGORIES; i++) {
    begin_element(x, "Category");
    put_text_attribute(x, "name", category[i][0]);
    put_text_attribute(x, "description", category[i][1]);
    end_element(x);
  }
  end_element(x);
}

static void put_experiment(struct xml_out *x, const struct description_head *h)
{
  begin_element(x, "DefaultExperiment");
  put_number_attribute(x, "startTime", 0.0);
  put_number_attribute(x, "stopTime", h->stop);
  put_number_attribute(x, "stepSize", h->period);
  end_element(x);
}

/* --- variables --- */

/* The attributes that FMI 2 has in an element of the type. */
static void put_type_attributes(struct xml_out *x, const struct fmu_variable *v, const struct exported *one)
{
  char name[UNIT_NAME];
  int exponent[BASE_UNITS];
  const bool set = one->causality == INPUT || one->causality == PARAMETER, whole = v->flags & FMU_WHOLE;
  if (!whole && unit_describe(one->unit, name, exponent)) put_text_attribute(x, "unit", name);
  if (set && isfinite(v->lower)) put_number_attribute(x, "min", v->lower);
  if (set && isfinite(v->upper)) put_number_attribute(x, "max", v->upper);
  if (set) put_number_attribute(x, "start", v->start);
}

static void put_common_attributes(struct xml_out *x, int reference, const struct exported *one)
{
  put_text_attribute(x, "name", one->name);
  put_whole_attribute(x, "valueReference", reference);
  if (one->text) put_text_attribute(x, "description", one->text);
  put_text_attribute(x, "causality", causality_word[one->causality]);
  put_text_attribute(x, "variability", one->causality == PARAMETER ? "tunable" : "continuous");
  if (one->causality == PARAMETER) put_text_attribute(x, "initial", "exact");
  if (one->causality == OUTPUT || one->causality == LOCAL) put_text_attribute(x, "initial", "calculated");
}

static void put_variables(struct xml_out *x, const struct exports *p, int version)
{
  begin_element(x, "ModelVariables");
  for (int i = 0; i < p->table.count; i++) {
    const struct fmu_variable *v = &p->table.variable[i];
    const bool whole = v->flags & FMU_WHOLE;
    begin_element(x, version == 2 ? "ScalarVariable" : whole ? "Int32" : "Float64");
    put_common_attributes(x, i, &p->exported[i]);
    if (version == 2) begin_element(x, whole ? "Integer" : "Real");
    put_type_attributes(x, v, &p->exported[i]);
    if (version == 2) end_element(x);
    end_element(x);
  }
  end_element(x);
}

/* FMI 3 names variables by their references, FMI 2 by their places, from 1. */
static void put_unknowns(struct xml_out *x, const struct exports *p, const char *element, int version)
{
  for (int i = 0; i < p->table.count; i++) {
    if (p->exported[i].causality != OUTPUT) continue;
    begin_element(x, element);
    put_whole_attribute(x, version == 2 ? "index" : "valueReference", version == 2 ? i + 1 : i);
    end_element(x);
  }
}

static bool has_outputs(const struct exports *p)
{
  for (int i = 0; i < p->table.count; i++)
    if (p->exported[i].causality == OUTPUT) return true;
  return false;
}

static void put_structure(struct xml_out *x, const struct exports *p, int version)
{
  begin_element(x, "ModelStructure");
  if (version == 3) {
    put_unknowns(x, p, "Output", version);
    put_unknowns(x, p, "InitialUnknown", version);
  } else if (has_outputs(p)) {
    begin_element(x, "Outputs");
    put_unknowns(x, p, "Unknown", version);
    end_element(x);
    begin_element(x, "InitialUnknowns");
    put_unknowns(x, p, "Unknown", version);
    end_element(x);
  }
  end_element(x);
}

/* --- the file --- */

static void put_sources(struct xml_out *x, const struct description_head *h, const char *element)
{
  for (int i = 0; i < h->sources; i++) {
    begin_element(x, element);
    put_text_attribute(x, "name", h->source[i]);
    end_element(x);
  }
}

static void put_interface(struct xml_out *x, const struct description_head *h)
{
  begin_element(x, "CoSimulation");
  put_text_attribute(x, "modelIdentifier", h->identifier);
  put_text_attribute(x, "canHandleVariableCommunicationStepSize", "false");
  put_text_attribute(x, h->version == 3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", "true");
  put_text_attribute(x, h->version == 3 ? "canSerializeFMUState" : "canSerializeFMUstate", "true");
  if (h->version == 3) put_number_attribute(x, "fixedInternalStepSize", h->period);
  if (h->version == 2) put_text_attribute(x, "canNotUseMemoryManagementFunctions", "true");
  if (h->version == 2 && h->sources > 0) {
    begin_element(x, "SourceFiles");
    put_sources(x, h, "File");
    end_element(x);
  }
  end_element(x);
}

/* Writes a file by its root. NULL when out of memory. */
static char *write_file(void (*put)(struct xml_out *x, const struct description_head *h,
                                    const struct exports *p),
                        const struct description_head *h, const struct exports *p, size_t *size)
{
  xmlBufferPtr buffer = xmlBufferCreate();
  struct xml_out x = {.writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL};
  char *text = NULL;
  if (x.writer) {
    x.failed = xmlTextWriterSetIndent(x.writer, 1) < 0 ||
               xmlTextWriterStartDocument(x.writer, NULL, "UTF-8", NULL) < 0;
    put(&x, h, p);
    x.failed |= xmlTextWriterEndDocument(x.writer) < 0;
    xmlFreeTextWriter(x.writer); /* writes the end into the buffer */
    *size = (size_t)xmlBufferLength(buffer);
    text = x.failed ? NULL : strndup((const char *)xmlBufferContent(buffer), *size);
  }
  if (buffer) xmlBufferFree(buffer);
  return text;
}

/* The head, then the sections in the order of the schemas. */
static void put_description(struct xml_out *x, const struct description_head *h, const struct exports *p)
{
  begin_element(x, "fmiModelDescription");
  put_text_attribute(x, "fmiVersion", h->version == 3 ? "3.0" : "2.0");
  put_text_attribute(x, "modelName", h->name);
  put_text_attribute(x, h->version == 3 ? "instantiationToken" : "guid", h->token);
  put_text_attribute(x, "generationTool", "ali3-fmu " ALI3_VERSION);
  put_text_attribute(x, "variableNamingConvention", "structured");
  put_interface(x, h);
  put_units(x, p);
  put_categories(x);
  put_experiment(x, h);
  put_variables(x, p, h->version);
  put_structure(x, p, h->version);
  end_element(x);
}

char *description_write(const struct description_head *h, const struct exports *p, size_t *size)
{
  return write_file(put_description, h, p, size);
}

static void put_build(struct xml_out *x, const struct description_head *h, const struct exports *p)
{
  (void)p;
  begin_element(x, "fmiBuildDescription");
  put_text_attribute(x, "fmiVersion", "3.0");
  begin_element(x, "BuildConfiguration");
  put_text_attribute(x, "modelIdentifier", h->identifier);
  begin_element(x, "SourceFileSet");
  put_text_attribute(x, "language", "C11");
  put_sources(x, h, "SourceFile");
  end_element(x);
  begin_element(x, "Library");
  put_text_attribute(x, "name", "m");
  end_element(x);
  end_element(x);
  end_element(x);
}

char *build_description_write(const struct description_head *h, size_t *size)
{
  return write_file(put_build, h, NULL, size);
}
