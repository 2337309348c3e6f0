/* SPDX-License-Identifier: MIT
 * What every header of libali3 stands between: C linkage, and functions that the shared library exports. */
#ifndef ALI3_EXPORT_H
#define ALI3_EXPORT_H

#ifdef __cplusplus
#define ALI3_BEGIN_DECLARATIONS                                                                              \
  extern "C" {                                                                                               \
  _Pragma("GCC visibility push(default)")
#define ALI3_END_DECLARATIONS                                                                                \
  _Pragma("GCC visibility pop")                                                                              \
  }
#else
#define ALI3_BEGIN_DECLARATIONS _Pragma("GCC visibility push(default)")
#define ALI3_END_DECLARATIONS   _Pragma("GCC visibility pop")
#endif

#endif
