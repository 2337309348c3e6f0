/* SPDX-License-Identifier: MIT
 * The files of an FMU, which is a zip archive of a stranger. */
#ifndef FMU_UNPACK_H
#define FMU_UNPACK_H

#include "fmu/why.h"

#include <stddef.h>

/* Reads one entry, to be freed, with a zero after it. NULL: there is none, or it cannot be read; the reason is in `why`. */
char *fmu_read_entry(const char *file, const char *name, size_t *size, char why[FMU_WHY]);
/* True: the archive has this entry. */
bool fmu_has_entry(const char *file, const char *name);
/* Unpacks all entries below a new folder in TMPDIR, whose name is to be freed; NULL with the reason in `why`. */
char *fmu_unpack(const char *file, char why[FMU_WHY]);
/* Removes a folder that fmu_unpack() made, and frees the name. NULL: does nothing. */
void fmu_remove(char *folder);

#endif
