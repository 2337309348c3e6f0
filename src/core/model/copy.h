/* SPDX-License-Identifier: MIT
 * A copy of a model whose numbers differ: parameters that change while a model runs. */
#ifndef MODEL_COPY_H
#define MODEL_COPY_H

#include "model/spec_fields.h"

/* Changes the specs of a copy before they are added. `spec` is the spec of element `index`; names and tables in it belong to the
 * model. */
struct model_edit {
  void (*edit)(const void *of, enum spec_element element, int index, void *spec);
  const void *of; /* first argument of edit() */
};

/* Set-up. Adds the elements of `from` to the empty model `to`, in their order, and sets its name. The caller sets the gravity
 * and freezes it. Laws of a program (ali3_model_set_law()) are not copied. Returns ALI3_OK, or the first negative status, with
 * the reason in ali3_model_problem(to). */
int model_copy_edited(ali3_model *to, const ali3_model *from, const struct model_edit *edit);

#endif
