/* SPDX-License-Identifier: MIT */
#include "coordinates/problem.h"

#include <stdlib.h>

void problem_free(struct problem *p)
{
  if (p->kind) p->kind->release(p);
  free(p->M);
  free(p->f);
  free(p->q);
  free(p->qd);
  free(p->turn);
  free(p->own_start);
  *p = (struct problem){0};
}

struct instant problem_start(const struct problem *p)
{
  return (struct instant){.turn = p->turn, .own = p->own_start};
}
