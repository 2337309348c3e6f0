/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <ali3/model.h>
#include <stdarg.h>
#include <stdio.h>

int model_refuse(ali3_model *m, int status, const char *element, const char *field, const char *format, ...)
{
  m->problem = (ali3_problem){.status = status, .element = element, .field = field};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(m->problem.text, sizeof m->problem.text, format, arguments);
  va_end(arguments);
  return status;
}
