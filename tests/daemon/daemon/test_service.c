/* SPDX-License-Identifier: MIT
 * The test is the service manager: it has the socket, and reads it or does not. */
#include "check.h"
#include "daemon/service.h"
#include "rt/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct manager {
  int socket;
  struct service service;
};

/* An abstract address: it needs no file and disappears with the socket. */
static void open_manager(struct manager *m)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char name[64];
  const int length = snprintf(name, sizeof name, "@ali3-test-service-%d", (int)getpid());
  memcpy(address.sun_path + 1, name + 1, (size_t)length - 1);
  m->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length);
  assert_int_equal(bind(m->socket, (struct sockaddr *)&address, size), 0);
  setenv("NOTIFY_SOCKET", name, 1);
  service_open(&m->service);
}

static void close_manager(struct manager *m)
{
  service_close(&m->service);
  close(m->socket);
}

/* The next message; empty: none waits. */
static const char *next_message(const struct manager *m)
{
  static char text[256];
  const ssize_t n = recv(m->socket, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  return text;
}

static int fill(struct manager *m)
{
  int taken = 0;
  while (service_tell(&m->service, "STATUS=full")) taken++;
  return taken;
}

TEST(without_a_manager_everything_is_taken)
{
  struct service m;
  unsetenv("NOTIFY_SOCKET");
  service_open(&m);
  assert_true(service_tell(&m, "WATCHDOG=1"));
  service_change(&m, "READY=1");
  service_tick(&m, 1);
  service_close(&m);
}

TEST(messages_arrive_at_an_abstract_address)
{
  struct manager m;
  open_manager(&m);
  service_change(&m.service, "READY=1");
  assert_true(service_tell(&m.service, "STATUS=fine"));
  assert_string_equal(next_message(&m), "READY=1");
  assert_string_equal(next_message(&m), "STATUS=fine");
  close_manager(&m);
}

TEST(changes_wait_for_a_manager_that_takes_nothing)
{
  struct manager m;
  open_manager(&m);
  const int taken = fill(&m);
  assert_true(taken > 0);
  for (int k = 0; k < SERVICE_STATES + 3; k++) {
    char change[SERVICE_TEXT];
    snprintf(change, sizeof change, "X_CHANGE=%d", k);
    service_change(&m.service, change);
  }
  service_tick(&m.service, clock_now_ns());
  for (int k = 0; k < taken; k++) assert_string_equal(next_message(&m), "STATUS=full");
  assert_string_equal(next_message(&m), "");
  /* They come in their order; of those that found no room only the last. */
  for (int k = 0; k < SERVICE_STATES; k++) {
    service_tick(&m.service, clock_now_ns());
    char change[SERVICE_TEXT];
    snprintf(change, sizeof change, "X_CHANGE=%d", k < SERVICE_STATES - 1 ? k : SERVICE_STATES + 2);
    assert_string_equal(next_message(&m), change);
  }
  assert_string_equal(next_message(&m), "");
  close_manager(&m);
}

/* A socket whose owner is gone refuses at once. */
TEST(a_manager_that_is_gone_holds_nothing_up)
{
  struct manager m;
  open_manager(&m);
  close(m.socket);
  assert_true(service_tell(&m.service, "WATCHDOG=1"));
  service_change(&m.service, "STOPPING=1");
  assert_int_equal(m.service.states, 0);
  service_close(&m.service);
}

TEST(the_watchdog_is_that_of_this_process)
{
  char own[24];
  snprintf(own, sizeof own, "%d", (int)getpid());
  static const struct {
    const char *us, *pid; /* pid "": this process */
    uint64_t ns;
  } cases[] = {{"2000000", NULL, 2 * NS_PER_S},
               {"2000000", "", 2 * NS_PER_S},
               {"2000000", "1", 0},
               {NULL, "", 0},
               {"", "", 0},
               {"-1", "", 0},
               {"2 s", "", 0},
               {"18446744073709551615", "", 0},
               {"99999999999999999999", "", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    if (cases[i].us) setenv("WATCHDOG_USEC", cases[i].us, 1);
    if (cases[i].pid) setenv("WATCHDOG_PID", *cases[i].pid ? cases[i].pid : own, 1);
    assert_int_equal(service_watchdog_ns(), cases[i].ns);
  }
  unsetenv("WATCHDOG_USEC");
  unsetenv("WATCHDOG_PID");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_manager_everything_is_taken),
      cmocka_unit_test(messages_arrive_at_an_abstract_address),
      cmocka_unit_test(changes_wait_for_a_manager_that_takes_nothing),
      cmocka_unit_test(a_manager_that_is_gone_holds_nothing_up),
      cmocka_unit_test(the_watchdog_is_that_of_this_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
