/* SPDX-License-Identifier: MIT */
#include "signals/clocking.h"

const char *clocking_name(unsigned clocking)
{
#define NAME(id, text) [(id)] = (text),
  static const char *const names[] = {CLOCKING_LIST(NAME)};
  return clocking < sizeof names / sizeof *names ? names[clocking] : "?";
}

const char *overrun_name(unsigned overrun)
{
  static const char *const names[] = {OVERRUN_LIST(NAME)};
#undef NAME
  return overrun < sizeof names / sizeof *names ? names[overrun] : "?";
}
