/* SPDX-License-Identifier: MIT */
#include "daemon/osc_setup.h"

#include <stdlib.h>

bool osc_setup(struct osc_setup *o, const struct settings *s)
{
  const int bodies = ali3_model_bodies(s->model);
  *o = (struct osc_setup){.target = calloc((size_t)s->osc.targets + 1, sizeof *o->target),
                          .body_name = calloc((size_t)bodies + 1, sizeof *o->body_name),
                          .injection_name = calloc((size_t)s->injections + 1, sizeof *o->injection_name)};
  if (!o->target || !o->body_name || !o->injection_name) return false;
  for (int i = 0; i < s->osc.targets; i++) {
    const struct settings_target *t = &s->osc.target[i];
    o->target[i] = (struct osc_target){.host = t->host,
                                       .port = t->port,
                                       .divisor = t->divisor,
                                       .doubles = t->doubles,
                                       .stream = (enum stream)t->stream,
                                       .interface = t->interface,
                                       .ttl = t->ttl};
  }
  for (int i = 0; i < bodies; i++) o->body_name[i] = ali3_model_body_name(s->model, i);
  for (int i = 0; i < s->injections; i++) o->injection_name[i] = s->injection[i].name;
  o->config = (struct osc_config){.bind = s->osc.bind,
                                  .port = s->osc.port,
                                  .prefix = s->osc.prefix,
                                  .target = o->target,
                                  .targets = s->osc.targets,
                                  .period = s->options.dt,
                                  .body_name = o->body_name,
                                  .injection_name = o->injection_name,
                                  .injections = s->injections,
                                  .map = &s->osc.map,
                                  .peers = &s->osc.peers};
  return true;
}

void osc_setup_free(struct osc_setup *o)
{
  free(o->target);
  free(o->body_name);
  free(o->injection_name);
  *o = (struct osc_setup){0};
}
