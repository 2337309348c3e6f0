/* SPDX-License-Identifier: MIT */
#include "transport/kernel_stamp.h"

#include "rt/clock.h"

#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  SET_NS = 1000000, /* more than slewing, or a delay of the thread between two readings, can cause */
  APART_NS = 20000, /* repeat readings that are further apart: the thread was preempted between them */
  TRIES = 3,
  HOLD_TRIES = 100, /* of kernel_stamp_hold() */
  HOLD_MS = 10,     /* between two of them, and the longest wait for a datagram on its way through loopback */
};

bool kernel_stamp_ask(int fd)
{
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int)) == 0;
}

/* A socket of loopback that sends to itself. Returns -1 if there is none. */
static int open_mirror(void)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (kernel_stamp_ask(fd) && bind(fd, (struct sockaddr *)&at, length) == 0 &&
      getsockname(fd, (struct sockaddr *)&at, &length) == 0 &&
      connect(fd, (struct sockaddr *)&at, length) == 0)
    return fd;
  close(fd);
  return -1;
}

/* Whether the kernel stamps a datagram when it arrives. A stamp that is made by the read is later than the wall clock was
 * before the read. */
static bool stamps_arrival(int fd)
{
  _Alignas(struct cmsghdr) char control[KERNEL_STAMP_ROOM];
  struct iovec place = {&(char){0}, 1};
  struct msghdr m = {
      .msg_iov = &place, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, HOLD_MS) != 1) return false;
  const uint64_t wall_ns = kernel_clocks_read().wall_ns;
  return recvmsg(fd, &m, 0) == 1 && kernel_stamp_wall_ns(&m) < wall_ns;
}

int kernel_stamp_hold(void)
{
  const int fd = open_mirror();
  for (int i = 0; fd >= 0 && i < HOLD_TRIES && send(fd, "", 1, 0) == 1 && !stamps_arrival(fd); i++)
    clock_sleep_until_ns(clock_now_ns() + HOLD_MS * UINT64_C(1000000));
  return fd;
}

uint64_t kernel_stamp_wall_ns(struct msghdr *m)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    return clock_ns(stamp);
  }
  return 0;
}

struct kernel_clocks kernel_clocks_read(void)
{
  /* The try in which the thread was interrupted for the shortest time. */
  struct kernel_clocks best = {.now_ns = UINT64_MAX};
  for (int i = 0; i < TRIES && best.now_ns - best.before_ns >= APART_NS; i++) {
    struct kernel_clocks k = {.before_ns = clock_now_ns()};
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    k.now_ns = clock_now_ns();
    k.wall_ns = clock_ns(wall);
    if (k.now_ns - k.before_ns < best.now_ns - best.before_ns) best = k;
  }
  return best;
}

void kernel_clock_look(struct kernel_clock *k)
{
  const struct kernel_clocks c = kernel_clocks_read();
  k->ahead_ns = (int64_t)c.wall_ns - (int64_t)c.now_ns;
}

uint64_t kernel_stamp_ns(const struct kernel_clock *k, struct msghdr *m)
{
  const uint64_t stamp_ns = kernel_stamp_wall_ns(m);
  if (stamp_ns == 0) return 0;
  const struct kernel_clocks c = kernel_clocks_read();
  const int64_t wall_ns = (int64_t)c.wall_ns, now_ns = (int64_t)c.now_ns;
  const int64_t moved_ns = wall_ns - now_ns - k->ahead_ns, age_ns = wall_ns - (int64_t)stamp_ns;
  if (moved_ns > SET_NS || moved_ns < -SET_NS || age_ns > now_ns) return 0;
  return (uint64_t)(age_ns > 0 ? now_ns - age_ns : now_ns);
}

size_t kernel_bytes_left(int fd, size_t got, size_t room)
{
  int left = 0;
  if (got < room) return 0;
  return ioctl(fd, FIONREAD, &left) == 0 && left > 0 ? (size_t)left : 0;
}
