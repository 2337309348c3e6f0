/* SPDX-License-Identifier: MIT */
#include "coordinates/problem.h"

#include <stdarg.h>
#include <stdio.h>

bool problem_refuse(struct lab_refusal *why, const char *element, int index, const char *format, ...)
{
  va_list arguments;
  why->element = element;
  why->index = index;
  va_start(arguments, format);
  vsnprintf(why->text, sizeof why->text, format, arguments);
  va_end(arguments);
  return false;
}
