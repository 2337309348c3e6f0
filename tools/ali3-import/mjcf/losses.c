/* SPDX-License-Identifier: MIT
 * MJCF: what a model of ali3d does not have. */
#include "convert.h"

static void note_count(struct convert *c, int count, const char *what)
{
  if (count == 1) note(c->notes, 0, "1 %s is not imported", what);
  if (count > 1) note(c->notes, 0, "%d %ss are not imported", count, what);
}

void note_losses(struct convert *c)
{
  const mjModel *m = c->m;
  /* Elements. */
  note_count(c, m->ntendon, "tendon");
  note_count(c, m->nsensor, "sensor");
  note_count(c, m->npair, "contact pair");
  note_count(c, m->nskin, "skin");
  note_count(c, m->nmocap, "target of motion capture");
  if (m->nkey > 0 && !c->robot->posed)
    note(c->notes, 0, "keyframes are not imported; --pose NAME starts at one of them");
  /* Forces of the whole. */
  int contacts = 0;
  for (int i = 0; i < m->ngeom; i++) contacts += m->geom_contype[i] || m->geom_conaffinity[i];
  if (contacts) note(c->notes, 0, "contacts are not imported: bodies pass through each other");
  if (m->opt.density > 0.0 || m->opt.viscosity > 0.0) note(c->notes, 0, "forces of a fluid are not imported");
  if (m->opt.disableflags & mjDSBL_PASSIVE)
    note(c->notes, 0, "the flag that turns springs and dampers off is not imported");
  /* Springs of joints. */
  for (int i = 0; i < c->robot->joints; i++) {
    const struct joint *j = &c->robot->joint[i];
    if (j->armature > 0.0 && !c->options->armature)
      note_often(c->notes, j->line, "the armature of a joint is not imported; --armature makes rotors of it");
  }
}
