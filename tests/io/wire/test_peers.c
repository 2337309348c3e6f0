/* SPDX-License-Identifier: MIT
 * Addresses, networks and rights. */
#include "check.h"
#include "signals/clients.h"
#include "wire/peers.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct sockaddr_storage address(const char *text)
{
  struct sockaddr_storage s = {0};
  struct sockaddr_in *v4 = (void *)&s;
  struct sockaddr_in6 *v6 = (void *)&s;
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
    s.ss_family = AF_INET;
    v4->sin_port = htons(1234);
  } else {
    assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
    s.ss_family = AF_INET6;
    v6->sin6_port = htons(1234);
  }
  return s;
}

static enum access rights(const struct peers *p, const char *text)
{
  const struct sockaddr_storage s = address(text);
  return peers_access(p, (const void *)&s);
}

static struct peer_rule rule(const char *text, enum access access)
{
  struct peer_rule r;
  assert_true(peer_rule_parse(text, &r));
  r.access = access;
  return r;
}

TEST(no_rules)
{
  const struct peers none = {0};
  assert_int_equal(rights(&none, "203.0.113.9"), ACCESS_WRITE);
  assert_int_equal(peers_access(&none, &(struct sockaddr){.sa_family = AF_UNIX}), ACCESS_NONE);
}

TEST(the_narrowest_rule_holds)
{
  struct peer_rule r[] = {rule("10.0.0.0/8", ACCESS_READ), rule("10.1.2.3", ACCESS_WRITE),
                          rule("10.1.0.0/16", ACCESS_NONE), rule("fe80::/10", ACCESS_WRITE)};
  const struct peers p = {r, 4};
  assert_int_equal(rights(&p, "10.9.9.9"), ACCESS_READ);
  assert_int_equal(rights(&p, "10.1.2.3"), ACCESS_WRITE);
  assert_int_equal(rights(&p, "10.1.2.4"), ACCESS_NONE);
  assert_int_equal(rights(&p, "11.0.0.1"), ACCESS_NONE);
  assert_int_equal(rights(&p, "::ffff:10.1.2.3"), ACCESS_WRITE);
  assert_int_equal(rights(&p, "fe80::1"), ACCESS_WRITE);
  assert_int_equal(rights(&p, "2001:db8::1"), ACCESS_NONE);
}

TEST(odd_lengths)
{
  struct peer_rule r[] = {rule("192.168.4.0/22", ACCESS_WRITE), rule("0.0.0.0/0", ACCESS_READ)};
  const struct peers p = {r, 2};
  assert_int_equal(rights(&p, "192.168.7.255"), ACCESS_WRITE);
  assert_int_equal(rights(&p, "192.168.8.0"), ACCESS_READ);
  assert_int_equal(rights(&p, "::1"), ACCESS_NONE); /* not an IPv4 address */
}

TEST(texts_that_are_no_rule)
{
  static const char *const bad[] = {"",
                                    "localhost",
                                    "10.0.0",
                                    "10.0.0.0/33",
                                    "10.0.0.1/24",
                                    "10.0.0.0/",
                                    "10.0.0.0/x",
                                    "10.0.0.0/-1",
                                    "::1/129",
                                    "::1/64",
                                    "10.0.0.0/8 ",
                                    "/8",
                                    "1111:2222:3333:4444:5555:6666:7777:8888:9999:0000:1111"};
  struct peer_rule r;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(peer_rule_parse(bad[i], &r));
}

TEST(names_of_clients)
{
  static struct clients c;
  char text[CLIENT_NAME];
  struct sockaddr_storage s = address("127.0.0.1");
  clients_address_text((const void *)&s, text);
  assert_string_equal(text, "127.0.0.1:1234");
  clients_name(&c, 7, text);
  clients_get(&c, 7, text);
  assert_string_equal(text, "127.0.0.1:1234");
  s = address("::1");
  clients_address_text((const void *)&s, text);
  assert_string_equal(text, "[::1]:1234");
  clients_name(&c, 7 + CLIENTS_NAMED, text);
  clients_get(&c, 7, text); /* another client has its place now */
  assert_string_equal(text, "client 7");
  clients_get(&c, 0, text);
  assert_string_equal(text, "client 0");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_rules),         cmocka_unit_test(the_narrowest_rule_holds),
      cmocka_unit_test(odd_lengths),      cmocka_unit_test(texts_that_are_no_rule),
      cmocka_unit_test(names_of_clients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
