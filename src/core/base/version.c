/* SPDX-License-Identifier: MIT */
#include <ali3/ali3.h>

const char *ali3_version(void)
{
  return ALI3_VERSION;
}
