/* SPDX-License-Identifier: MIT
 * Four-bars and parallelograms that start flat, in a singular position, from 1 mm to 1 km: their iterations grow in the direction
 * that loses its stiffness, by less than the projections remove. This growth is no divergence, at any size and with any number
 * of inner steps. The limits were in m and rad at once before, so small and large linkages failed at their start. */
#include "check.h"
#include "common/toys.h"
#include "fuzz/linkage.h"

#include <string.h>

enum { LINKAGES = 60, STEPS = 50 };

static bool is_flat(const struct linkage *k)
{
  return strstr(k->words, "flat") && !strstr(k->words, "uneven") && !k->driven && !k->contradicting;
}

/* Returns true if the linkage moves to the end. */
static bool moves(struct linkage *k, int substeps)
{
  ali3_options o = ali3_options_default();
  o.substeps = substeps;
  toy_freeze_with(k->m, &o);
  ali3_data *d = ali3_data_new(k->m);
  assert_true(ali3_reset(k->m, d) >= 0);
  int steps = 0;
  while (steps < STEPS && ali3_step(k->m, d) >= 0) steps++;
  if (steps < STEPS) {
    char text[400];
    ali3_report_text(k->m, d, text, sizeof text);
    print_error("seed %llu, %d inner steps: step %d: %s: %s\n", (unsigned long long)k->seed, substeps, steps,
                k->words, text);
  }
  ali3_data_free(d);
  return steps == STEPS;
}

static void check_flat(int substeps)
{
  int failed = 0;
  uint64_t seed = 0;
  for (int found = 0; found < LINKAGES; seed++) {
    static struct linkage k;
    linkage_make(&k, seed);
    if (is_flat(&k)) {
      found++;
      failed += !moves(&k, substeps);
    }
    ali3_model_free(k.m);
  }
  assert_int_equal(failed, 0);
}

TEST(flat_linkages_of_any_size_start)
{
  check_flat(4);
  check_flat(40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(flat_linkages_of_any_size_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
