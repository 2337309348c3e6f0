/* SPDX-License-Identifier: MIT */
#include "findings/distance.h"

#include "kernels/data.h"
#include "math/euler.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static void measure_reach(const ali3_model *m, double *reach)
{
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (i >= m->joints && ali3_force_type_on_joint(m->force[m->frozen->force_of[i - m->joints]].spec.type))
      continue;
    for (int side = 0; side < 2; side++)
      if (j->body[side] != ALI3_GROUND)
        reach[j->body[side]] = fmax(reach[j->body[side]], sqrt(v3_dot(j->point[side], j->point[side])));
  }
}

bool distance_scale_make(struct distance_scale *o, const ali3_model *m)
{
  static const double ENDS = 1.22; /* radii of gyration: the end of a rod; a ball ends at 1.05 */
  *o = (struct distance_scale){calloc((size_t)m->bodies + 1, sizeof *o->reach),
                               calloc((size_t)m->bodies + 1, sizeof *o->size)};
  if (!o->reach || !o->size) {
    distance_scale_free(o);
    return false;
  }
  measure_reach(m, o->reach);
  for (int b = 0; b < m->bodies; b++) {
    const ali3_body_spec *s = &m->body[b].spec;
    const double moment = s->inertia[0] + s->inertia[4] + s->inertia[8];
    o->size[b] = fmax(o->reach[b], s->mass > 0.0 ? ENDS * sqrt(moment / s->mass) : 0.0);
  }
  for (int i = 0; i < m->sensors; i++) {
    const ali3_sensor_spec *s = &m->sensor[i].spec;
    if (s->body != ALI3_GROUND) o->size[s->body] = fmax(o->size[s->body], sqrt(v3_dot(s->point, s->point)));
  }
  return true;
}

void distance_scale_free(struct distance_scale *o)
{
  free(o->reach);
  free(o->size);
  *o = (struct distance_scale){NULL, NULL};
}

/* p and -p are one orientation. */
double distance_of_poses(double size, const double r[3], const double p[4], const double s[3],
                         const double q[4])
{
  double way[3], less[4], more[4];
  v3_sub(way, r, s);
  for (int k = 0; k < 4; k++) {
    less[k] = p[k] - q[k];
    more[k] = p[k] + q[k];
  }
  return sqrt(v3_dot(way, way)) + 2.0 * size * sqrt(fmin(p_dot(less, less), p_dot(more, more)));
}

double distance_of_angles(const ali3_model *m, const struct distance_scale *scale, int joint, double a,
                          double b, int *body)
{
  const struct joint *j = &m->joint[joint];
  *body = j->body[j->body[1] != ALI3_GROUND];
  return j->spec.type == ALI3_JOINT_REVOLUTE ? fabs(a - b) * scale->size[*body] : 0.0;
}

double distance_of_states(const struct distance_scale *scale, const ali3_model *m, const ali3_data *a,
                          const ali3_model *n, const ali3_data *b, int *body)
{
  double largest = 0.0;
  for (int i = 0; i < m->bodies; i++) {
    ali3_body_state x, y;
    ali3_body_get(m, a, i, &x);
    ali3_body_get(n, b, i, &y);
    const double far =
        distance_of_poses(scale->size[i], x.position, x.orientation, y.position, y.orientation);
    if (far <= largest) continue; /* keeps NaN */
    largest = far;
    *body = i;
  }
  for (int i = 0; i < m->joints; i++) {
    ali3_joint_state x, y;
    int moved;
    ali3_joint_get(m, a, i, &x);
    ali3_joint_get(n, b, i, &y);
    const double far = distance_of_angles(m, scale, i, x.position, y.position, &moved);
    if (far <= largest) continue;
    largest = far;
    *body = moved;
  }
  return largest;
}
