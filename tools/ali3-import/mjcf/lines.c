/* SPDX-License-Identifier: MIT
 * Lines of the elements of an MJCF file: the model of libmujoco does not have them. */
#include "library.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

enum { DEPTH_MOST = 200 };

static bool is_named(xmlNodePtr at, const char *name)
{
  return strcmp((const char *)at->name, name) == 0;
}

static void add_element(struct mjcf_lines *o, struct robot *r, enum mjcf_kind kind, xmlNodePtr at)
{
  if (!robot_grow(r, (void **)&o->element[kind], o->count[kind], &o->room[kind], sizeof **o->element)) return;
  xmlChar *name = xmlGetNoNsProp(at, (const xmlChar *)"name");
  const char *saved = robot_text(r, name ? (const char *)name : "");
  if (saved) o->element[kind][o->count[kind]++] = (struct mjcf_element){saved, (int)xmlGetLineNo(at)};
  xmlFree(name);
}

/* The elements below a body, in the order of the file, which is that of the model. */
static void list_body(struct mjcf_lines *o, struct robot *r, xmlNodePtr body, int depth)
{
  for (xmlNodePtr at = body->children; at && depth < DEPTH_MOST; at = at->next) {
    if (at->type != XML_ELEMENT_NODE) continue;
    if (is_named(at, "joint") || is_named(at, "freejoint")) add_element(o, r, MJCF_JOINT, at);
    if (is_named(at, "geom")) add_element(o, r, MJCF_GEOM, at);
    if (is_named(at, "site")) add_element(o, r, MJCF_SITE, at);
    if (!is_named(at, "body")) continue;
    add_element(o, r, MJCF_BODY, at);
    list_body(o, r, at, depth + 1);
  }
}

static void list_children(struct mjcf_lines *o, struct robot *r, xmlNodePtr section, enum mjcf_kind kind)
{
  for (xmlNodePtr at = section->children; at; at = at->next)
    if (at->type == XML_ELEMENT_NODE) add_element(o, r, kind, at);
}

void mjcf_lines_read(struct mjcf_lines *o, struct robot *r, const char *file)
{
  const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  xmlDocPtr tree = xmlReadFile(file, NULL, options);
  xmlNodePtr root = tree ? xmlDocGetRootElement(tree) : NULL;
  for (xmlNodePtr at = root ? root->children : NULL; at; at = at->next) {
    if (at->type != XML_ELEMENT_NODE) continue;
    if (is_named(at, "worldbody")) list_body(o, r, at, 0);
    if (is_named(at, "equality")) list_children(o, r, at, MJCF_EQUALITY);
    if (is_named(at, "actuator")) list_children(o, r, at, MJCF_ACTUATOR);
  }
  xmlFreeDoc(tree);
}

int mjcf_line(const struct mjcf_lines *o, enum mjcf_kind kind, int index, int count, const char *name)
{
  if (o->count[kind] == count && strcmp(o->element[kind][index].name, name) == 0)
    return o->element[kind][index].line;
  for (int i = 0; *name && i < o->count[kind]; i++)
    if (strcmp(o->element[kind][i].name, name) == 0) return o->element[kind][i].line;
  return 0;
}
