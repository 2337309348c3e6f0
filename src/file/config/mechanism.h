/* SPDX-License-Identifier: MIT
 * The mapping "model": the function that builds the model. */
#ifndef CONFIG_MECHANISM_H
#define CONFIG_MECHANISM_H

#include "settings/model_values.h"

#include <ali3/options.h>
#include <ali3/types.h>

/* Values beside indices in a set of body names: the name is not in the set; the body was refused for a mistake. */
enum { BODY_UNKNOWN = -2, BODY_REFUSED = -3 };

/* Builds the model that a "model" mapping describes, not frozen yet, and sets the options that the mapping gives. Fills
 * `bodies` with every name that the mapping declares, and BODY_REFUSED for refused bodies; the names live as long as the
 * tree. Fills `places`, to be freed in any case. NULL after a mistake, which is reported. */
ali3_model *mechanism_build(const struct node *model, struct names *bodies, ali3_options *options,
                            struct places *places, struct report *r);

/* Index of the body that `n` names. BODY_UNKNOWN: no body has the name, which is reported. BODY_REFUSED: the mistake of the
 * body was reported before. */
int mechanism_body(const struct names *bodies, const struct node *n, struct report *r);

/* Reads the list into s->visual, after the mechanism was built. Reports every mistake. */
void visual_read(const struct node *model, const struct names *bodies, struct settings *s, struct report *r);

#endif
