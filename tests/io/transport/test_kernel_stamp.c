/* SPDX-License-Identifier: MIT */
#include "transport/kernel_stamp.h"

#include "check.h"

#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

enum { PATIENCE_MS = 300000 };

/* A socket that asks for stamps and sends to itself. */
static int open_stamped(void)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0 && kernel_stamp_ask(fd));
  assert_int_equal(bind(fd, (struct sockaddr *)&at, length), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&at, length), 0);
  return fd;
}

/* The first datagram of a new socket has the time at which it arrived, and not that of the read. */
TEST(the_first_datagram_is_stamped_when_it_arrives)
{
  const int held = kernel_stamp_hold();
  assert_true(held >= 0);
  _Alignas(struct cmsghdr) char control[KERNEL_STAMP_ROOM];
  char byte;
  struct iovec place = {&byte, 1};
  struct msghdr m = {
      .msg_iov = &place, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const int fd = open_stamped();
  assert_int_equal(send(fd, "x", 1, 0), 1);
  assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS), 1);
  const uint64_t wall_ns = kernel_clocks_read().wall_ns;
  assert_int_equal(recvmsg(fd, &m, 0), 1);
  assert_in_range(kernel_stamp_wall_ns(&m), 1, wall_ns - 1);
  close(fd);
  close(held);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_datagram_is_stamped_when_it_arrives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
