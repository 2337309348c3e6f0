/* SPDX-License-Identifier: MIT
 * The pages of a description, for any description. */
#include "check.h"
#include "oscquery.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "{\"HOST_INFO\":{\"NAME\":\"x\",\"OSC_PORT\":9100},"
    "\"ROOT\":{\"FULL_PATH\":\"/\",\"CONTENTS\":{\"a\":{\"FULL_PATH\":\"/a\",\"CONTENTS\":{"
    "\"b\":{\"FULL_PATH\":\"/a/b\",\"TYPE\":\"ff\",\"ACCESS\":3}}}}}}";
static struct page page;

static const char *ask(const char *description, struct request r)
{
  if (!r.method) r.method = "GET";
  free(page.text);
  oscquery_of(&r, description, &page);
  assert_non_null(page.text);
  assert_int_equal(page.size, strlen(page.text));
  return page.text;
}

TEST(nodes_have_paths)
{
  assert_string_equal(ask(text, (struct request){.path = "/a/b"}),
                      "{\"FULL_PATH\":\"/a/b\",\"TYPE\":\"ff\",\"ACCESS\":3}");
  assert_int_equal(page.status, 200);
  assert_string_equal(page.type, "application/json");
  assert_non_null(strstr(ask(text, (struct request){.path = "/"}), "\"FULL_PATH\":\"/a\""));
  assert_null(strstr(page.text, "HOST_INFO"));
  assert_non_null(strstr(ask(text, (struct request){.path = "/a"}), "/a/b"));
  static const char *const missing[] = {"/b", "/a/b/c", "/a//b", "", "a", "//"};
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    ask(text, (struct request){.path = missing[i]});
    assert_int_equal(page.status, 404);
  }
}

TEST(attributes_are_asked_for_alone)
{
  assert_string_equal(ask(text, (struct request){.path = "/", .attribute = "HOST_INFO"}),
                      "{\"NAME\":\"x\",\"OSC_PORT\":9100}");
  assert_string_equal(ask(text, (struct request){.path = "/a/b", .attribute = "TYPE"}), "{\"TYPE\":\"ff\"}");
  ask(text, (struct request){.path = "/a/b", .attribute = "VALUE"});
  assert_int_equal(page.status, 204);
}

TEST(wrong_options_are_refused)
{
  ask(text, (struct request){.path = "/", .method = "POST"});
  assert_int_equal(page.status, 405);
  ask(text, (struct request){.path = "/", .bad_query = true});
  assert_int_equal(page.status, 400);
  ask(text, (struct request){.path = "/", .name = "x"});
  assert_int_equal(page.status, 400);
  ask(text, (struct request){.path = "/", .has_body = true});
  assert_int_equal(page.status, 400);
  ask(NULL, (struct request){.path = "/"});
  assert_int_equal(page.status, 404);
  ask("no json", (struct request){.path = "/"});
  assert_int_equal(page.status, 404);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_have_paths),
      cmocka_unit_test(attributes_are_asked_for_alone),
      cmocka_unit_test(wrong_options_are_refused),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(page.text);
  return failed;
}
