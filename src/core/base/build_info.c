/* SPDX-License-Identifier: MIT */
#include "base/build_info.h"

#include "base/commit.h" /* made by commit.cmake */
#include "base/isa_built.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif
#define ISA_WORD(name) " " #name

const char *build_info(void)
{
  return "commit " ALI3_COMMIT ", " COMPILER ", " ALI3_BUILD_TYPE ", kernels for" ISA_BUILT(ISA_WORD);
}
