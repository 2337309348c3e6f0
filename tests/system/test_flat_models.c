/* SPDX-License-Identifier: MIT
 * Every model of the repository, written as bytes, read and frozen again, is the model that it was: equal hashes, and equal
 * bits of all states in 200 steps. */
#include "check.h"
#include "config/setup.h"

#include <ali3/ali3.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200 };

static ali3_model *read_again(const ali3_model *m, const char *file)
{
  const size_t size = ali3_model_flat_size(m);
  unsigned char *flat = malloc(size);
  ali3_model *copy = ali3_model_new();
  assert_true(flat && copy);
  assert_int_equal(ali3_model_flat_write(m, flat, size), ALI3_OK);
  if (ali3_model_flat_read(copy, flat, size) < 0 || ali3_model_freeze(copy, ali3_model_options(copy)) < 0)
    fail_msg("%s: %s", file, ali3_model_problem(copy)->text);
  free(flat);
  return copy;
}

static void assert_equal_states(const ali3_model *m, const ali3_data *d, const ali3_model *copy,
                                const ali3_data *e, const char *file, int step)
{
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x, y;
    ali3_body_get(m, d, b, &x);
    ali3_body_get(copy, e, b, &y);
    if (memcmp(&x, &y, sizeof x) != 0)
      fail_msg("%s: step %d, body %s: other bits", file, step, ali3_model_body_name(m, b));
  }
}

static void check_model(const char *file)
{
  unsigned char hash[2][ALI3_MODEL_HASH_SIZE];
  struct settings *s = setup_load(file, NULL, stderr);
  if (!s) fail_msg("%s", file);
  ali3_model *m = s->model, *copy = read_again(m, file);
  assert_int_equal(ali3_model_hash(m, hash[0]), ALI3_OK);
  assert_int_equal(ali3_model_hash(copy, hash[1]), ALI3_OK);
  if (memcmp(hash[0], hash[1], sizeof hash[0]) != 0) fail_msg("%s: other hashes", file);
  ali3_data *d = ali3_data_new(m), *e = ali3_data_new(copy);
  assert_true(d && e && ali3_reset(m, d) >= 0 && ali3_reset(copy, e) >= 0);
  for (int i = 0; i <= STEPS; i++) {
    assert_equal_states(m, d, copy, e, file, i);
    assert_int_equal(ali3_step(m, d), ali3_step(copy, e));
  }
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(copy);
  settings_free(s);
}

static int check_files(const char *pattern)
{
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) check_model(found.gl_pathv[i]);
  const int files = (int)found.gl_pathc;
  globfree(&found);
  return files;
}

TEST(every_model_is_itself_again)
{
  assert_in_range(check_files(TEST_DATA "/../config/models/*.yaml"), 5, 1000);
  assert_in_range(check_files(TEST_DATA "/../config/models/lab/*.yaml"), 3, 1000);
  assert_in_range(check_files(TEST_DATA "/reference/*.json"), 10, 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_is_itself_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
