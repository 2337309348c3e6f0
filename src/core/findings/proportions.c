/* SPDX-License-Identifier: MIT
 * Mass, inertia and lengths that do not fit each other. The measure is the radius of gyration k = sqrt(tr(J)/(2 m)), which is
 * 0.29 times the length of a slender rod, over the distance of the body's connections. A wrong unit is a factor of 1000 in a
 * length or in k (kg mm^2), and a factor of 32 in k (g). */
#include "findings/findings_parts.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OUT = 30.0;    /* ratio that no shape explains */
static const double USUAL = 0.3;   /* k over distance of usual bodies */
static const double BETWEEN = 178; /* halfway, in logarithms, from 32 to 1000 */

enum verdict { FINE, SMALL, LARGE }; /* of k, compared with the distances */

struct box { /* around the connections of a body */
  double low[3], high[3];
  int points;
};

struct measures {
  struct box *box;       /* (bodies) */
  double *ratio;         /* (bodies) k over the distance of connections; NaN: the body has none, or no mass */
  enum verdict *verdict; /* (bodies) */
};

static void extend_box(struct box *b, const double point[3])
{
  for (int i = 0; i < 3; i++) {
    b->low[i] = b->points ? fmin(b->low[i], point[i]) : point[i];
    b->high[i] = b->points ? fmax(b->high[i], point[i]) : point[i];
  }
  b->points++;
}

static void find_boxes(const struct inspection *in, struct box *box)
{
  const ali3_model *m = in->m;
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (i >= m->joints && ali3_force_type_on_joint(m->force[m->frozen->force_of[i - m->joints]].spec.type))
      continue;
    for (int side = 0; side < 2; side++)
      if (j->body[side] != ALI3_GROUND) extend_box(&box[j->body[side]], j->point[side]);
  }
}

static double span_of(const struct box *b)
{
  double size[3];
  v3_sub(size, b->high, b->low);
  return sqrt(v3_dot(size, size));
}

static double gyration_radius(const struct body *b)
{
  return sqrt((b->spec.inertia[0] + b->spec.inertia[4] + b->spec.inertia[8]) / (2.0 * b->spec.mass));
}

/* SMALL needs two connections, because a point mass on a rod is a pendulum. LARGE takes the size of the mechanism into account,
 * because a flywheel may have a connection in its middle only. */
static void judge_body(const struct inspection *in, const struct measures *o, int body)
{
  const struct body *b = &in->m->body[body];
  const double span = span_of(&o->box[body]), reach = fmax(span, in->scale.reach[body]);
  o->ratio[body] = NAN;
  o->verdict[body] = FINE;
  if (b->spec.mass <= 0.0 || reach <= 0.0) return;
  const double k = gyration_radius(b);
  if (k <= 0.0) return; /* a point mass: the freeze checks it */
  o->ratio[body] = k / reach;
  if (k > OUT * fmax(reach, 0.1 * in->length)) o->verdict[body] = LARGE;
  if (k * OUT < span) o->verdict[body] = SMALL;
}

static void report_body(struct inspection *in, const struct measures *o, enum finding_id id, int body,
                        const char *guess)
{
  const struct body *b = &in->m->body[body];
  const double k = gyration_radius(b), distance = fmax(span_of(&o->box[body]), in->scale.reach[body]);
  struct finding *f = finding_add(
      in, FINDING_WARNING, id, FINDING_OF_BODY, body,
      "body \"%s\": mass %.4g kg and inertia give a radius of gyration of %s, but its joints are %s %s: %s",
      b->name, b->spec.mass, quantity_length(k).text, quantity_length(distance).text,
      o->box[body].points > 1 ? "apart" : "away", guess);
  finding_add_number(f, "mass", b->spec.mass, "kg");
  finding_add_number(f, "radius_of_gyration", k, "m");
  finding_add_number(f, "distance", distance, "m");
}

static const char *guess_of(enum verdict verdict, double factor, enum finding_id *id)
{
  const bool thousand = factor > BETWEEN;
  *id = verdict == LARGE || !thousand ? FINDING_INERTIA : FINDING_LENGTHS;
  if (verdict == LARGE)
    return thousand ? "is the inertia in kg mm^2? Give kg m^2 (1e-6 of it)"
                    : "is the mass in t? Give kg and kg m^2, or correct the inertia";
  if (thousand) return "are the lengths in mm? Give m";
  *id = FINDING_MASSES;
  return "is the mass in g? Give kg and kg m^2, or correct the inertia";
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median ratio of the bodies with a verdict; NaN: there is none. */
static double median_ratio(const struct inspection *in, const struct measures *o, enum verdict verdict)
{
  int n = 0;
  double *v = malloc((size_t)in->m->bodies * sizeof *v), middle = NAN;
  for (int b = 0; v && b < in->m->bodies; b++)
    if (o->verdict[b] == verdict) v[n++] = o->ratio[b];
  if (n > 0) {
    qsort(v, (size_t)n, sizeof *v, by_value);
    middle = v[n / 2];
  }
  free(v);
  return middle;
}

/* One mistake in many bodies becomes one finding. */
static void report_many(struct inspection *in, const struct measures *o, enum verdict verdict, int judged,
                        int out)
{
  /* The median of the bodies gives the likely mistake. */
  enum finding_id id;
  const double middle = median_ratio(in, o, verdict),
               factor = verdict == LARGE ? middle / USUAL : USUAL / middle;
  const char *guess = guess_of(verdict, factor, &id);
  /* Report it at the first body. */
  int first = 0;
  while (o->verdict[first] != verdict) first++;
  const double k = gyration_radius(&in->m->body[first]),
               distance = fmax(span_of(&o->box[first]), in->scale.reach[first]);
  struct finding *f =
      finding_add(in, FINDING_WARNING, id, FINDING_OF_BODY, first,
                  "%d of %d bodies: radius of gyration and distance of joints do not fit each other "
                  "(body \"%s\", %.4g kg: %s and %s): %s",
                  out, judged, in->m->body[first].name, in->m->body[first].spec.mass, quantity_length(k).text,
                  quantity_length(distance).text, guess);
  finding_add_number(f, "bodies", out, "");
  finding_add_number(f, "mass", in->m->body[first].spec.mass, "kg");
  finding_add_number(f, "radius_of_gyration", k, "m");
  finding_add_number(f, "distance", distance, "m");
}

static void list_verdict(struct inspection *in, const struct measures *o, enum verdict verdict)
{
  int judged = 0, out = 0;
  for (int b = 0; b < in->m->bodies; b++) {
    judged += !isnan(o->ratio[b]);
    out += o->verdict[b] == verdict;
  }
  if (out >= 2 && 2 * out >= judged) {
    report_many(in, o, verdict, judged, out);
    return;
  }
  for (int b = 0; b < in->m->bodies; b++) {
    enum finding_id id;
    if (o->verdict[b] != verdict) continue;
    const char *guess = guess_of(verdict, verdict == LARGE ? o->ratio[b] / USUAL : USUAL / o->ratio[b], &id);
    report_body(in, o, id, b, guess);
  }
}

/* Lengths and inertias in mm fit each other. The density of the mechanism gives the mistake away. */
static void inspect_lengths(struct inspection *in)
{
  const double LARGE_FROM = 30.0, THIN = 1e-3; /* m; kg/m^3, a thousandth of air */
  if (in->arm < LARGE_FROM || in->mass >= THIN * in->arm * in->arm * in->arm) return;
  for (int i = 0; i < in->to->count; i++)
    if (in->to->item[i].id == FINDING_LENGTHS) return;
  struct finding *f = finding_add(
      in, FINDING_WARNING, FINDING_LENGTHS, FINDING_OF_MODEL, -1,
      "the mechanism has arms of %s and a mass of %.3g kg: are the lengths in mm? Give m and kg m^2",
      quantity_length(in->arm).text, in->mass);
  finding_add_number(f, "length", in->arm, "m");
  finding_add_number(f, "mass", in->mass, "kg");
}

/* Edges of the box around a body: a box with its mass and moments, as long as its connections are from each other and from the
 * centre of mass, and no thinner than a part of that. False: its connections give no size, or it has no such box. */
static bool find_edges(const struct inspection *in, const struct measures *o, int body, double edge[3])
{
  static const double THIN = 0.1;
  const struct body *b = &in->m->body[body];
  const double *J = b->spec.inertia, per_mass = b->spec.mass > 0.0 ? 6.0 / b->spec.mass : 0.0;
  double longest = in->scale.reach[body];
  for (int i = 0; i < 3; i++) {
    const double square = per_mass * (J[0] + J[4] + J[8] - 2.0 * J[4 * i]),
                 between = o->box[body].high[i] - o->box[body].low[i];
    edge[i] = fmax(sqrt(fmax(square, 0.0)), between);
    longest = fmax(longest, edge[i]);
  }
  for (int i = 0; i < 3; i++) edge[i] = fmax(edge[i], THIN * longest);
  return in->scale.reach[body] > 0.0 && gyration_radius(b) > 0.0;
}

/* A mass in g or t beside an inertia that suits it has a radius of gyration that suits the lengths: only its density gives the
 * mistake away. */
static void inspect_densities(struct inspection *in, const struct measures *o)
{
  static const double METALS = 25e3, AIR = 1.0; /* kg/m^3; air: rounded */
  for (int b = 0; b < in->m->bodies; b++) {
    const struct body *body = &in->m->body[b];
    double edge[3];
    if (o->verdict[b] != FINE || !(body->spec.mass > 0.0) || !find_edges(in, o, b, edge)) continue;
    const double density = body->spec.mass / (edge[0] * edge[1] * edge[2]);
    if (density >= AIR && density <= METALS) continue;
    struct finding *f = finding_add(
        in, density > METALS ? FINDING_WARNING : FINDING_INFO, FINDING_MASSES, FINDING_OF_BODY, b,
        "body \"%s\": mass, inertia and joints suit a box of %s x %s x %s with %.3g kg/m^3, %s: is the mass "
        "in "
        "%s? Give kg and kg m^2",
        body->name, quantity_length(edge[0]).text, quantity_length(edge[1]).text,
        quantity_length(edge[2]).text, density,
        density > METALS ? "heavier than every metal" : "lighter than air", density > METALS ? "g" : "t");
    finding_add_number(f, "mass", body->spec.mass, "kg");
    finding_add_number(f, "density", density, "kg/m^3");
  }
}

void inspect_proportions(struct inspection *in)
{
  const size_t bodies = (size_t)in->m->bodies;
  struct measures o = {calloc(bodies, sizeof *o.box), calloc(bodies, sizeof *o.ratio),
                       calloc(bodies, sizeof *o.verdict)};
  if (o.box && o.ratio && o.verdict) {
    find_boxes(in, o.box);
    for (int b = 0; b < in->m->bodies; b++) judge_body(in, &o, b);
    list_verdict(in, &o, LARGE);
    list_verdict(in, &o, SMALL);
    inspect_densities(in, &o);
    inspect_lengths(in);
  } else {
    in->memory = false;
  }
  free(o.box);
  free(o.ratio);
  free(o.verdict);
}
