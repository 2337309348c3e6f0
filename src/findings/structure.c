/* SPDX-License-Identifier: MIT */
#include "findings/look.h"

#include <math.h>

void look_at_structure(struct look *l)
{
  if (ali3_model_rows(l->m) <= 3000) l->to->redundant = (int)lround(ali3_redundant_rows(l->m, l->d));
}
