/* SPDX-License-Identifier: MIT
 * Targets that are multicast groups, over the loopback interface. */
#include "osc/osc_bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP "239.255.43.21"

/* These must outlive the thread, which ends with the test. */
static struct osc_target to;
static struct osc_config own;

/* A socket that has joined the group on the loopback interface and receives the TTL; -1: the host refuses. */
static int join(int *udp_port)
{
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t n = sizeof at;
  struct ip_mreq membership;
  struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  inet_pton(AF_INET, GROUP, &at.sin_addr);
  membership.imr_multiaddr = at.sin_addr;
  inet_pton(AF_INET, "127.0.0.1", &membership.imr_interface);
  if (bind(fd, (struct sockaddr *)&at, n) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0 &&
      setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) == 0 &&
      setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof on) == 0 &&
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0) {
    *udp_port = ntohs(at.sin_port);
    return fd;
  }
  print_message("skipped: cannot join a multicast group on 127.0.0.1: %s\n", strerror(errno));
  close(fd);
  return -1;
}

/* The next datagram, in `bytes`, and its TTL. */
static ssize_t next(int fd, int *ttl)
{
  uint8_t control[64];
  struct iovec part = {bytes, sizeof bytes};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const ssize_t n = recvmsg(fd, &m, 0);
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); n > 0 && c; c = CMSG_NXTHDR(&m, c))
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) memcpy(ttl, CMSG_DATA(c), sizeof *ttl);
  return n;
}

TEST(a_group_gets_the_stream_with_its_ttl)
{
  for (int ttl = 1; ttl <= 7; ttl += 6) {
    int udp_port = 0, got = 0;
    const int fd = join(&udp_port);
    if (fd < 0) skip();
    endpoint_stop(&osc);
    to = (struct osc_target){.host = GROUP,
                             .port = udp_port,
                             .divisor = 1,
                             .interface = "127.0.0.1",
                             .ttl = ttl,
                             .stream = STREAM_BODY};
    own = config;
    own.target = &to;
    own.targets = 1;
    char error[200];
    if (!bench_starts(&osc, &own, error)) fail_msg("%s", error);
    publish((uint64_t)ttl, STATE_RUNNING);
    const ssize_t n = next(fd, &got);
    close(fd);
    assert_true(n > 0);
    const uint8_t *header = wire_find(bytes, (size_t)n, "/ali3/hdr", "ifiiii");
    assert_non_null(header);
    assert_int_equal(wire_get_u32(header), ttl);
    assert_int_equal(got, ttl);
  }
}

TEST(an_interface_that_is_not_there_is_said)
{
  to = (struct osc_target){.host = GROUP, .port = 5, .divisor = 1, .interface = "192.0.2.77", .ttl = 1};
  own = config;
  own.target = &to;
  own.targets = 1;
  char error[200];
  struct endpoint second;
  assert_false(bench_starts(&second, &own, error));
  assert_non_null(strstr(error, "by the interface 192.0.2.77"));
  to = (struct osc_target){.host = "ff02::1", .port = 5, .divisor = 1};
  assert_false(bench_starts(&second, &own, error));
  assert_non_null(strstr(error, "IPv4 only"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_group_gets_the_stream_with_its_ttl),
      BENCH_TEST(an_interface_that_is_not_there_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
