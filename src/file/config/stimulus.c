/* SPDX-License-Identifier: MIT */
#include "config/stimulus.h"

#include "config/values.h"
#include "yaml/text_file.h"

#include <stdlib.h>
#include <string.h>

/* Reads the table into the next place. Mistakes are reported. */
static void read_table_of(const struct node *n, const struct stimulus_values *v, struct settings *s,
                          struct report *r)
{
  char error[500] = "out of memory";
  struct stimulus *t = &s->stimulus[s->stimuli];
  char *path = path_beside(r->source->file, v->file);
  *t = (struct stimulus){.held = v->interpolate == 1, .loops = v->loop, .with_motion = v->start == 1};
  t->name = strdup(v->name);
  const bool good = path && t->name && stimulus_read(t, path, s->signals, error, sizeof error);
  free(path);
  if (good) {
    s->stimuli++;
    return;
  }
  report_error(r, node_find(n, "file")->at, "file: %s", error);
  stimulus_free(t);
}

bool stimuli_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  struct names seen = {0};
  bool memory = true;
  s->stimulus = calloc(STIMULI_MAX, sizeof *s->stimulus);
  if (!s->stimulus) return false;
  for (const struct node *n = list->first; n && memory; n = n->next) {
    struct stimulus_values v = {0};
    if (n->kind != NODE_MAP || !schema_read(&schema_stimulus, n, &v, r)) continue;
    if (!check_element_name(r, n, v.name, &seen, "stimulus")) continue;
    if (s->stimuli == STIMULI_MAX)
      report_error(r, n->at, "stimulus: expected at most %d", STIMULI_MAX);
    else
      read_table_of(n, &v, s, r);
    memory = names_add(&seen, v.name, s->stimuli);
  }
  /* An input that names its sources takes values of the file, too, unless it brings a sign of the rig. */
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].sources && !input_is_of_rig(s->input[i].kind))
      s->input[i].sources |= UINT64_C(1) << SOURCE_INNER;
  names_free(&seen);
  return memory;
}
