/* SPDX-License-Identifier: MIT
 * All stages of an import. */
#ifndef IMPORT_IMPORT_ROBOT_H
#define IMPORT_IMPORT_ROBOT_H

#include "import.h"

/* From the bytes of a URDF file to a model file on `out`. False: an error was reported, and nothing was written. Bytes in MJCF
 * only say that o->file is read with libmujoco. */
bool import_robot(const struct import *o, const char *bytes, size_t count, struct notes *n, FILE *out);

#endif
