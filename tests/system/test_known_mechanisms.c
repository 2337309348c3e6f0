/* SPDX-License-Identifier: MIT
 * Freedoms and redundant rows of the mechanisms of tests/reference and config/models, against counts from the literature. */
#include "check.h"
#include "config/setup.h"

#include <ali3/mechanics.h>
#include <stdlib.h>

struct known {
  const char *file;
  int freedoms, redundant, singular, parts;
};

static const struct known known[] = {
    {"reference/four_bar.json", 1, 3, 0, 1},
    {"reference/spatial_double_pendulum.json", 6, 0, 0, 1},
    {"reference/bricard.json", 1, 1, 0, 1}, /* six hinges in a ring count as locked, but move */
    {"reference/five_bar.json", 2, 3, 0, 1},
    {"reference/five_bar_asym.json", 2, 3, 0, 1},
    {"reference/double_four_bar.json", 1, 6, 0, 1},
    {"reference/double_loop.json", 4, 6, 0, 1},
    {"reference/slider_crank.json", 1, 1, 0, 1},
    {"reference/chain_128.json", 384, 0, 0, 1},
    {"../config/models/four_bar.yaml", 1, 3, 0, 1},
    {"../config/models/stewart_platform.yaml", 6, 0, 0, 1},
    {"../config/models/hexapod.yaml", 0, 0, 0, 1},
    /* six drives */ {"../config/models/slider_crank.yaml", 1, 1, 0, 1},
};

TEST(counts_are_as_known)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct known *k = &known[i];
    char file[300];
    ali3_mechanics_part p;
    snprintf(file, sizeof file, "%s/%s", TEST_DATA, k->file);
    struct settings *s = setup_load(file, NULL, stderr);
    if (!s) fail_msg("%s", file);
    ali3_data *d = ali3_data_new(s->model);
    assert_true(d && ali3_reset(s->model, d) >= 0);
    ali3_mechanics *a = ali3_mechanics_new(s->model, d);
    assert_non_null(a);
    ali3_mechanics_part_get(a, -1, &p);
    if (p.freedoms != k->freedoms || p.redundant != k->redundant || p.singular != k->singular ||
        ali3_mechanics_parts(a) != k->parts || p.doubtful)
      fail_msg("%s: freedoms %d, redundant %d, singular %d, parts %d, pivots %g %g", k->file, p.freedoms,
               p.redundant, p.singular, ali3_mechanics_parts(a), p.smallest_kept, p.largest_dropped);
    ali3_mechanics_free(a);
    ali3_data_free(d);
    settings_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_as_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
