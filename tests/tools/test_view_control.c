/* SPDX-License-Identifier: MIT
 * Where ali3-view sends the commands of a page: to the address in the daemon's description, if it is one of this machine. */
#include "check.h"
#include "control.h"
#include "rt/clock.h"
#include "telemetry/shm.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MS = 10000 };

/* Sends a command to a daemon that describes this address. Returns the status, with the reason in *why. */
static unsigned command(struct control *c, const char *ip, int port, struct control_wait *wait,
                        const char **why)
{
  char name[64], error[200];
  snprintf(name, sizeof name, "control%d", (int)getpid());
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  assert_non_null(t);
  json_t *all =
      json_pack("{s:{s:s, s:i}, s:{s:s, s:{s:{s:s, s:{s:{}}}}}}", "HOST_INFO", "OSC_IP", ip, "OSC_PORT", port,
                "ROOT", "FULL_PATH", "/", "CONTENTS", "bench", "FULL_PATH", "/bench", "CONTENTS", "cmd");
  char *text = json_dumps(all, 0);
  assert_non_null(text);
  assert_true(telemetry_describe(t, text) && telemetry_ready(t, error, sizeof error));
  json_t *body = json_pack("{s:s}", "command", "estop");
  const unsigned status = control_command(c, name, body, clock_now_ns(), wait, why);
  json_decref(body);
  json_decref(all);
  free(text);
  telemetry_destroy(t);
  return status;
}

TEST(a_command_goes_to_the_daemons_address)
{
  static const struct {
    const char *bound, *described;
  } of[] = {{"127.0.0.1", "127.0.0.1"},
            {"127.0.0.9", "127.0.0.9"},
            {"127.0.0.1", "0.0.0.0"},
            {"::1", "::1"},
            {"::1", "::"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct control c;
    struct control_wait wait;
    struct inet_address at;
    const char *why;
    char bytes[256];
    assert_true(control_open(&c));
    assert_int_equal(inet_address_parse(of[i].bound, 0, &at), 0);
    const int fd = socket(at.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, &at.name.any, at.length) != 0) {
      print_message("skipped: the host has no address %s\n", of[i].bound);
      if (fd >= 0) close(fd);
      control_close(&c);
      continue;
    }
    assert_true(inet_address_of(fd, &at));
    assert_int_equal(command(&c, of[i].described, inet_address_port(&at), &wait, &why), 202);
    assert_true(inet_address_same(&wait.to, &at));
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&readable, 1, ANSWER_MS), 1);
    assert_true(recv(fd, bytes, sizeof bytes, 0) > 0);
    assert_string_equal(bytes, "/bench/cmd/estop");
    close(fd);
    control_close(&c);
  }
}

/* Anybody who may write to /dev/shm can write a description. */
TEST(no_command_leaves_this_machine)
{
  static const struct {
    const char *ip;
    int port;
    const char *why;
  } bad[] = {{"192.0.2.1", 9, "not of this machine"},        {"2001:db8::1", 9, "not of this machine"},
             {"255.255.255.255", 9, "not of this machine"},  {"239.1.1.1", 9, "not of this machine"},
             {"localhost", 9, "no address for OSC"},         {"127.0.0.1", 0, "no address for OSC"},
             {"127.0.0.1", 65536 + 9, "no address for OSC"}, {"127.0.0.1", -1, "no address for OSC"}};
  struct control c;
  assert_true(control_open(&c));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct control_wait wait;
    const char *why = "";
    assert_int_equal(command(&c, bad[i].ip, bad[i].port, &wait, &why), 502);
    if (!strstr(why, bad[i].why)) fail_msg("%s port %d: \"%s\"", bad[i].ip, bad[i].port, why);
  }
  control_close(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_command_goes_to_the_daemons_address),
      cmocka_unit_test(no_command_leaves_this_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
