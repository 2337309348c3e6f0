/* SPDX-License-Identifier: MIT */
#include "config/inner.h"

#include <string.h>

/* Takes keys out of a mapping. */
static void leave_out(struct node *map, const char *const *keys)
{
  struct node **at = map && map->kind == NODE_MAP ? &map->first : NULL;
  while (at && *at) {
    const char *const *key = keys;
    while (*key && strcmp(*key, (*at)->key) != 0) key++;
    if (*key) {
      *at = (*at)->next;
      map->count--;
    } else {
      at = &(*at)->next;
    }
  }
}

void leave_out_interfaces(struct node *root)
{
  static const char *const sections[] = {"devices", "packets", "telemetry", "stimulus", "state", NULL},
                           *const keys[] = {"map", "targets", "serial", "sources", NULL};
  leave_out(root, sections);
  for (struct node *n = root->kind == NODE_MAP ? root->first : NULL; n; n = n->next) {
    if (strcmp(n->key, "osc") == 0 || strcmp(n->key, "modbus") == 0) leave_out(n, keys);
    if (strcmp(n->key, "inputs") != 0) continue;
    for (struct node *input = n->first; input; input = input->next) leave_out(input, keys);
  }
}
