/* SPDX-License-Identifier: MIT */
#include "transport/kernel_stamp.h"

#include "rt/clock.h"

#include <string.h>
#include <sys/ioctl.h>

enum {
  SET_NS = 1000000, /* more than slewing, or a delay of the thread between two readings, can cause */
  APART_NS = 20000, /* repeat readings that are further apart: the thread was preempted between them */
  TRIES = 3,
};

bool kernel_stamp_ask(int fd)
{
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int)) == 0;
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
  struct kernel_clocks k;
  struct timespec wall;
  for (int i = 0; i < TRIES; i++) {
    k.before_ns = clock_now_ns();
    clock_gettime(CLOCK_REALTIME, &wall);
    k.now_ns = clock_now_ns();
    if (k.now_ns - k.before_ns < APART_NS) break;
  }
  k.wall_ns = clock_ns(wall);
  return k;
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
