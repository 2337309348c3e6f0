/* SPDX-License-Identifier: MIT
 * Reads MJCF with libmujoco, which is opened when a file needs it. The library parses and compiles the file; its model becomes a
 * robot. */
#ifndef IMPORT_MJCF_H
#define IMPORT_MJCF_H

#include "import.h"

/* Fills a zeroed robot from the file o->file. False: an error was reported. The caller calls robot_free() in both cases. */
bool mjcf_read(struct robot *r, const struct import *o, struct notes *n);

#endif
