/* SPDX-License-Identifier: MIT
 * ali3-fmu info: what an FMU says of itself. It runs nothing. */
#include "fmu/reader.h"
#include "fmu_tool.h"

#include <jansson.h>
#include <string.h>

static json_t *variable_json(const struct read_variable *v)
{
  return json_pack("{s:s, s:I, s:s, s:s}", "name", v->name, "reference", (json_int_t)v->reference, "type",
                   v->type, "causality", v->causality);
}

static void print_info_json(const struct description *d, const char *fmu)
{
  json_t *variables = json_array();
  for (int i = 0; i < d->variables; i++) json_array_append_new(variables, variable_json(&d->variable[i]));
  json_t *all = json_pack("{s:s, s:i, s:s?, s:s?, s:s?, s:s?, s:f, s:f, s:b, s:b, s:o}", "file", fmu, "fmi",
                          d->version, "name", d->name, "token", d->token, "tool", d->tool, "identifier",
                          d->identifier, "stop", d->stop, "step", d->step, "state", d->keeps_state,
                          "serialized_state", d->serialises, "variables", variables);
  json_dumpf(all, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(all);
}

static void print_info_text(const struct description *d, const char *fmu)
{
  printf("%s: FMI %d.0, model %s, by %s\n", fmu, d->version, d->name ? d->name : "without a name",
         d->tool ? d->tool : "an unknown tool");
  if (d->identifier)
    printf("co-simulation: identifier %s, step %g s, until %g s; state: %s\n", d->identifier, d->step,
           d->stop,
           d->serialises    ? "can be read, set and serialized"
           : d->keeps_state ? "can be read and set"
                            : "stays inside");
  else
    printf("no co-simulation\n");
  printf("%d inputs, %d outputs, %d parameters, %d locals\n", description_count(d, "input"),
         description_count(d, "output"), description_count(d, "parameter"), description_count(d, "local"));
  for (int i = 0; i < d->variables; i++)
    printf("%10u  %-12s %-10s %s\n", d->variable[i].reference, d->variable[i].causality, d->variable[i].type,
           d->variable[i].name);
}

int info_fmu(const char *fmu, bool json)
{
  struct description d;
  char why[FMU_WHY];
  const bool good = description_read(&d, fmu, why) || fmu_complain("%s", why);
  if (good && json) print_info_json(&d, fmu);
  if (good && !json) print_info_text(&d, fmu);
  description_free(&d);
  return good ? EXIT_GOOD : EXIT_RUN;
}
