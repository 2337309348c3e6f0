/* SPDX-License-Identifier: MIT
 * The page for each request, and the content of its JSON; addresses to serve on. */
#include "check.h"
#include "pages.h"

#include "http/listener.h"
#include "signals/exchange.h"
#include "tools/fake_census.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

static struct census census;
static struct page page;

static int clear(void **state)
{
  (void)state;
  free(page.text);
  page = (struct page){0};
  census.count = 0;
  return 0;
}

static unsigned ask(struct request r)
{
  if (!r.method) r.method = "GET";
  free(page.text);
  page_make(&r, &census, &page);
  assert_non_null(page.text);
  assert_int_equal(page.size, strlen(page.text));
  return page.status;
}

static void assert_shows(const char *part)
{
  if (!strstr(page.text, part)) fail_msg("\"%s\" is missing in:\n%s", part, page.text);
}

static const char *string(const json_t *o, const char *key)
{
  return json_string_value(json_object_get(o, key));
}

TEST(metrics_page)
{
  fake_daemon(&census.one[census.count++], "a");
  assert_int_equal(ask((struct request){.path = "/metrics"}), 200);
  assert_string_equal(page.type, "text/plain; version=0.0.4; charset=utf-8");
  assert_shows("ali3_up{daemon=\"a\"} 1\n");
  assert_int_equal(ask((struct request){.path = "/metrics", .method = "HEAD"}), 200);
}

TEST(status_is_of_one_daemon)
{
  fake_daemon(&census.one[census.count++], "a");
  struct present *b = fake_daemon(&census.one[census.count++], "b");
  b->sample.verdict = VERDICT_DEGRADED;
  b->sample.reasons = 1;
  snprintf(b->sample.reason[0], sizeof b->sample.reason[0], "7 deadlines missed");
  b->block.live.misses = 7;
  fake_gone(&census.one[census.count++], "c");

  assert_int_equal(ask((struct request){.path = "/api/v1/status", .name = "b"}), 200);
  assert_string_equal(page.type, "application/json");
  json_t *o = json_loads(page.text, 0, NULL);
  assert_non_null(o);
  assert_string_equal(string(o, "status"), "degraded");
  assert_string_equal(json_string_value(json_array_get(json_object_get(o, "reasons"), 0)),
                      "7 deadlines missed");
  assert_string_equal(string(o, "instance"), "b");
  assert_string_equal(string(o, "state"), "RUNNING");
  assert_int_equal(json_integer_value(json_object_get(o, "misses")), 7);
  assert_int_equal(json_integer_value(json_object_get(o, "cycle")), 123456789012);
  assert_true(json_is_null(json_object_get(o, "cpu")));
  assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "counters"), "modbus_half_frames")),
                   5);
  assert_true(json_number_value(json_object_get(json_object_get(o, "wakeup_us"), "max")) == 1500.0);
  json_decref(o);

  assert_int_equal(ask((struct request){.path = "/api/v1/status"}), 200);
  assert_shows("\"instance\":\"a\"");
  assert_int_equal(ask((struct request){.path = "/api/v1/status", .name = "c"}), 200);
  assert_shows("\"status\":\"gone\"");
  assert_int_equal(ask((struct request){.path = "/api/v1/status", .name = "d"}), 404);
  o = json_loads(page.text, 0, NULL);
  assert_non_null(o);
  assert_string_equal(string(o, "status"), "gone");
  json_decref(o);
  census.count = 0;
  snprintf(census.none, sizeof census.none, "no daemon is running");
  assert_int_equal(ask((struct request){.path = "/api/v1/status"}), 404);
  assert_shows("no daemon is running");
}

TEST(instances_are_listed)
{
  fake_daemon(&census.one[census.count++], "a");
  fake_gone(&census.one[census.count++], "c");
  assert_int_equal(ask((struct request){.path = "/api/v1/instances"}), 200);
  json_t *o = json_loads(page.text, 0, NULL);
  assert_non_null(o);
  const json_t *list = json_object_get(o, "instances");
  assert_int_equal(json_array_size(list), 2);
  const json_t *a = json_array_get(list, 0), *c = json_array_get(list, 1);
  assert_string_equal(string(a, "instance"), "a");
  assert_true(json_is_true(json_object_get(a, "up")));
  assert_string_equal(string(a, "status"), "healthy");
  assert_string_equal(string(a, "state"), "RUNNING");
  assert_int_equal(json_integer_value(json_object_get(a, "pid")), 4711);
  assert_string_equal(string(c, "instance"), "c");
  assert_true(json_is_false(json_object_get(c, "up")));
  assert_string_equal(string(c, "status"), "gone");
  json_decref(o);
}

TEST(health_is_the_health_of_the_worst)
{
  snprintf(census.none, sizeof census.none, "no daemon is running");
  assert_int_equal(ask((struct request){.path = "/healthz"}), 503);
  assert_string_equal(page.text, "gone: no daemon is running\n");
  fake_daemon(&census.one[census.count++], "a");
  assert_int_equal(ask((struct request){.path = "/healthz"}), 200);
  assert_string_equal(page.text, "a healthy\n");

  struct present *b = fake_daemon(&census.one[census.count++], "b");
  b->sample.verdict = VERDICT_DEGRADED;
  b->sample.reasons = 2;
  snprintf(b->sample.reason[0], sizeof b->sample.reason[0], "state SAFE");
  snprintf(b->sample.reason[1], sizeof b->sample.reason[1], "1 deadline missed");
  assert_int_equal(ask((struct request){.path = "/healthz"}), 503);
  assert_string_equal(page.text, "a healthy\nb degraded: state SAFE; 1 deadline missed\n");
  assert_int_equal(ask((struct request){.path = "/healthz", .name = "a"}), 200);
  assert_int_equal(ask((struct request){.path = "/healthz", .name = "b"}), 503);
  assert_int_equal(ask((struct request){.path = "/healthz", .name = "x"}), 503);
  assert_string_equal(page.text, "x gone: not running\n");

  census.count = 0;
  fake_gone(&census.one[census.count++], "c");
  assert_int_equal(ask((struct request){.path = "/healthz"}), 503);
  assert_shows("c gone: ");
}

TEST(home_page)
{
  fake_daemon(&census.one[census.count++], "a");
  fake_gone(&census.one[census.count++], "c");
  assert_int_equal(ask((struct request){.path = "/"}), 200);
  assert_string_equal(page.type, "text/html; charset=utf-8");
  assert_shows("<a href=\"/metrics\">");
  assert_shows("<a href=\"/api/v1/status?name=a\">a</a> RUNNING, healthy");
  assert_shows("<a href=\"/api/v1/status?name=c\">c</a> -, gone");
  assert_null(strstr(page.text, "<script"));
}

TEST(wrong_options_are_refused)
{
  static const char *const paths[] = {"/", "/metrics", "/healthz", "/api/v1/status", "/api/v1/instances"};
  static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", ""};
  fake_daemon(&census.one[census.count++], "a");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
      assert_int_equal(ask((struct request){.path = paths[i], .method = methods[k]}), 405);
    assert_int_equal(ask((struct request){.path = paths[i], .bad_query = true}), 400);
    assert_int_equal(ask((struct request){.path = paths[i], .attribute = "HOST_INFO"}), 400);
    assert_int_equal(ask((struct request){.path = paths[i], .has_body = true}), 400);
    assert_string_equal(page.type, "text/plain; charset=utf-8");
  }
  assert_int_equal(ask((struct request){.path = "/metrics", .name = "a"}), 400);
  assert_int_equal(ask((struct request){.path = "/api/v1/instances", .name = "a"}), 400);
  static const char *const unknown[] = {"",        "/metrics/",      "/Metrics",
                                        "/api/v1", "/api/v2/status", "/../metrics"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    assert_int_equal(ask((struct request){.path = unknown[i]}), 404);
}

TEST(addresses)
{
  static const struct {
    const char *text;
    bool loopback;
  } good[] = {{"127.0.0.1:9464", true},    {"127.255.0.9:1", true},   {"[::1]:65535", true},
              {"0.0.0.0:9464", false},     {"[::]:9464", false},      {"192.0.2.1:0", false},
              {"[2001:db8::1]:80", false}, {"[fe80::1%lo]:80", false}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct address a;
    char text[64];
    assert_true(address_read(good[i].text, &a));
    assert_int_equal(address_is_loopback(&a), good[i].loopback);
    address_text(&a, text, sizeof text);
    assert_string_equal(text, good[i].text);
  }
  static const char *const bad[] = {"",
                                    "127.0.0.1",
                                    "127.0.0.1:",
                                    "127.0.0.1:65536",
                                    "127.0.0.1:-1",
                                    "127.0.0.1:9x",
                                    "localhost:9464",
                                    ":9464",
                                    "::1:9464",
                                    "[::1]",
                                    "[::1:9464",
                                    "::1]:9464",
                                    "[127.0.0.1]:1",
                                    "[:1",
                                    "[fe80::1%nowhere]:1",
                                    "127.0.0.1: 80",
                                    "1:99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct address a;
    if (address_read(bad[i], &a)) fail_msg("\"%s\" was taken for an address", bad[i]);
  }
}

TEST(a_port_is_taken_once)
{
  struct address a, b;
  assert_true(address_read("127.0.0.1:0", &a));
  const int first = listener_open(&a);
  assert_true(first >= 0);
  char text[64];
  address_text(&a, text, sizeof text);
  assert_string_not_equal(text, "127.0.0.1:0");
  assert_true(address_read(text, &b));
  assert_int_equal(listener_open(&b), -1);
  assert_int_equal(errno, EADDRINUSE);
  close(first);
  const int again = listener_open(&b);
  assert_true(again >= 0);
  close(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(metrics_page, clear),
      cmocka_unit_test_teardown(status_is_of_one_daemon, clear),
      cmocka_unit_test_teardown(instances_are_listed, clear),
      cmocka_unit_test_teardown(health_is_the_health_of_the_worst, clear),
      cmocka_unit_test_teardown(home_page, clear),
      cmocka_unit_test_teardown(wrong_options_are_refused, clear),
      cmocka_unit_test(addresses),
      cmocka_unit_test(a_port_is_taken_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
