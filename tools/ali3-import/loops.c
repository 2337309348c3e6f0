/* SPDX-License-Identifier: MIT
 * What URDF cannot say, from a file beside it: joints that close loops, joints of other types, and which joints have motors.
 *
 * The file is YAML in one of two forms, or SRDF (loops_srdf.c). The first form is ours: loops, with names of two links, and
 * motors. The other one is robot.yaml of example-parallel-robots: closed_loop, type, name_mot, joint_name, joint_type. */
#include "loops.h"

#include "import.h"
#include "yaml/yaml.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool refuse_node(const struct loops_file *f, const struct node *at, const char *expected)
{
  char shown[NODE_SHOWN];
  return note_error(f->notes, 0, "%s:%d: expected %s, found %s", f->name, at->at.line, expected,
                    node_show(at, shown));
}

static bool find_named_link(const struct loops_file *f, const struct node *at, int *link)
{
  *link = at->kind == NODE_SCALAR ? loops_find_link(f, at->text) : NONE;
  return *link != NONE || refuse_node(f, at, "the name of a link of the robot");
}

static struct joint *find_named_joint(const struct loops_file *f, const struct node *at)
{
  const int joint = at->kind == NODE_SCALAR ? robot_find_joint(f->robot, at->text) : NONE;
  if (joint != NONE) return &f->robot->joint[joint];
  refuse_node(f, at, "the name of a joint of the robot");
  return NULL;
}

static bool take_axis_of_loop(const struct loops_file *f, const struct node *at, double axis[3])
{
  const struct node *part = at->kind == NODE_LIST && at->count == 3 ? at->first : NULL;
  double length = 0.0;
  for (int i = 0; part && i < 3; i++, part = part->next) {
    char *end = NULL;
    axis[i] = part->kind == NODE_SCALAR ? strtod(part->text, &end) : NAN;
    if (!end || *end || end == part->text) axis[i] = NAN;
    length = hypot(length, axis[i]);
  }
  if (!(length > 1e-9) || !isfinite(length)) return refuse_node(f, at, "an axis [x, y, z]");
  for (int i = 0; i < 3; i++) axis[i] /= length;
  return true;
}

/* An entry of our own list. */
static bool take_own_loop(const struct loops_file *f, const struct node *entry)
{
  static const char *const types[] = {"fixed", "spherical", "revolute", "cylindrical", "planar", NULL};
  const struct node *end[2] = {node_find(entry, "frame_a"), node_find(entry, "frame_b")};
  if (entry->kind != NODE_MAP || !end[0] || !end[1])
    return refuse_node(f, entry, "{name: .., type: .., frame_a: LINK, frame_b: LINK}");
  struct loop *loop = loops_add(f, entry->at.line);
  if (!loop) return false;
  /* Take each key. */
  for (const struct node *at = entry->first; at; at = at->next) {
    if (strcmp(at->key, "name") == 0 && at->kind == NODE_SCALAR) {
      loop->name = robot_text(f->robot, at->text);
    } else if (strcmp(at->key, "type") == 0) {
      int i = 0;
      while (types[i] && (at->kind != NODE_SCALAR || strcmp(types[i], at->text) != 0)) i++;
      if (!types[i]) return refuse_node(f, at, "fixed, spherical, revolute, cylindrical or planar");
      loop->type = types[i];
    } else if (strcmp(at->key, "axis") == 0) {
      if (!take_axis_of_loop(f, at, loop->axis)) return false;
    } else if (at != end[0] && at != end[1]) {
      return note_error(f->notes, 0,
                        "%s:%d: unknown key '%.60s': expected name, type, frame_a, frame_b or axis", f->name,
                        at->key_at.line, at->key);
    }
  }
  return find_named_link(f, end[0], &loop->link[0]) && find_named_link(f, end[1], &loop->link[1]) &&
         loops_check(f, loop);
}

/* closed_loop: pairs of links, type: 6d or 3d for each. */
static bool take_pairs(const struct loops_file *f, const struct node *pairs, const struct node *types)
{
  const struct node *type = types && types->kind == NODE_LIST ? types->first : NULL;
  if (pairs->kind != NODE_LIST) return refuse_node(f, pairs, "a list of pairs of links");
  if (types && types->kind == NODE_LIST && types->count != pairs->count)
    return refuse_node(f, types, "a type for each pair of closed_loop");
  for (const struct node *pair = pairs->first; pair; pair = pair->next, type = type ? type->next : NULL) {
    if (pair->kind != NODE_LIST || pair->count != 2) return refuse_node(f, pair, "a pair of links");
    struct loop *loop = loops_add(f, pair->at.line);
    if (!loop || !find_named_link(f, pair->first, &loop->link[0]) ||
        !find_named_link(f, pair->first->next, &loop->link[1]) || !loops_check(f, loop))
      return false;
    if (!type || (type->kind == NODE_SCALAR && strcasecmp(type->text, "6d") == 0)) continue;
    if (type->kind != NODE_SCALAR || strcasecmp(type->text, "3d") != 0)
      return refuse_node(f, type, "6d or 3d");
    loop->type = "spherical";
  }
  return true;
}

static bool take_motors(const struct loops_file *f, const struct node *motors)
{
  if (motors->kind != NODE_LIST) return refuse_node(f, motors, "a list of joints");
  f->robot->motors_named = true;
  for (const struct node *at = motors->first; at; at = at->next) {
    struct joint *j = find_named_joint(f, at);
    if (!j) return false;
    j->motor = true;
  }
  return true;
}

/* UJOINT_XY: two axes of the joint's frame, the first one on the parent. */
static bool take_universal(struct joint *j, const char *axes)
{
  const int first = axes[0] - 'X', second = axes[0] ? axes[1] - 'X' : -1;
  if (first < 0 || first > 2 || second < 0 || second > 2 || first == second || axes[2]) return false;
  j->type = JOINT_UNIVERSAL;
  for (int i = 0; i < 3; i++) {
    j->axis[i] = i == first;
    j->second_axis[i] = i == second;
  }
  return true;
}

static bool take_joint_types(const struct loops_file *f, const struct node *names, const struct node *types)
{
  if (names->kind != NODE_LIST || types->kind != NODE_LIST || names->count != types->count)
    return refuse_node(f, types, "a type for each name of joint_name");
  const struct node *type = types->first;
  for (const struct node *at = names->first; at; at = at->next, type = type->next) {
    struct joint *j = find_named_joint(f, at);
    if (!j) return false;
    const char *word = type->kind == NODE_SCALAR ? type->text : "";
    if (strcmp(word, "SPHERICAL") == 0)
      j->type = JOINT_SPHERICAL;
    else if (strcmp(word, "FIXED") == 0)
      j->type = JOINT_FIXED;
    else if (strncmp(word, "UJOINT_", 7) != 0 || !take_universal(j, word + 7))
      return refuse_node(f, type, "SPHERICAL, FIXED, or UJOINT_ with two of X, Y, Z");
  }
  return true;
}

static bool take_section(const struct loops_file *f, const struct node *root, const struct node *at)
{
  const char *key = at->key;
  if (strcmp(key, "loops") == 0) {
    if (at->kind != NODE_LIST) return refuse_node(f, at, "a list of loops");
    for (const struct node *entry = at->first; entry; entry = entry->next)
      if (!take_own_loop(f, entry)) return false;
    return true;
  }
  if (strcmp(key, "closed_loop") == 0) return take_pairs(f, at, node_find(root, "type"));
  if (strcmp(key, "motors") == 0 || strcmp(key, "name_mot") == 0) return take_motors(f, at);
  if (strcmp(key, "joint_name") == 0) {
    const struct node *types = node_find(root, "joint_type");
    return types ? take_joint_types(f, at, types) : refuse_node(f, at, "joint_type beside it");
  }
  if (strcmp(key, "type") != 0 && strcmp(key, "joint_type") != 0)
    note(f->notes, 0, "%s:%d: the key '%.60s' is not imported", f->name, at->key_at.line, key);
  return true;
}

/* True if the first character of the file begins an element. A file that cannot be read is reported by the reader of YAML. */
static bool is_xml(const char *path)
{
  FILE *file = fopen(path, "re");
  int c = EOF;
  if (file) {
    do c = getc(file);
    while (c != EOF && (isspace(c) || c == 0xef || c == 0xbb || c == 0xbf)); /* a byte order mark */
    fclose(file);
  }
  return c == '<';
}

bool loops_read(struct robot *r, const struct import *o, struct notes *n)
{
  if (!o->loops) return true;
  struct report report = {.out = n->to ? n->to : stderr};
  struct yaml tree = {0};
  const struct loops_file f = {r, n, o->loops};
  if (is_xml(o->loops)) return loops_read_srdf(&f);
  bool good = yaml_read(&tree, o->loops, &report);
  if (good && (!tree.root || tree.root->kind != NODE_MAP))
    good = note_error(n, 0, "%s: expected the keys loops or closed_loop", o->loops);
  for (const struct node *at = good ? tree.root->first : NULL; at && good; at = at->next)
    good = take_section(&f, tree.root, at);
  yaml_free(&tree);
  if (!good) n->failed = true;
  return good;
}
