/* SPDX-License-Identifier: MIT
 * Files in short form are the models of plain files, byte by byte. pairs.txt has the pairs. */
#include "config/scratch.h"

#include <ali3/flat.h>
#include <stdio.h>

static void write_flat(const char *where, const char *text, void **bytes, size_t *size)
{
  struct loaded l = load_text(text);
  if (!l.settings) fail_msg("%s: refused:\n%s\n%s", where, text, l.errors);
  *size = ali3_model_flat_size(l.settings->model);
  *bytes = malloc(*size);
  assert_non_null(*bytes);
  assert_int_equal(ali3_model_flat_write(l.settings->model, *bytes, *size), ALI3_OK);
  settings_free(l.settings);
  free(l.errors);
}

/* text: "NAME\nSHORT----\nPLAIN". */
static void check_pair(char *text)
{
  char *name = strsep(&text, "\n"), *plain = text ? strstr(text, "----\n") : NULL;
  void *a, *b;
  size_t size_a, size_b;
  if (!plain) fail_msg("%s: a pair has no plain file", name);
  *plain = '\0';
  write_flat(name, text, &a, &size_a);
  write_flat(name, plain + strlen("----\n"), &b, &size_b);
  if (size_a != size_b || memcmp(a, b, size_a) != 0) fail_msg("%s: the two models differ", name);
  free(a);
  free(b);
}

TEST(short_forms_are_plain_models)
{
  static char text[1 << 16];
  FILE *f = fopen(TEST_DATA "/file/expand/pairs.txt", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  int pairs = 0;
  char *rest = strstr(text, "==== ");
  while (rest) {
    char *pair = rest + strlen("==== ");
    rest = strstr(pair, "==== ");
    if (rest) *rest = '\0';
    check_pair(pair);
    pairs++;
    if (rest) *rest = '=';
  }
  assert_in_range(pairs, 14, 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(short_forms_are_plain_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
