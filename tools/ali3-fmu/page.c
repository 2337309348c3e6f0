/* SPDX-License-Identifier: MIT
 * documentation/index.html of an FMU. */
#include "fmu_tool.h"

#include <ali3/model.h>
#include <ali3/version.h>
#include <math.h>

static void put_html_text(FILE *out, const char *text)
{
  for (const char *c = text; *c; c++) {
    const char *code = *c == '&'   ? "&amp;"
                       : *c == '<' ? "&lt;"
                       : *c == '>' ? "&gt;"
                       : *c == '"' ? "&quot;"
                                   : NULL;
    if (code)
      fputs(code, out);
    else
      fputc(*c, out);
  }
}

static void put_html_cell(FILE *out, const char *text)
{
  fputs("<td>", out);
  put_html_text(out, text);
  fputs("</td>", out);
}

/* The range of a variable that the importer sets. */
static void put_range_cell(FILE *out, const struct fmu_variable *v, bool set)
{
  char lower[40], upper[40], rate[40], text[200] = "";
  if (set && isfinite(v->lower) && isfinite(v->upper))
    snprintf(text, sizeof text, "%s %s to %s", v->flags & FMU_OPEN_LOWER ? "above" : "",
             number_text(v->lower, lower), number_text(v->upper, upper));
  else if (set && isfinite(v->lower))
    snprintf(text, sizeof text, "%s %s", v->flags & FMU_OPEN_LOWER ? "above" : "from",
             number_text(v->lower, lower));
  put_html_cell(out, text);
  snprintf(text, sizeof text, "%s", set && v->rate > 0.0 ? number_text(v->rate, rate) : "");
  put_html_cell(out, text);
}

static void put_html_table(FILE *out, const struct exports *p)
{
  fputs("<table><thead><tr><th>reference</th><th>name</th><th>causality</th><th>unit</th><th>start</th>"
        "<th>range</th><th>largest change per second</th><th>meaning</th></tr></thead><tbody>\n",
        out);
  /* A row for each value reference. */
  for (int i = 0; i < p->table.count; i++) {
    const struct fmu_variable *v = &p->table.variable[i];
    const struct exported *one = &p->exported[i];
    const bool set = one->causality == INPUT || one->causality == PARAMETER;
    char number[40];
    fprintf(out, "<tr><td>%d</td>", i);
    put_html_cell(out, one->name);
    put_html_cell(out, causality_word[one->causality]);
    put_html_cell(out, one->unit);
    put_html_cell(out, set ? number_text(v->start, number) : "");
    put_range_cell(out, v, set);
    put_html_cell(out, one->text ? one->text : "");
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table>\n", out);
}

char *page_write(const struct description_head *h, const struct exports *p, const struct settings *s,
                 size_t *size)
{
  char *text = NULL, number[40];
  FILE *out = open_memstream(&text, size);
  if (!out) return NULL;
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
  put_html_text(out, h->name);
  fputs("</title><style>body{font-family:sans-serif;margin:2em;max-width:70em}table{border-collapse:collapse}"
        "td,th{border:1px solid #999;padding:.2em .5em;text-align:left}</style></head><body>\n<h1>",
        out);
  put_html_text(out, h->name);
  fprintf(out,
          "</h1>\n<p>ali3-fmu " ALI3_VERSION
          " made this FMU for co-simulation. The mechanism has %d bodies, %d joints and %d forces. It steps "
          "every %s s; a communication step is a whole number of these periods.</p>\n",
          ali3_model_bodies(s->model), ali3_model_joints(s->model), ali3_model_forces(s->model),
          number_text(h->period, number));
  /* Differences from the daemon. */
  fputs(
      "<ul>\n<li>An input is clamped to its range, and its change to its rate. Inputs of an FMU do not "
      "become "
      "stale.</li>\n"
      "<li>Every parameter is tunable. A new value acts from the next step on, and the motion goes on.</li>\n"
      "<li>The time of the mechanism, which drives follow, counts from the start of the simulation.</li>\n"
      "<li>A value reference is the place of the variable in this table.</li>\n",
      out);
  if (s->platform.enabled)
    fputs("<li>The motion platform of the configuration is not part of the FMU.</li>\n", out);
  fputs("<li>The folder extra/org.ali3 has the configuration, without its short forms.</li>\n</ul>\n"
        "<h2>Variables</h2>\n",
        out);
  put_html_table(out, p);
  fputs("</body></html>\n", out);
  if (fclose(out) == 0) return text;
  return NULL;
}
