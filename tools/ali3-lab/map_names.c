/* SPDX-License-Identifier: MIT
 * ali3-lab map NAME: the maps of paper 3 as figures 9 to 13 have them, on the double four-bar linkage for 10 s with
 * 5 ms. A white dot is a drift above 0.125 J, as in the paper. The paper says the range of alpha only; the second
 * axes are ours. */
#include "lab_tool.h"

#include <string.h>

static const struct named_map {
  const char *name, *formulation, *integrator;
  double omega, xi; /* where the grid does not set it */
  bool norm_qp;
  const char *second; /* axis */
} named_maps[] = {
    {"p3-fig9", "penalty", "tr", 0, 1, false, "omega=5:255:51"},
    {"p3-fig10", "al1", "tr", 0, 1, false, "omega=5:255:51"},
    {"p3-fig11", "al1", "nr", 0, 1, false, "omega=5:255:51"},
    {"p3-fig12", "hamiltonian", "tr", 1, 0, false, "xi=1:1e3:51:log"},
    {"p3-fig12-qp", "hamiltonian", "tr", 1, 0, true, "xi=1:1e3:51:log"},
    {"p3-fig13", "hamiltonian", "nr", 1, 0, false, "xi=1:1e5:51:log"},
};
enum { NAMED_MAPS = sizeof named_maps / sizeof *named_maps };

bool map_by_name(const char *name, struct map_options *o, struct run_options *run)
{
  for (int i = 0; i < NAMED_MAPS; i++) {
    const struct named_map *map = &named_maps[i];
    if (strcmp(name, map->name) != 0) continue;
    run->run.formulation = lab_find_formulation(map->formulation);
    run->run.integrator = lab_find_integrator(map->integrator);
    run->run.dt = 0.005;
    run->run.omega = map->omega;
    run->run.xi = map->xi;
    run->run.norm_qp = map->norm_qp;
    o->model = "double_four_bar";
    if (o->limit == 0) o->limit = 0.125;
    o->axes = 2;
    return map_read_axis("alpha=1e6:3.1622776601683795e8:26:log", &o->axis[0]) &&
           map_read_axis(map->second, &o->axis[1]);
  }
  return false;
}
