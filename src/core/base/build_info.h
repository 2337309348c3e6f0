/* SPDX-License-Identifier: MIT
 * The build of a program. */
#ifndef BASE_BUILD_INFO_H
#define BASE_BUILD_INFO_H

/* One line: commit of the sources ("+": with uncommitted changes), compiler, build type, instruction sets of the kernels.
 * Thread-safe, real-time safe. */
const char *build_info(void);

#endif
