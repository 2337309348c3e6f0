/* SPDX-License-Identifier: MIT
 * Lists that may stand in a file of their own, in place of which {file: PATH} is written. Set-up only. */
#include "config/values.h"

#include <stdlib.h>
#include <string.h>

char *path_beside(const char *file, const char *path)
{
  const char *slash = path[0] == '/' ? NULL : strrchr(file, '/');
  size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
  size_t length = strlen(path) + 1;
  char *joined = malloc(folder + length);
  if (!joined) return NULL;
  memcpy(joined, file, folder);
  memcpy(joined + folder, path, length);
  return joined;
}

/* Nothing of the file is shown before the list is there: it may be any file that a configuration names. The values that the
 * schema reads are of no use: this checks the keys. */
static const struct node *find_list(struct list_file *l, const struct section *keys, const char *section,
                                    const char *key, struct report *r)
{
  struct file_values unused = {0};
  const struct node *above = section ? node_find(l->tree.root, section) : l->tree.root;
  const struct node *list = node_find(above, key);
  if (list) {
    l->tree.source.shown = true;
    return schema_read(keys, l->tree.root, &unused, r) ? list : NULL;
  }
  report_error(r, l->tree.root->at,
               "expected a list of mappings under %s%s%s in this included file, found none",
               section ? section : "", section ? "." : "", key);
  return NULL;
}

bool list_open(struct list_file *l, const struct node *file, const struct section *keys, const char *section,
               const char *key, struct report *r)
{
  *l = (struct list_file){.here = r->source, .file = file, .errors = r->errors};
  char *path = path_beside(r->source->file, file->text);
  if (!path) return false;
  if (yaml_read_part(&l->tree, path, r)) l->list = find_list(l, keys, section, key, r);
  free(path);
  return true;
}

void list_close(struct list_file *l, struct report *r)
{
  r->source = l->here;
  if (r->errors > l->errors) report_error(r, l->file->at, "file: the list in this file could not be used");
  yaml_free(&l->tree);
}
