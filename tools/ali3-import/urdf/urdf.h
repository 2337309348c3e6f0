/* SPDX-License-Identifier: MIT
 * Reads URDF. The bytes may come from anybody. */
#ifndef IMPORT_URDF_H
#define IMPORT_URDF_H

#include "notes.h"
#include "robot.h"

/* Fills a zeroed robot. False: an error was reported. The caller calls robot_free() in both cases. */
bool urdf_read(struct robot *r, const char *bytes, size_t count, struct notes *n);

#endif
