/* SPDX-License-Identifier: MIT
 * What a program was built from, and how. */
#ifndef BASE_BUILD_INFO_H
#define BASE_BUILD_INFO_H

/* One line: commit of the sources ("+": with changes that were not committed), compiler, build type,
 * instruction sets of the kernels. Thread-safe, real-time safe. */
const char *build_info(void);

#endif
