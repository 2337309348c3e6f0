/* SPDX-License-Identifier: MIT
 * MJCF: names of elements. */
#include "convert.h"

#include <string.h>

bool convert_no_memory(struct convert *c)
{
  return note_error(c->notes, 0, "out of memory");
}

const char *model_name(const struct convert *c, const int *address, int index)
{
  return c->m->names + address[index];
}

const char *given_name(const struct convert *c, const int *address, int index, const char *word)
{
  char made[40];
  const char *name = model_name(c, address, index);
  snprintf(made, sizeof made, "%s_%d", word, index);
  return robot_text(c->robot, *name ? name : made);
}
