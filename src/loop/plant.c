/* SPDX-License-Identifier: MIT */
#include "loop/plant.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

int plant_init(struct plant *p, const ali3_model *model)
{
  *p = (struct plant){.model = model, .size = ali3_data_size(model)};
  p->block = aligned_zalloc(p->size);
  p->image = aligned_zalloc(p->size);
  if (!p->block || !p->image) return ALI3_E_MEMORY;
  p->data = ali3_data_place(model, p->block, p->size);
  return p->data ? ali3_reset(model, p->data) : ALI3_E_MEMORY;
}

void plant_keep(struct plant *p)
{
  memcpy(p->image, p->block, p->size);
}

void plant_free(struct plant *p)
{
  free(p->block);
  free(p->image);
}

/* Pointers inside the block stay valid: the image was taken of this block. */
void plant_restore(struct plant *p)
{
  memcpy(p->block, p->image, p->size);
  p->restore = false;
  p->moved = true;
  p->open = false;
}
