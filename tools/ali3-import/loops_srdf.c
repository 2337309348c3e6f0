/* SPDX-License-Identifier: MIT
 * Loops from SRDF: <loop_constraint frame1="LINK" frame2="LINK" mask="x z pitch"/>. The mask lists the motions that the loop
 * prevents, in the axes of the frames; without a mask it is all six. Joints of <passive_joint name="JOINT"/> have no motor. */
#include "loops.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <string.h>

enum { X = 1, Y = 2, Z = 4, ROLL = 8, PITCH = 16, YAW = 32, PLACE = X | Y | Z, TURN = ROLL | PITCH | YAW };

/* The joint that prevents the motions of a mask. `more`: it prevents others, too. */
struct mask_row {
  int mask;
  const char *type;
  double axis[3];
  bool more;
};

static const struct mask_row mask_rows[] = {
    {PLACE | TURN, "fixed", {0, 0, 1}, false},
    {PLACE, "spherical", {0, 0, 1}, false},
    {PLACE | PITCH | YAW, "revolute", {1, 0, 0}, false},
    {PLACE | ROLL | YAW, "revolute", {0, 1, 0}, false},
    {PLACE | ROLL | PITCH, "revolute", {0, 0, 1}, false},
    {Y | Z | PITCH | YAW, "cylindrical", {1, 0, 0}, false},
    {X | Z | ROLL | YAW, "cylindrical", {0, 1, 0}, false},
    {X | Y | ROLL | PITCH, "cylindrical", {0, 0, 1}, false},
    {X | PITCH | YAW, "planar", {1, 0, 0}, false},
    {Y | ROLL | YAW, "planar", {0, 1, 0}, false},
    {Z | ROLL | PITCH, "planar", {0, 0, 1}, false},
    /* Loops of a plane: its joints prevent the other motions. */
    {Y | Z | ROLL, "fixed", {0, 0, 1}, true},
    {X | Z | PITCH, "fixed", {0, 0, 1}, true},
    {X | Y | YAW, "fixed", {0, 0, 1}, true},
    {Y | Z, "spherical", {0, 0, 1}, true},
    {X | Z, "spherical", {0, 0, 1}, true},
    {X | Y, "spherical", {0, 0, 1}, true},
};

static const char known_masks[] = "x y z with none, two or all of roll pitch yaw; two of x y z with none, "
                                  "with the turn about the third one, or with both "
                                  "other turns; one of x y z with both turns about the others";

/* False: a word that is no motion. */
static bool read_mask(const char *text, int *mask)
{
  static const char *const word[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  *mask = 0;
  for (const char *at = text; *(at += strspn(at, " \t\r\n,"));) {
    const size_t length = strcspn(at, " \t\r\n,");
    int i = 0;
    while (i < 6 && (strlen(word[i]) != length || strncmp(word[i], at, length) != 0)) i++;
    if (i == 6) return false;
    *mask |= 1 << i;
    at += length;
  }
  return true;
}

static bool take_mask(const struct loops_file *f, struct loop *loop, const char *text)
{
  int mask = PLACE | TURN;
  if (text && !read_mask(text, &mask)) mask = 0;
  for (size_t i = 0; i < sizeof mask_rows / sizeof mask_rows[0]; i++) {
    const struct mask_row *row = &mask_rows[i];
    if (row->mask != mask) continue;
    loop->type = row->type;
    memcpy(loop->axis, row->axis, sizeof loop->axis);
    if (row->more)
      note(f->notes, 0,
           "%s:%d: mask '%.60s': the loop is %s, which prevents the other motions, too; in a loop of one "
           "plane "
           "its joints do so anyway",
           f->name, loop->line, text, row->type);
    return true;
  }
  return note_error(f->notes, 0, "%s:%d: mask: expected %s; found '%.60s'", f->name, loop->line, known_masks,
                    text ? text : "");
}

/* Index of the link that an attribute names; NONE: an error was reported. */
static int take_loop_end(const struct loops_file *f, xmlNodePtr at, const char *attribute)
{
  xmlChar *name = xmlGetNoNsProp(at, (const xmlChar *)attribute);
  const int link = name ? loops_find_link(f, (const char *)name) : NONE;
  if (link == NONE)
    note_error(f->notes, 0, "%s:%ld: %s: expected the name of a link of the robot, found '%.60s'", f->name,
               xmlGetLineNo(at), attribute, name ? (const char *)name : "");
  xmlFree(name);
  return link;
}

static bool take_constraint(const struct loops_file *f, xmlNodePtr at)
{
  struct loop *loop = loops_add(f, (int)xmlGetLineNo(at));
  if (!loop) return false;
  for (int i = 0; i < 2; i++) {
    loop->link[i] = take_loop_end(f, at, i ? "frame2" : "frame1");
    if (loop->link[i] == NONE) return false;
  }
  xmlChar *mask = xmlGetNoNsProp(at, (const xmlChar *)"mask"),
          *name = xmlGetNoNsProp(at, (const xmlChar *)"name");
  if (name) loop->name = robot_text(f->robot, (const char *)name);
  const bool good = take_mask(f, loop, (const char *)mask) && loops_check(f, loop);
  xmlFree(mask);
  xmlFree(name);
  return good;
}

/* All joints but the passive ones have motors. */
static bool take_passive(const struct loops_file *f, xmlNodePtr at)
{
  struct robot *r = f->robot;
  xmlChar *name = xmlGetNoNsProp(at, (const xmlChar *)"name");
  const int joint = name ? robot_find_joint(r, (const char *)name) : NONE;
  if (!r->motors_named)
    for (int i = 0; i < r->joints; i++) r->joint[i].motor = true;
  r->motors_named = true;
  if (joint == NONE)
    note_error(f->notes, 0,
               "%s:%ld: <passive_joint>: expected the name of a joint of the robot, found '%.60s'", f->name,
               xmlGetLineNo(at), name ? (const char *)name : "");
  else
    r->joint[joint].motor = false;
  xmlFree(name);
  return joint != NONE;
}

bool loops_read_srdf(const struct loops_file *f)
{
  xmlParserCtxtPtr parser = xmlNewParserCtxt();
  if (!parser) return note_error(f->notes, 0, "out of memory");
  xmlDocPtr tree =
      xmlCtxtReadFile(parser, f->name, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  const xmlError *mistake = xmlCtxtGetLastError(parser);
  bool good = tree && xmlDocGetRootElement(tree);
  if (!good) {
    char text[200];
    snprintf(text, sizeof text, "%s", mistake && mistake->message ? mistake->message : "damaged");
    text[strcspn(text, "\n")] = '\0';
    note_error(f->notes, 0, "%s:%d: not well-formed XML: %s", f->name, mistake ? mistake->line : 1, text);
  }
  /* Take its elements. */
  int loops = 0;
  for (xmlNodePtr at = good ? xmlDocGetRootElement(tree)->children : NULL; at && good; at = at->next) {
    if (at->type != XML_ELEMENT_NODE) continue;
    if (strcmp((const char *)at->name, "passive_joint") == 0) good = take_passive(f, at);
    if (strcmp((const char *)at->name, "loop_constraint") != 0) continue;
    good = take_constraint(f, at);
    loops++;
  }
  if (good && !loops) good = note_error(f->notes, 0, "%s: expected <loop_constraint>, found none", f->name);
  xmlFreeDoc(tree);
  xmlFreeParserCtxt(parser);
  return good;
}
