/* SPDX-License-Identifier: MIT
 * usage: mechanisms FIRST COUNT [--words | --explicit | --lanes]: COUNT random mechanisms with the seeds FIRST, FIRST + 1, .. Their rank,
 * freedoms and conflicts must match their construction, in any part and in any unit. Then they run: no NaN or infinity
 * with a status of 0 or more, no energy from nothing, and equal bits for any number of shares, by each method in turn; explicit methods in
 * coordinates of bodies and of joints. Rotors of up to 1e4 rad/s turn on the ground and on their bodies; those on the ground keep
 * their rates and count their turns. --explicit: every explicit method, in both coordinates. --lanes: instead, runs side by side
 * in the lanes of one model have the bits of runs alone, with every instruction set of this machine. Prints seed and description of
 * each failure. Exit status 1 if there is one. */
#include "linkage.h"
#include "together/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, SHARES = 4 };

static int wrong;

static void complain(const struct linkage *k, const char *what)
{
  wrong++;
  printf("seed %llu: %s: %s\n", (unsigned long long)k->seed, what, k->words);
}

static void check_part(const struct linkage *k, const ali3_mechanics *a, int part)
{
  const struct truth *t = &k->truth[part];
  ali3_mechanics_part p;
  char text[300];
  ali3_mechanics_part_get(a, part, &p);
  if (p.bodies == t->bodies && p.rows == t->rows && p.freedoms == t->freedoms &&
      p.freedoms_undriven == t->undriven && p.redundant == t->redundant && p.singular == t->singular)
    return;
  snprintf(
      text, sizeof text,
      "part %d: bodies %d rows %d freedoms %d undriven %d redundant %d singular %d, not %d %d %d %d %d %d%s, "
      "pivots %.1e %.1e",
      part, p.bodies, p.rows, p.freedoms, p.freedoms_undriven, p.redundant, p.singular, t->bodies, t->rows,
      t->freedoms, t->undriven, t->redundant, t->singular, p.doubtful ? ", doubtful" : "", p.smallest_kept,
      p.largest_dropped);
  complain(k, text);
}

static void check_conflicts(const struct linkage *k, const ali3_mechanics *a)
{
  int contradicting = 0;
  char text[200];
  for (int i = 0; i < ali3_mechanics_conflicts(a); i++) {
    ali3_mechanics_conflict c;
    ali3_mechanics_conflict_get(a, i, &c);
    /* velocities are of the order of 1 rad/s, or lengths of the mechanism in 1 s */
    contradicting += fabs(c.velocity) > 1e-6 * fmin(1.0, k->length);
  }
  if (ali3_mechanics_conflicts(a) == k->conflicts && contradicting == k->contradicting) return;
  snprintf(text, sizeof text, "%d conflicts, %d of them contradictions, not %d and %d",
           ali3_mechanics_conflicts(a), contradicting, k->conflicts, k->contradicting);
  complain(k, text);
}

/* Reads every value into one row; returns its length. */
static int observe(const ali3_model *m, const ali3_data *d, double *o)
{
  int n = 0;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    memcpy(o + n, &x, sizeof x);
    n += (int)(sizeof x / sizeof *o);
  }
  for (int j = 0; j < ali3_model_joints(m); j++) {
    ali3_joint_state s;
    ali3_joint_get(m, d, j, &s);
    memcpy(o + n, &s,
           8 * sizeof *o); /* force, torque, position and velocity; the bytes behind `held` are any */
    o[n + 8] = s.held;
    n += 9;
  }
  return n;
}

/* Runs shares one after the other, the last first. */
static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  const int shares = *(const int *)context;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

enum { NUMBERS = LINKAGE_BODIES * 20 + LINKAGE_JOINTS * 9 };

/* Energy that can be exchanged: the largest kinetic energy, and a fall of the heaviest body by a fifth of a length. */
static double energy_scale(const struct linkage *k, double kinetic)
{
  return kinetic + 0.2 * 9.81 * k->heaviest * k->length * k->length;
}

static bool sane(const struct linkage *k, const ali3_data *d, int step, double first, double *kinetic)
{
  static double o[NUMBERS];
  char text[200];
  ali3_energy e;
  for (int i = observe(k->m, d, o) - 1; i >= 0; i--) {
    if (isfinite(o[i])) continue;
    snprintf(text, sizeof text, "step %d: number %d is %g with status %d", step, i, o[i],
             ali3_data_report(d)->status);
    complain(k, text);
    return false;
  }
  ali3_energy_get(k->m, d, &e);
  *kinetic = fmax(*kinetic, e.kinetic);
  if (k->driven || e.total - first <= 0.05 * energy_scale(k, *kinetic)) return true;
  snprintf(text, sizeof text, "step %d: energy grew by %.2g of %.2g J with status %d", step, e.total - first,
           energy_scale(k, *kinetic), ali3_data_report(d)->status);
  complain(k, text);
  return false;
}

/* Rotors on the ground turn steadily, whatever other parts do. */
static bool spins(const struct linkage *k, const ali3_data *d, int step)
{
  static const double NEAR = 1e-8, ROUNDING = 1e-12;
  char text[200];
  for (int i = 0; i < k->rotors; i++) {
    const struct linkage_rotor *r = &k->rotor[i];
    ali3_joint_state s;
    if (r->on != ALI3_GROUND) continue;
    ali3_joint_get(k->m, d, r->joint, &s);
    const double angle = r->rate * ali3_data_report(d)->time;
    if (fabs(s.velocity - r->rate) <= NEAR * fabs(r->rate) &&
        fabs(s.position - angle) <= NEAR * fabs(angle) + ROUNDING)
      continue;
    snprintf(text, sizeof text,
             "step %d: rotor %d has %.12g rad/s and %.12g rad, not %.12g and %.12g, status %d", step, i,
             s.velocity, s.position, r->rate, angle, ali3_data_report(d)->status);
    complain(k, text);
    return false;
  }
  return true;
}

/* Runs the steps with 1 to 4 shares. */
static void run(const struct linkage *k, int *degraded)
{
  static double o[SHARES][NUMBERS];
  int shares[SHARES];
  ali3_exec exec[SHARES];
  ali3_data *d[SHARES];
  for (int s = 0; s < SHARES; s++) {
    shares[s] = s + 1;
    exec[s] = (ali3_exec){&shares[s], s + 1, backwards, 1.0};
    d[s] = ali3_data_new(k->m);
    if (!d[s]) exit(3);
    if (s) ali3_data_set_exec(d[s], &exec[s]);
  }
  ali3_energy e;
  int status = 0;
  double first = 0.0, kinetic = 0.0;
  for (int step = 0; step <= STEPS && status >= 0; step++) {
    int count = 0;
    for (int s = 0; s < SHARES; s++) {
      int own = step ? ali3_step(k->m, d[s]) : ali3_reset(k->m, d[s]);
      count = observe(k->m, d[s], o[s]);
      if (s && (own != status || memcmp(o[s], o[0], (size_t)count * sizeof **o))) {
        complain(k, "bits differ by shares");
        step = STEPS;
        break;
      }
      status = own;
    }
    ali3_energy_get(k->m, d[0], &e);
    if (step == 0) first = e.total;
    *degraded += status > 0 && step > 0;
    if (status == 0 && !sane(k, d[0], step, first, &kinetic)) break;
    if (status >= 0 && !spins(k, d[0], step)) break;
    if (status > 0 && step > 0) first = INFINITY; /* a degraded step: nothing is claimed after it */
  }
  for (int s = 0; s < SHARES; s++) ali3_data_free(d[s]);
}

/* A method and its coordinates. */
struct choice {
  ali3_method method;
  ali3_coordinates coordinates;
};

/* The first seed takes the default, the next one extrapolates, and so on with the other methods. */
static struct choice choice_of(uint64_t seed)
{
  static const ali3_method METHOD[] = {
      ALI3_METHOD_ALI3, ALI3_METHOD_ALI3, ALI3_METHOD_ENERGY, ALI3_METHOD_ALI3, ALI3_METHOD_ALI3,
      ALI3_METHOD_RK4,  ALI3_METHOD_ALI3, ALI3_METHOD_ALI3,   ALI3_METHOD_DP5,  ALI3_METHOD_ALI3,
      ALI3_METHOD_ALI3, ALI3_METHOD_AB4,  ALI3_METHOD_ALI3,   ALI3_METHOD_ALI3, ALI3_METHOD_ABM8,
      ALI3_METHOD_ALI3, ALI3_METHOD_DP8};
  return (struct choice){METHOD[seed % (sizeof METHOD / sizeof *METHOD)],
                         seed % 2 ? ALI3_COORDINATES_BODY : ALI3_COORDINATES_JOINT};
}

static void freeze(const struct linkage *k, uint64_t seed, struct choice choice)
{
  ali3_options o = ali3_options_default();
  o.method = choice.method;
  o.coordinates = choice.coordinates;
  o.extrapolate = !ali3_method_is_explicit(o.method) && seed % 2;
  int status = ali3_model_freeze(k->m, &o);
  if (status < 0 && ali3_method_is_explicit(o.method)) { /* some bodies are too light for it */
    o.method = ALI3_METHOD_ALI3;
    status = ali3_model_freeze(k->m, &o);
  }
  if (status < 0) complain(k, ali3_model_problem(k->m)->text);
}

static void check(uint64_t seed, struct choice choice, bool words, int *degraded, int *refused)
{
  static struct linkage k;
  char text[400];
  linkage_make(&k, seed);
  linkage_spin(&k);
  if (words) printf("seed %llu: %s\n", (unsigned long long)seed, k.words);
  freeze(&k, seed, choice);
  ali3_data *d = ali3_data_new(k.m);
  if (!d) exit(3);
  const int status = ali3_reset(k.m, d);
  *refused += status < 0;
  if (status < 0 && !k.contradicting) {
    ali3_report_text(k.m, d, text, sizeof text);
    complain(&k, text);
  }
  if (status >= 0 && k.contradicting) complain(&k, "drives that contradict each other were accepted");
  ali3_mechanics *a = ali3_mechanics_new(k.m, d);
  if (!a) exit(3);
  if (ali3_mechanics_parts(a) != k.parts) complain(&k, "wrong number of parts");
  for (int p = 0; p < k.parts; p++) check_part(&k, a, p);
  check_conflicts(&k, a);
  ali3_mechanics_free(a);
  ali3_data_free(d);
  if (status >= 0) run(&k, degraded);
  ali3_model_free(k.m);
}

/* Every explicit method, in both coordinates. */
static void check_explicit(uint64_t seed, int *degraded, int *refused)
{
  static const ali3_method METHOD[] = {ALI3_METHOD_RK4, ALI3_METHOD_DP5, ALI3_METHOD_DP8, ALI3_METHOD_AB4,
                                       ALI3_METHOD_ABM8};
  for (size_t i = 0; i < sizeof METHOD / sizeof *METHOD; i++)
    for (int joint = 0; joint < 2; joint++)
      check(seed, (struct choice){METHOD[i], joint ? ALI3_COORDINATES_JOINT : ALI3_COORDINATES_BODY}, false,
            degraded, refused);
}

/* Steps runs that differ in their loads, in lanes and alone. */
static void compare_lanes(const struct linkage *k, int lanes, int *degraded, int *refused)
{
  static double o[2][NUMBERS];
  const ali3_model *m[ISA_LANES_MAX];
  ali3_data *lane[ISA_LANES_MAX], *alone[ISA_LANES_MAX];
  char why[200];
  for (int c = 0; c < lanes; c++) {
    m[c] = k->m;
    lane[c] = ali3_data_new(k->m);
    alone[c] = ali3_data_new(k->m);
    if (!lane[c] || !alone[c]) exit(3);
  }
  bool good = true;
  for (int c = 0; c < lanes; c++) good &= ali3_reset(k->m, lane[c]) >= 0 && ali3_reset(k->m, alone[c]) >= 0;
  struct copies *copies = good ? copies_new(m, lane, lanes, true, why, sizeof why) : NULL;
  *refused += !copies;
  for (int c = 0; c < lanes && copies; c++) {
    const double force[3] = {k->mass * c, 0.3 * k->mass * c, 0.0}, torque[3] = {0.0, 0.0, 0.0};
    ali3_set_wrench(k->m, lane[c], 0, force, torque);
    ali3_set_wrench(k->m, alone[c], 0, force, torque);
  }
  for (int step = 0; step < STEPS && copies && good; step++) {
    int status[ISA_LANES_MAX];
    const bool goes_on = copies_step(copies, status);
    for (int c = 0; c < lanes && good; c++) {
      const int own = ali3_step(k->m, alone[c]), count = observe(k->m, alone[c], o[0]);
      observe(k->m, lane[c], o[1]);
      *degraded += own > 0;
      good = own == status[c] && memcmp(o[0], o[1], (size_t)count * sizeof **o) == 0;
    }
    if (!good) complain(k, "bits differ in lanes");
    if (!goes_on) break;
  }
  copies_free(copies);
  for (int c = 0; c < lanes; c++) {
    ali3_data_free(lane[c]);
    ali3_data_free(alone[c]);
  }
}

static void check_lanes(uint64_t seed, int *degraded, int *refused)
{
  static struct linkage k;
  for (int isa = 0; isa < ISA_COUNT; isa++) {
    ali3_options o = ali3_options_default();
    if (!isa_supported((enum isa)isa)) continue;
    linkage_make(&k, seed);
    linkage_spin(&k);
    o.extrapolate = seed % 3 == 1;
    snprintf(o.isa, sizeof o.isa, "%s", isa_name((enum isa)isa));
    if (ali3_model_freeze(k.m, &o) < 0)
      complain(&k, ali3_model_problem(k.m)->text);
    else
      compare_lanes(&k, isa_lanes((enum isa)isa), degraded, refused);
    ali3_model_free(k.m);
  }
}

int main(int argc, char **argv)
{
  const bool words = argc > 3 && strcmp(argv[3], "--words") == 0,
             explicit_only = argc > 3 && strcmp(argv[3], "--explicit") == 0,
             lanes = argc > 3 && strcmp(argv[3], "--lanes") == 0;
  if (argc < 3 || (argc > 3 && !words && !explicit_only && !lanes)) {
    fprintf(stderr, "usage: mechanisms FIRST COUNT [--words | --explicit | --lanes]\n");
    return 2;
  }
  const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
  int degraded = 0, refused = 0;
  for (uint64_t seed = first; seed < first + count; seed++)
    if (explicit_only)
      check_explicit(seed, &degraded, &refused);
    else if (lanes)
      check_lanes(seed, &degraded, &refused);
    else
      check(seed, choice_of(seed), words, &degraded, &refused);
  printf("%llu mechanisms, %d wrong; %d refused at the start, %d steps degraded\n", (unsigned long long)count,
         wrong, refused, degraded);
  return wrong ? 1 : 0;
}
