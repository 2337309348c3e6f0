/* SPDX-License-Identifier: MIT
 * The examples are models of config/models, which the build puts into the program. */
#include "daemon/examples.h"

#include "daemon/example_files.h"
#include "daemon/exit_status.h"
#include "yaml/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *kind, *text;
} examples[] = {
    {"hexapod", example_hexapod}, {"delta", example_delta},      {"four_bar", example_four_bar},
    {"car", example_vehicle},     {"arm", example_six_axis_arm},
};

int example_print(const char *kind)
{
  struct nearest near = {.word = kind};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    nearest_try(&near, examples[i].kind);
    if (strcmp(examples[i].kind, kind) != 0) continue;
    fputs(examples[i].text, stdout);
    return STATUS_OK;
  }
  fprintf(stderr, "ali3d: --new: expected ");
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    fprintf(stderr, "%s%s", i ? ", " : "", examples[i].kind);
  fprintf(stderr, ", found %s", kind);
  if (near.best) fprintf(stderr, "; did you mean \"%s\"?", near.best);
  fputs("\nTry ali3d --help\n", stderr);
  return STATUS_USAGE;
}
