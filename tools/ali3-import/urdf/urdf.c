/* SPDX-License-Identifier: MIT
 * Reads URDF with libxml2, one start tag after another. A table says which elements an element may hold, and which attributes
 * they have. Nothing is skipped in silence: other elements and attributes become notes.
 *
 * The bytes may come from anybody: entities are refused, and no other file is opened. */
#include "urdf/urdf.h"

#include "urdf/urdf_elements.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 64 << 20 };

static bool take_robot(struct reader *x, const struct tag *t)
{
  bool good = true;
  const char *name = tag_value(x, t, "name", &good);
  x->robot->name = name ? name : "robot";
  return good;
}

struct row {
  enum place in;
  const char *name;
  bool (*take)(struct reader *x, const struct tag *t);
  enum place place;
  bool once;              /* a second one is an error */
  const char *attributes; /* names that the reader knows, between spaces */
};

static const struct row element_rows[] = {
    {PLACE_FILE, "robot", take_robot, PLACE_ROBOT, true, " name version "},
    {PLACE_ROBOT, "link", take_link, PLACE_LINK, false, " name "},
    {PLACE_ROBOT, "joint", take_joint, PLACE_JOINT, false, " name type "},
    {PLACE_ROBOT, "material", take_robot_material, PLACE_MATERIAL, false, " name "},
    {PLACE_LINK, "inertial", take_inertial, PLACE_INERTIAL, true, " "},
    {PLACE_LINK, "visual", take_visual, PLACE_SHAPE, false, " name "},
    {PLACE_LINK, "collision", take_collision, PLACE_SHAPE, false, " name "},
    {PLACE_INERTIAL, "origin", take_inertial_origin, PLACE_LEAF, true, " xyz rpy "},
    {PLACE_INERTIAL, "mass", take_mass, PLACE_LEAF, true, " value "},
    {PLACE_INERTIAL, "inertia", take_inertia, PLACE_LEAF, true, " ixx ixy ixz iyy iyz izz "},
    {PLACE_SHAPE, "origin", take_shape_origin, PLACE_LEAF, true, " xyz rpy "},
    {PLACE_SHAPE, "geometry", NULL, PLACE_GEOMETRY, true, " "},
    {PLACE_SHAPE, "material", take_material, PLACE_MATERIAL, true, " name "},
    {PLACE_GEOMETRY, "box", take_box, PLACE_LEAF, true, " size "},
    {PLACE_GEOMETRY, "cylinder", take_cylinder, PLACE_LEAF, true, " radius length "},
    {PLACE_GEOMETRY, "capsule", take_capsule, PLACE_LEAF, true, " radius length "},
    {PLACE_GEOMETRY, "sphere", take_sphere, PLACE_LEAF, true, " radius "},
    {PLACE_GEOMETRY, "mesh", take_mesh, PLACE_LEAF, true, " filename scale "},
    {PLACE_MATERIAL, "color", take_color, PLACE_LEAF, true, " rgba "},
    {PLACE_JOINT, "origin", take_joint_origin, PLACE_LEAF, true, " xyz rpy "},
    {PLACE_JOINT, "parent", take_parent, PLACE_LEAF, true, " link "},
    {PLACE_JOINT, "child", take_child, PLACE_LEAF, true, " link "},
    {PLACE_JOINT, "axis", take_axis, PLACE_LEAF, true, " xyz "},
    {PLACE_JOINT, "limit", take_limit, PLACE_LEAF, true, " lower upper effort velocity "},
    {PLACE_JOINT, "dynamics", take_dynamics, PLACE_LEAF, true, " damping friction "},
    {PLACE_JOINT, "mimic", take_mimic, PLACE_LEAF, true, " joint multiplier offset "},
};

enum { ROWS = sizeof element_rows / sizeof element_rows[0] };
_Static_assert(ROWS <= 32, "a bit of seen[] for each row");

/* The line on which the tag begins: the parser stands at its end. */
static int tag_line(xmlParserCtxtPtr parser)
{
  const xmlParserInput *input = parser->input;
  int line = input->line;
  for (const xmlChar *c = input->cur; c > input->base && *c != '<'; c--) line -= c[-1] == '\n';
  return line > 0 ? line : 1;
}

static void note_attributes(struct reader *x, const struct tag *t, const struct row *row)
{
  for (int i = 0; i < t->attributes; i++) {
    const unsigned char **a = t->attribute + 5 * (ptrdiff_t)i;
    char name[100];
    snprintf(name, sizeof name, " %.90s ", (const char *)a[0]);
    if (a[1] || !strstr(row->attributes, name))
      note_often(x->notes, t->line, "attribute '%.60s' of <%s> is not imported", (const char *)a[0], t->name);
  }
}

/* Finds the row of an element. NULL: the element is skipped, or an error was reported. */
static const struct row *find_row(struct reader *x, const struct tag *t, enum place in)
{
  /* Look the element up, and whether it was there before. */
  for (int i = 0; i < ROWS; i++) {
    const struct row *row = &element_rows[i];
    if (row->in != in || strcmp(row->name, t->name) != 0) continue;
    if (row->once && (x->seen[x->depth] & 1u << i)) {
      if (row->place == PLACE_MATERIAL) {
        note_often(x->notes, t->line, "a second <material> of a shape is not imported");
        return NULL;
      }
      reader_fail(x, t->line, "expected one <%s>, found a second one", t->name);
      return NULL;
    }
    x->seen[x->depth] |= 1u << i;
    return row;
  }
  if (in == PLACE_FILE)
    reader_fail(x, t->line, "expected <robot>, found <%.60s>", t->name);
  else if (in != PLACE_LEAF)
    note_often(x->notes, t->line, "<%.60s> is not imported", t->name);
  return NULL;
}

static bool is_xacro(const struct tag *t, const xmlChar *prefix)
{
  return (prefix && strcmp((const char *)prefix, "xacro") == 0) || strncmp(t->name, "xacro:", 6) == 0;
}

/* A file with definitions of xacro is no URDF. Expanded files may hold calls of macros that xacro did not know. */
static void take_xacro(struct reader *x, const struct tag *t)
{
  static const char *const words[] = {"macro",  "property",     "include", "arg",    "if",
                                      "unless", "insert_block", "call",    "element"};
  const char *name = strncmp(t->name, "xacro:", 6) == 0 ? t->name + 6 : t->name;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(name, words[i]) == 0) {
      reader_fail(x, t->line, "<xacro:%s>: expand the file with xacro first", name);
      return;
    }
  note(x->notes, t->line,
       "<xacro:%.60s> was not expanded, so its elements are missing; expand the file with xacro first", name);
  x->skipped = 1;
}

static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespaces, const xmlChar **space, int attributes, int defaulted,
                     const xmlChar **attribute)
{
  struct reader *x = user;
  (void)uri, (void)namespaces, (void)space, (void)defaulted;
  if (x->ended) return;
  if (x->skipped) {
    x->skipped++;
    return;
  }
  const struct tag t = {(const char *)name, tag_line(x->parser), attributes, attribute};
  if (is_xacro(&t, prefix)) {
    take_xacro(x, &t);
    return;
  }
  /* Take the element, or skip it with all that it holds. */
  const struct row *row = find_row(x, &t, x->place[x->depth]);
  if (x->ended) return;
  if (!row || x->depth + 1 == (int)(sizeof x->place / sizeof x->place[0])) {
    x->skipped = 1;
    return;
  }
  note_attributes(x, &t, row);
  if (row->place == PLACE_MATERIAL) x->in_robot = row->in == PLACE_ROBOT;
  if (row->take && !row->take(x, &t)) {
    reader_stop(x);
    return;
  }
  x->depth++;
  x->place[x->depth] = row->place;
  x->seen[x->depth] = 0;
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  struct reader *x = user;
  (void)name, (void)prefix, (void)uri;
  if (x->ended) return;
  if (x->skipped)
    x->skipped--;
  else if (x->depth > 0)
    x->depth--;
}

static void on_entity(void *user, const xmlChar *name, int type, const xmlChar *public_id,
                      const xmlChar *system_id, xmlChar *content)
{
  struct reader *x = user;
  (void)type, (void)public_id, (void)system_id, (void)content;
  if (!x->ended)
    reader_fail(x, tag_line(x->parser), "entity '%.60s': a robot must not define entities",
                (const char *)name);
}

static void on_error(void *user, xmlErrorPtr e)
{
  struct reader *x = user;
  if (x->ended || e->level == XML_ERR_WARNING || e->domain == XML_FROM_NAMESPACE) return;
  char text[200];
  snprintf(text, sizeof text, "%s", e->message ? e->message : "damaged");
  text[strcspn(text, "\n")] = '\0';
  reader_fail(x, e->line, "not well-formed XML: %s", text);
}

bool urdf_read(struct robot *r, const char *bytes, size_t count, struct notes *n)
{
  if (count > BYTES_MOST) return note_error(n, 0, "expected at most 64 MB, found %zu MB", count >> 20);
  struct reader x = {.robot = r, .notes = n};
  xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                       .startElementNs = on_start,
                       .endElementNs = on_end,
                       .entityDecl = on_entity,
                       .serror = on_error};
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, &x, NULL, 0, NULL);
  if (!parser) return note_error(n, 0, "out of memory");
  x.parser = parser;
  xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOENT);
  int status = 0;
  for (size_t at = 0; at < count && !x.ended && !status;) {
    const size_t piece = count - at < 1 << 20 ? count - at : 1 << 20;
    status = xmlParseChunk(parser, bytes + at, (int)piece, 0);
    if (status && xmlGetLastError() && parser->wellFormed) status = 0; /* a namespace that is not declared */
    at += piece;
  }
  if (!x.ended) xmlParseChunk(parser, NULL, 0, 1);
  const bool good = parser->wellFormed && !x.ended;
  xmlFreeParserCtxt(parser);
  if (!good && !n->failed) return note_error(n, 0, "not well-formed XML");
  return !n->failed;
}
