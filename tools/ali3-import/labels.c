/* SPDX-License-Identifier: MIT
 * Names for the model, which allows A-Z a-z 0-9 _ - only. */
#include "import.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_MOST = 48 }; /* forces add a word to it */

static bool is_taken(const char *const *others, int count, const char *label)
{
  for (int i = 0; i < count; i++)
    if (others[i] && strcmp(others[i], label) == 0) return true;
  return false;
}

static const char *make_label(struct robot *r, const char *name, const char *fallback, const char **others,
                              int count)
{
  char plain[LABEL_MOST + 1], label[LABEL_MOST + 16];
  size_t length = 0;
  for (const char *c = name; *c && length < LABEL_MOST; c++)
    plain[length++] =
        ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-') ? *c
                                                                                                        : '_';
  plain[length] = '\0';
  snprintf(label, sizeof label, "%s", length ? plain : fallback);
  for (int i = 2; is_taken(others, count, label) || strcmp(label, "ground") == 0; i++)
    snprintf(label, sizeof label, "%s_%d", length ? plain : fallback, i);
  return others[count] = robot_text(r, label);
}

static void note_label(struct notes *n, int line, const char *what, const char *name, const char *label)
{
  if (label && strcmp(name, label) != 0)
    note(n, line, "%s '%.100s' is called %s in the model", what, name, label);
}

bool labels_make(struct robot *r, struct notes *n)
{
  const char **bodies = robot_take(r, (size_t)r->groups, sizeof *bodies);
  const char **joints = robot_take(r, (size_t)(r->joints + r->loops), sizeof *joints);
  const char *whole[1] = {NULL};
  r->frame_label = robot_take(r, (size_t)r->links, sizeof *r->frame_label);
  if (!bodies || !joints || !r->frame_label) return note_error(n, 0, "out of memory");
  /* Name the bodies, then the joints and sensors, each kind on its own. */
  bool good = (r->label = make_label(r, r->name, "robot", whole, 0)) != NULL;
  for (int g = 0, count = 0; g < r->groups; g++) {
    const struct link *l = &r->link[r->group[g].name_link];
    if (r->group[g].dropped) continue;
    if (r->group[g].ground) {
      r->group[g].label = "ground";
      continue;
    }
    good &= (r->group[g].label = make_label(r, l->name, "link", bodies, count++)) != NULL;
    note_label(n, l->line, "link", l->name, r->group[g].label);
  }
  int count = 0;
  for (int i = 0; i < r->joints; i++) {
    struct joint *j = &r->joint[i];
    if (j->dropped) continue;
    good &= (j->label = make_label(r, j->name, "joint", joints, count++)) != NULL;
    if (r->link[j->parent].group != r->link[j->child].group)
      note_label(n, j->line, "joint", j->name, j->label);
  }
  for (int i = 0; i < r->loops; i++)
    good &= (r->loop[i].label =
                 make_label(r, r->loop[i].name ? r->loop[i].name : "loop", "loop", joints, count++)) != NULL;
  for (int i = 0; i < r->links; i++)
    good &= make_label(r, r->link[i].name, "frame", r->frame_label, i) != NULL;
  return good || note_error(n, 0, "out of memory");
}
