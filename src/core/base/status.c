/* SPDX-License-Identifier: MIT */
#include <ali3/status.h>

const char *ali3_status_text(int status)
{
  switch (status) {
#define STATUS_CASE(name, value, text)                                                                       \
  case value:                                                                                                \
    return text;
    ALI3_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  default:
    return "unknown status";
  }
}
