/* SPDX-License-Identifier: MIT */
#include "math/lanes.h"

#include <string.h>

static void swap_sources(struct lane_shuffle *o, int lanes)
{
  size_t at = o->at[0];
  o->at[0] = o->at[1];
  o->at[1] = at;
  for (int l = 0; l < lanes; l++) o->lane[l] = (o->lane[l] + lanes) % (2 * lanes);
}

const struct lane_shuffle *lane_shuffle_find(const struct lane_at *from, int lanes, struct lane_shuffle *o)
{
  size_t stride[2] = {0, 0};
  memset(o, 0, sizeof *o);
  for (int l = 0; l < lanes; l++) {
    bool tile = from[l].stride == (size_t)lanes;
    size_t lane = tile ? from[l].at % (size_t)lanes : 0, at = from[l].at - lane;
    int k = 0;
    while (k < 2 && k < o->sources && (o->at[k] != at || stride[k] != from[l].stride)) k++;
    if (k == 2 || from[l].stride == 0) return NULL;
    o->at[k] = at;
    stride[k] = from[l].stride;
    o->lane[l] = (long long)lane + k * lanes;
    o->tiles += k == o->sources && tile;
    o->sources += k == o->sources;
  }
  if (o->sources == 2 && o->tiles == 1 && stride[0] != (size_t)lanes) swap_sources(o, lanes);
  return o;
}
