/* SPDX-License-Identifier: MIT
 * FMUs of other tools, for ali3-fmu and ali3-link: why.h reasons of failures, unpack.h their archives, reader.h their
 * descriptions, units.h units, importer.h a run. */
#ifndef FMU_WHY_H
#define FMU_WHY_H

#include <stdbool.h>

enum { FMU_WHY = 600 };
/* Writes the reason of a failure, which the caller prints. Returns false. */
__attribute__((format(printf, 2, 3))) bool fmu_fail(char why[FMU_WHY], const char *format, ...);

#endif
