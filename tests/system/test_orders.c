/* SPDX-License-Identifier: MIT
 * The order of every method: half the step divides the error by 2 to the power of the order, three times. */
#include "check.h"
#include "common/toys.h"
#include "config/setup.h"

#include <ali3/flat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 3, FINE = 32, BODIES_MOST = 32 };

struct method {
  ali3_method method;
  bool extrapolate;
  int order;
  double
      stretch; /* factor for the steps of the mechanism: the errors of all methods are then above rounding */
  ali3_coordinates coordinates;
};
static const struct method methods[] = {
    {ALI3_METHOD_ALI3, false, 2, 1.0, ALI3_COORDINATES_AUTO},
    {ALI3_METHOD_ENERGY, false, 2, 1.0, ALI3_COORDINATES_AUTO},
    {ALI3_METHOD_ALI3, true, 4, 2.0, ALI3_COORDINATES_AUTO},
    {ALI3_METHOD_ENERGY, true, 4, 2.0, ALI3_COORDINATES_AUTO},
    {ALI3_METHOD_RK4, false, 4, 2.0, ALI3_COORDINATES_BODY},
    {ALI3_METHOD_DP5, false, 5, 4.0, ALI3_COORDINATES_BODY},
    {ALI3_METHOD_AB4, false, 4, 1.0, ALI3_COORDINATES_BODY},
    /* its first seven steps are those of dp5, which make the order six */
    {ALI3_METHOD_ABM8, false, 6, 1.0, ALI3_COORDINATES_BODY},
    {ALI3_METHOD_DP8, false, 8, 4.0, ALI3_COORDINATES_BODY},
    {ALI3_METHOD_RK4, false, 4, 2.0, ALI3_COORDINATES_JOINT},
    {ALI3_METHOD_DP5, false, 5, 4.0, ALI3_COORDINATES_JOINT},
    {ALI3_METHOD_DP8, false, 8, 4.0, ALI3_COORDINATES_JOINT},
    {ALI3_METHOD_AB4, false, 4, 1.0, ALI3_COORDINATES_JOINT},
    {ALI3_METHOD_ABM8, false, 6, 1.0, ALI3_COORDINATES_JOINT},
};
enum { METHODS = sizeof methods / sizeof *methods };

struct mechanism {
  const char *file;    /* below the tests; NULL: a random tree with spherical joints */
  double dt, until;    /* s: longest step, end of the run */
  double abm8, dp8;    /* factors for the steps of these methods */
  double extrapolated; /* factor for extrapolated steps */
  bool sprung;         /* the error of the method ali3, extrapolated, has a term of order three */
};
static const struct mechanism mechanisms[] = {
    {"reference/chain_8.json", 0.01, 1.6, 2.0, 2.0, 1.0, false},
    {"reference/four_bar.json", 0.01, 2.4, 2.0, 4.0, 1.0, false}, /* through a singular position */
    {"reference/bricard.json", 0.005, 2.4, 8.0, 8.0, 4.0, false},
    {"../config/models/stewart_platform.yaml", 0.005, 0.8, 1.0, 2.0, 2.0, true},
    {NULL, 0.01, 0.8, 1.0, 1.0, 1.0, false},
};

/* Centres of mass of all bodies at the time `until`. */
static void run_to(const ali3_model *base, const struct method *w, double dt, double until, double (*r)[3])
{
  ali3_options o = *ali3_model_options(base);
  o.method = w->method;
  o.coordinates = w->coordinates;
  o.extrapolate = w->extrapolate;
  o.dt = dt;
  ali3_model *m = toy_copy_with(base, &o);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_true(ali3_reset(m, d) >= 0);
  toy_run(m, d, (int)lround(until / dt));
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state s;
    ali3_body_get(m, d, b, &s);
    memcpy(r[b], s.position, sizeof s.position);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* m; what the order may lack at the longest steps. Gravity that changes in its last digit moves the four-bar, through its singular
 * position, by up to 4e-11 with dp8 at 40 ms. */
static const double ROUNDING = 1e-10, SHORT = 0.6;

static void check_order(const ali3_model *m, const struct mechanism *k, const struct method *w,
                        double (*exact)[3])
{
  double r[BODIES_MOST][3], error[HALVINGS + 1];
  const double more = w->method == ALI3_METHOD_ABM8  ? k->abm8
                      : w->method == ALI3_METHOD_DP8 ? k->dp8
                      : w->extrapolate               ? k->extrapolated
                                                     : 1.0;
  const double dt = k->dt * w->stretch * more;
  for (int i = 0; i <= HALVINGS; i++) {
    run_to(m, w, dt / (1 << i), k->until, r);
    error[i] = 0.0;
    for (int b = 0; b < ali3_model_bodies(m); b++) error[i] = fmax(error[i], check_distance(r[b], exact[b]));
  }
  /* errors near rounding do not fall any more */
  int last = HALVINGS;
  while (last > 1 && error[last] < ROUNDING) last--;
  const double all = log2(error[0] / error[last]) / last;
  print_message("%-40s %-6s%s%s: %.1e %.1e %.1e %.1e m, order %.2f\n", k->file ? k->file : "tree",
                ali3_method_name(w->method), w->extrapolate ? " extrapolated" : "",
                w->coordinates == ALI3_COORDINATES_JOINT ? " joint" : "", error[0], error[1], error[2],
                error[3], all);
  const int order = w->order - (k->sprung && w->extrapolate && w->method == ALI3_METHOD_ALI3);
  if (!(all > order - SHORT)) fail_msg("order %.2f, expected %d", all, order);
}

TEST(half_the_step_divides_the_error_by_the_order)
{
  static const struct method finest = {ALI3_METHOD_DP5, false, 5, 1.0, ALI3_COORDINATES_BODY};
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
    const struct mechanism *k = &mechanisms[i];
    struct settings *s = NULL;
    char file[512];
    snprintf(file, sizeof file, TEST_DATA "/%s", k->file ? k->file : "");
    if (k->file) assert_non_null(s = setup_load(file, &(struct settings_overrides){0}, stderr));
    ali3_model *m = s ? s->model : toy_random(9, 16, 0);
    double exact[BODIES_MOST][3];
    assert_true(ali3_model_bodies(m) <= BODIES_MOST);
    run_to(m, &finest, k->dt / FINE, k->until, exact);
    for (int w = 0; w < METHODS; w++) check_order(m, k, &methods[w], exact);
    if (s) settings_free(s);
    if (!s) ali3_model_free(m);
  }
}

/* A chain of 128 has transverse modes that abm8 would amplify at 10 ms, although no force is stiff. */
TEST(abm8_begins_anew_where_it_cannot_follow)
{
  struct settings *s =
      setup_load(TEST_DATA "/reference/chain_128.json", &(struct settings_overrides){0}, stderr);
  assert_non_null(s);
  ali3_options o = *ali3_model_options(s->model);
  o.method = ALI3_METHOD_ABM8;
  ali3_model *m = toy_copy_with(s->model, &o);
  ali3_data *d = ali3_data_new(m);
  ali3_energy start, end;
  assert_non_null(d);
  assert_true(ali3_reset(m, d) >= 0);
  ali3_energy_get(m, d, &start);
  toy_run(m, d, (int)lround(4.0 / o.dt));
  ali3_energy_get(m, d, &end);
  print_message("energy changed by %.2e J\n", end.total - start.total);
  assert_true(fabs(end.total - start.total) < 0.02); /* 2e3 J in 5 s if it goes on */
  ali3_data_free(d);
  ali3_model_free(m);
  settings_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_the_step_divides_the_error_by_the_order),
      cmocka_unit_test(abm8_begins_anew_where_it_cannot_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
