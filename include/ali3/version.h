/* SPDX-License-Identifier: MIT
 * The version of the project, and of the binary interface of libali3. The build reads ALI3_VERSION here. */
#ifndef ALI3_VERSION_H
#define ALI3_VERSION_H

#include <ali3/export.h>

#define ALI3_VERSION_MAJOR 0
#define ALI3_VERSION_MINOR 1
#define ALI3_VERSION_PATCH 0
#define ALI3_VERSION       "0.1.0"
/* For comparisons: 100 for 0.1.0, 10203 for 1.2.3. */
#define ALI3_VERSION_NUMBER (10000 * ALI3_VERSION_MAJOR + 100 * ALI3_VERSION_MINOR + ALI3_VERSION_PATCH)

/* Rises when the size, or the place of a field, of a public struct changes, or the value of a public constant. A program that loads the
 * library at run time, and bindings of other languages, compare it with ali3_abi(). */
#define ALI3_ABI 12

ALI3_BEGIN_DECLARATIONS
/* Version and binary interface of the linked library. ALI3_VERSION and ALI3_ABI describe the headers. Thread-safe, real-time
 * safe. */
const char *ali3_version(void);
unsigned ali3_abi(void);
ALI3_END_DECLARATIONS

#endif
