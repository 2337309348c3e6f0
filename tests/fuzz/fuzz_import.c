/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a URDF file, under options that the first byte chooses. */
#include "import_robot.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool holds)
{
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  const unsigned bits = n ? bytes[0] : 0;
  const struct import o = {.file = "/nowhere/robot.urdf",
                           .base = (enum base)(bits % 3),
                           .drives = (enum drives)(bits / 3 % 5),
                           .density = bits & 16 ? 1000.0 : 0.0,
                           .acceleration = 2.0,
                           .frames = bits & 32 ? "*" : NULL,
                           .keep_fixed = bits & 64,
                           .repair_inertia = bits & 128};
  static struct notes notes;
  memset(&notes, 0, sizeof notes);
  notes.file = o.file;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  require(out != NULL);
  /* A byte before the robot is the choice of options. */
  const bool good = import_robot(&o, (const char *)bytes + (n ? 1 : 0), n ? n - 1 : 0, &notes, out);
  fclose(out);
  require(good == !notes.failed);
  require(good == (size > 0));
  require(!good || (strstr(text, "model:") && strstr(text, "  bodies:\n")));
  free(text);
  return 0;
}
