/* SPDX-License-Identifier: MIT
 * Lists that stand in files of their own: maps and packets. Set-up only. */
#include "expand/expand.h"
#include "settings/values.h"
#include "yaml/sets.h"
#include "yaml/text_file.h"

#include <stdlib.h>

/* Makes the short forms of the file plain. Its parameters are its own. False after a mistake, which is reported. */
static bool expand_list_file(struct list_file *l, const struct section *keys, struct report *r)
{
  struct expand_rules rules = schema_expansion;
  rules.file = keys;
  l->expansion = calloc(1, sizeof *l->expansion);
  if (l->expansion) return expand_tree(l->expansion, &l->tree, &rules, r);
  report_error(r, l->file->at, "out of memory");
  return false;
}

/* The report shows no line of a file that has no list: a configuration could name any file of the machine. schema_read() only
 * checks the keys; its values are not used. */
static const struct node *find_list(struct list_file *l, const struct section *keys, const char *section,
                                    const char *key, struct report *r)
{
  struct file_values unused = {0};
  const struct node *above = section ? node_find(l->tree.root, section) : l->tree.root;
  const struct node *list = node_find(above, key);
  if (list) {
    l->tree.source.shown = true;
    /* Values from the command line may replace nodes: find the list again. */
    char path[64];
    snprintf(path, sizeof path, "%s%s%s", section ? section : "", section ? "." : "", key);
    sets_put(&l->tree, path, SETS_ONCE, r);
    if (!expand_list_file(l, keys, r)) return NULL;
    list = node_find(section ? node_find(l->tree.root, section) : l->tree.root, key);
    return schema_read(keys, l->tree.root, &unused, r) ? list : NULL;
  }
  report_error(r, l->tree.root->at,
               "expected a list of mappings with the key %s%s%s in this included file, found none",
               section ? section : "", section ? "." : "", key);
  return NULL;
}

bool list_open(struct list_file *l, const struct node *file, const struct section *keys, const char *section,
               const char *key, struct report *r)
{
  *l = (struct list_file){.here = r->source, .file = file, .errors = r->errors, .origins = r->origins};
  char *path = path_beside(r->source->file, file->text);
  if (!path) return false;
  if (yaml_read_part(&l->tree, path, r)) l->list = find_list(l, keys, section, key, r);
  free(path);
  return true;
}

void list_close(struct list_file *l, struct report *r)
{
  r->source = l->here;
  r->origins = l->origins;
  if (r->errors > l->errors)
    report_error(r, l->file->at, "file: the list in this file has mistakes, or cannot be read");
  yaml_free(&l->tree);
  if (l->expansion) expansion_free(l->expansion);
  free(l->expansion);
}
