/* SPDX-License-Identifier: MIT
 * The files of the resources of an FMU, from the path or URI that the importer gives. Importers differ: a native path or a URI,
 * with or without a separator at its end, with %20 in place of a blank, relative, or wrong. If no file is there, the folder
 * ../../resources beside the object counts. */
#ifndef FMI_PLACE_H
#define FMI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the file `name`, which the caller frees. False with the reason in `why`. */
bool fmu_resource_read(const char *given, const char *name, char **bytes, size_t *size, char *why,
                       size_t why_size);

#endif
