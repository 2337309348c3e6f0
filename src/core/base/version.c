/* SPDX-License-Identifier: MIT */
#include <ali3/version.h>

const char *ali3_version(void)
{
  return ALI3_VERSION;
}

unsigned ali3_abi(void)
{
  return ALI3_ABI;
}
