/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "http/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static struct sockaddr_in v4(const char *address)
{
  struct sockaddr_in a = {.sin_family = AF_INET};
  assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
  return a;
}

TEST(our_names_are_ours)
{
  static const char *const ours[] = {
      "localhost",   "localhost:9464",   "LocalHost:1",  "localhost.",     "127.0.0.1:9464",
      "127.1.2.3",   "[::1]:9464",       "[::1]",        "192.0.2.7:9464", "192.0.2.7",
      "bench-1.lan", "BENCH-1.LAN:9464", "bench-1.lan.", "localhost:",     "[2001:db8::5]:9464"};
  static const char *const foreign[] = {"",
                                        ":9464",
                                        "evil.example",
                                        "evil.example:9464",
                                        "localhost.evil.example",
                                        "localhost@evil.example",
                                        "127.0.0.1.evil.example",
                                        "192.0.2.8",
                                        "[::2]",
                                        "[::1",
                                        "[]",
                                        "::1",
                                        "localhost:94x",
                                        "localhost:9464, evil.example",
                                        "2130706433",
                                        "0",
                                        "0.0.0.0",
                                        "."};
  const struct sockaddr_in at = v4("192.0.2.7");
  const struct hosts hosts = {.name = {"bench-1.lan", "2001:db8::5"}, .count = 2};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (!host_is_ours(ours[i], (const struct sockaddr *)&at, &hosts)) fail_msg("%s is ours", ours[i]);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (host_is_ours(foreign[i], (const struct sockaddr *)&at, &hosts))
      fail_msg("%s is not ours", foreign[i]);

  struct sockaddr_in6 at6 = {.sin6_family = AF_INET6};
  assert_int_equal(inet_pton(AF_INET6, "2001:db8::1", &at6.sin6_addr), 1);
  const struct hosts none = {.count = 0};
  assert_true(host_is_ours("[2001:DB8:0::1]:80", (const struct sockaddr *)&at6, &none));
  assert_false(host_is_ours("[2001:db8::2]:80", (const struct sockaddr *)&at6, &none));
  assert_false(host_is_ours("192.0.2.7", (const struct sockaddr *)&at6, &none));
}

TEST(names_without_port_are_valid)
{
  char longest[300];
  for (size_t i = 0; i < sizeof longest; i++) longest[i] = 'a';
  longest[sizeof longest - 1] = '\0';
  assert_true(host_is_valid("bench-1.lan") && host_is_valid("2001:db8::5"));
  assert_false(host_is_valid("") || host_is_valid("a b") || host_is_valid("a/b") || host_is_valid("[::1]") ||
               host_is_valid(longest));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(our_names_are_ours),
      cmocka_unit_test(names_without_port_are_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
