/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as a file with short forms. It is refused with a message, or the plain file that it expands to expands to
 * itself. */
#include "expand/expand.h"
#include "settings/values.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* The plain text, to be freed; NULL: the text was refused with a message. */
static char *expand_text(const void *bytes, size_t n)
{
  char path[40], *plain = NULL, *messages = NULL;
  size_t size = 0, message_size = 0;
  const int fd = memfd_create("short", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  FILE *out = open_memstream(&plain, &size), *errors = open_memstream(&messages, &message_size);
  if (!out || !errors) abort();

  struct yaml tree;
  struct expansion *x = calloc(1, sizeof *x);
  struct report r = {.out = errors};
  if (!x) abort();
  const bool good = yaml_read(&tree, path, &r) && expand_tree(x, &tree, &schema_expansion, &r);
  if (good) expand_print(tree.root, out);
  fclose(out);
  fclose(errors);
  if (good != (r.errors == 0) || (!good && !strstr(messages, "error:"))) abort();
  yaml_free(&tree);
  expansion_free(x);
  free(x);
  free(messages);
  close(fd);
  if (good) return plain;
  free(plain);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  char *plain = expand_text(bytes, n);
  char *again = plain ? expand_text(plain, strlen(plain)) : NULL;
  if (again && strcmp(plain, again) != 0) abort();
  free(again);
  free(plain);
  return 0;
}
