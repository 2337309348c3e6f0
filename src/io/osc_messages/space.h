/* SPDX-License-Identifier: MIT
 * The address space: every address that carries signals, received or sent, with the signals behind its arguments.
 * Sender, receiver, answers and description all look here. Set-up only, except the look-up. */
#ifndef OSC_MESSAGES_SPACE_H
#define OSC_MESSAGES_SPACE_H

#include "osc_messages/config.h"
#include "signals/signals.h"

#include <stddef.h>

struct osc_value { /* an argument: signal = scale * argument + offset */
  int signal;
  double scale, offset;
};

struct osc_node {
  char *address;      /* "/ali3/body/A/state" */
  int first, count;   /* range of its values in the space */
  enum stream stream; /* stream that sends it; STREAM_NONE: sent on request only */
  bool input;         /* received */
  bool alias;         /* short form of another address */
  bool motion;        /* contains platform motion, which is withheld until the platform is armed */
};

struct osc_space {
  struct osc_node *node; /* (nodes) in the order of sending */
  int nodes;
  struct osc_value *value; /* (values) */
  int values;
  const struct osc_node **sorted; /* (nodes) sorted by address */
};

enum { OSC_PREFIX_MAX = 64 };

/* NULL on failure, with the reason in error[size]. */
struct osc_space *osc_space_new(const struct osc_config *config, const struct signals *signals, char *error,
                                size_t size);
void osc_space_free(struct osc_space *space);

/* The node of an address; NULL if there is none. */
const struct osc_node *osc_space_find(const struct osc_space *space, const char *address);

/* Argument i of a node, from the values of a frame. */
static inline double osc_space_argument(const struct osc_space *space, const struct osc_node *n, int i,
                                        const double *values)
{
  const struct osc_value *v = &space->value[n->first + i];
  return (values[v->signal] - v->offset) / v->scale;
}

#endif
