/* SPDX-License-Identifier: MIT
 * --platform=model: the rig itself as a model, from the geometry of the section platform. */
#ifndef DAEMON_PLATFORM_MODEL_H
#define DAEMON_PLATFORM_MODEL_H

#include "hexapod/types.h"

struct platform_spec;

/* Prints a file for a second daemon to standard output. spec: of an initialised platform, with its park pose. file: the name of
 * the configuration, for a comment. */
void platform_model(const struct platform_spec *spec, const char *file);

#endif
