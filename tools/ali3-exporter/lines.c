/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <jansson.h>
#include <math.h>

/* Text from shared memory need not be UTF-8, which the format demands; jansson checks it. */
void write_label(const char *value, FILE *out)
{
  json_t *valid = json_string(value);
  if (!valid) value = "?";
  for (; *value; value++) {
    if (*value == '\n')
      fputs("\\n", out);
    else if (*value == '"' || *value == '\\')
      fprintf(out, "\\%c", *value);
    else
      fputc(*value, out);
  }
  json_decref(valid);
}

/* Fifteen digits: the decimal precision of a double. */
static void write_value(double v, FILE *out)
{
  if (isnan(v))
    fputs("NaN\n", out);
  else if (isinf(v))
    fputs(v > 0.0 ? "+Inf\n" : "-Inf\n", out);
  else
    fprintf(out, "%.15g\n", v);
}

void write_heading(const char *type, const char *name, const char *help, FILE *out)
{
  fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The name of an instance needs no escapes. */
void write_line(const char *name, const struct present *p, const char *key, const char *label, double v,
                FILE *out)
{
  fprintf(out, "%s{daemon=\"%s\"", name, p->name);
  if (key) {
    fprintf(out, ",%s=\"", key);
    write_label(label, out);
    fputc('"', out);
  }
  fputs("} ", out);
  write_value(v, out);
}
