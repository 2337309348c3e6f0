/* SPDX-License-Identifier: MIT
 * Set-up: a state of one model as the start of another one. Bodies and joints correspond by their names. */
#include "actuators/cylinder.h"
#include "actuators/winding.h"
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "state/state.h"

#include <ali3/ali3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_ASSEMBLY =
    1e-6; /* m, rad: a state is open by rounding, and by what its own steps leave */

typedef const char *name_getter(const ali3_model *m, int i);

/* Index of the element with this name, which most models have at the same index; -1: there is none. */
static int index_of_name(const ali3_model *m, int count, name_getter *get, const char *name, int likely)
{
  if (likely < count && strcmp(get(m, likely), name) == 0) return likely;
  for (int i = 0; i < count; i++)
    if (strcmp(get(m, i), name) == 0) return i;
  return -1;
}

/* The first name that only one of the models has; NULL: there is none. *extra: m has it. */
static const char *odd_name(const ali3_model *m, int count, const ali3_model *from, int from_count,
                            name_getter *get, bool *extra)
{
  *extra = true;
  for (int i = 0; i < count; i++)
    if (index_of_name(from, from_count, get, get(m, i), i) < 0) return get(m, i);
  *extra = false;
  for (int i = 0; i < from_count; i++)
    if (index_of_name(m, count, get, get(from, i), i) < 0) return get(from, i);
  return NULL;
}

/* Why the state cannot be converted, as snprintf(); "" if it can. *head: of the state. */
static int examine_conversion(const ali3_model *m, const ali3_model *from, const void *state, size_t size,
                              struct state_head *head, char *text, size_t text_size)
{
  bool extra;
  const enum state_fault fault = state_examine(from, state, size, STATE_OF_ANY_BUILD, head);
  if (fault != STATE_GOOD) return state_fault_text(from, size, fault, head, text, text_size);
  const char *kind = "body", *name = odd_name(m, m->bodies, from, from->bodies, ali3_model_body_name, &extra);
  if (!name) {
    kind = "joint";
    name = odd_name(m, m->joints, from, from->joints, ali3_model_joint_name, &extra);
  }
  if (!name) return snprintf(text, text_size, "%s", "");
  return snprintf(text, text_size,
                  "%s \"%s\" is in the model %s only; both models need bodies and joints of the same names",
                  kind, name, extra ? "that takes the state" : "of the state");
}

int ali3_state_convert_text(const ali3_model *m, const ali3_model *from, const void *state, size_t size,
                            char *text, size_t text_size)
{
  struct state_head head;
  if (!m || !m->frozen || !from || !from->frozen || !state)
    return snprintf(text, text_size, "expected two frozen models and the bytes of a state");
  return examine_conversion(m, from, state, size, &head, text, text_size);
}

/* The room of a conversion. */
struct conversion {
  ali3_data *source; /* of the model of the state */
  struct body *body; /* (bodies) with the poses and velocities of the state */
  double *turn;
  struct reference *reference;
  double *own;
};

static bool allocate_conversion(struct conversion *c, const ali3_model *m, const ali3_model *from)
{
  *c = (struct conversion){.source = ali3_data_new(from),
                           .body = calloc((size_t)m->bodies + 1, sizeof *c->body),
                           .turn = calloc((size_t)m->joints + 1, sizeof *c->turn),
                           .reference = calloc((size_t)m->frozen->drives + 1, sizeof *c->reference),
                           .own = calloc((size_t)m->frozen->own + 1, sizeof *c->own)};
  return c->source && c->body && c->turn && c->reference && c->own;
}

static void free_conversion(struct conversion *c)
{
  ali3_data_free(c->source);
  free(c->body);
  free(c->turn);
  free(c->reference);
  free(c->own);
}

static void take_poses(const ali3_model *m, const ali3_model *from, const struct conversion *c)
{
  for (int b = 0; b < m->bodies; b++) {
    const int source = index_of_name(from, from->bodies, ali3_model_body_name, m->body[b].name, b);
    const struct body_state x = stored_state(from, c->source->now.x, source);
    double y[BODY_Y];
    c->body[b] = m->body[b];
    body_velocity(&x, y);
    v3_copy(c->body[b].spec.position, x.r);
    memcpy(c->body[b].spec.orientation, x.p, sizeof x.p);
    v3_copy(c->body[b].spec.velocity, y);
    v3_copy(c->body[b].spec.angular_velocity, y + 3);
  }
}

/* Full turns count on, unless the coordinate of the joint is another one now. */
static void take_turns(const ali3_model *m, const ali3_model *from, const struct conversion *c)
{
  for (int j = 0; j < m->joints; j++) {
    const int source = index_of_name(from, from->joints, ali3_model_joint_name, m->joint[j].name, j);
    c->turn[j] = m->joint[j].spec.type == from->joint[source].spec.type
                     ? c->source->turn[source]
                     : m->frozen->link[j].coordinate[0].zero;
  }
}

/* The reference of the drive with this name; otherwise at rest at the coordinate of the joint. */
static void take_references(const ali3_model *m, const ali3_model *from, const struct conversion *c)
{
  for (int i = 0; i < m->frozen->drives; i++) {
    const struct drive *drive = &m->frozen->drive[i];
    const char *name = m->force[drive->force].name;
    c->reference[i] = (struct reference){c->turn[m->frozen->link[drive->link].joint[0]], 0.0, 0.0};
    for (int k = 0; k < from->frozen->drives; k++)
      if (strcmp(from->force[from->frozen->drive[k].force].name, name) == 0)
        c->reference[i] = c->source->outside.from[k];
  }
}

/* The pressures of the cylinder, the current of the motor or the tread of the tyre with this name. True: all of them have one. */
static bool take_actuators(const ali3_model *m, const ali3_model *from, const struct conversion *c)
{
  for (int i = 0; i < m->forces; i++) {
    /* the actuator of this name */
    const ali3_force_type type = m->force[i].spec.type;
    if (m->frozen->link[m->frozen->force_link[i]].own < 0) continue;
    const int source = index_of_name(from, from->forces, ali3_model_force_name, m->force[i].name, i);
    if (source < 0 || from->force[source].spec.type != type) return false;
    /* its states, for the model that takes them */
    const struct joint_rows *a = &from->frozen->link[from->frozen->force_link[source]],
                            *b = &m->frozen->link[m->frozen->force_link[i]];
    const double *was = c->source->now.own + a->own, x = c->source->solve.Phi[a->first];
    double pressure[2], *own = c->own + b->own;
    if (type != ALI3_FORCE_CYLINDER) {
      memcpy(own, was, (size_t)rows_states(a) * sizeof *own);
      continue;
    }
    cylinder_pressures(&from->force[source].spec, was, x, pressure);
    cylinder_begin(&m->force[i].spec, x, pressure, own);
    memcpy(own, was, ACTUATOR_STATES * sizeof *own);
    own[CYLINDER_SPOOL] = was[CYLINDER_SPOOL];
  }
  return true;
}

ali3_status state_convert(const ali3_model *m, ali3_data *d, const ali3_model *from, const void *state,
                          size_t size)
{
  struct state_head head;
  struct conversion c;
  if (!m || !m->frozen || !d || !from || !from->frozen || !state) return ALI3_E_ARGUMENT;
  if (examine_conversion(m, from, state, size, &head, NULL, 0) > 0) return ALI3_E_STATE;
  int status = ALI3_E_MEMORY;
  if (allocate_conversion(&c, m, from)) {
    state_fill(from, c.source, state, &head);
    take_poses(m, from, &c);
    take_turns(m, from, &c);
    take_references(m, from, &c);
    /* A start reads poses, velocities and limits of the assembly from its model. */
    ali3_model start = *m;
    start.body = c.body;
    start.options.assembly_position = fmax(m->options.assembly_position, LEAST_ASSEMBLY);
    start.options.assembly_angle = fmax(m->options.assembly_angle, LEAST_ASSEMBLY);
    const struct start_given given = {.step = (uint64_t)llround(head.time / m->options.dt),
                                      .turn = c.turn,
                                      .reference = c.reference,
                                      .own = take_actuators(m, from, &c) ? c.own : NULL};
    status = start_find(&start, d, &given);
  }
  free_conversion(&c);
  return status;
}
