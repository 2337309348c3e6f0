/* SPDX-License-Identifier: MIT */
#include "transport/kernel_stamp.h"

#include "rt/clock.h"

#include <string.h>

enum { SET_NS = 1000000 }; /* more than the clock is slewed by, or the thread held up between two readings */

static int64_t wall_now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)clock_ns(t);
}

void kernel_stamp_ask(int fd)
{
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int));
}

void kernel_clock_look(struct kernel_clock *k)
{
  k->ahead_ns = wall_now_ns() - (int64_t)clock_now_ns();
}

uint64_t kernel_stamp_ns(const struct kernel_clock *k, struct msghdr *m)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    const int64_t wall_ns = wall_now_ns(), now_ns = (int64_t)clock_now_ns();
    const int64_t moved_ns = wall_ns - now_ns - k->ahead_ns, age_ns = wall_ns - (int64_t)clock_ns(stamp);
    if (moved_ns > SET_NS || moved_ns < -SET_NS || age_ns > now_ns) return 0;
    return (uint64_t)(age_ns > 0 ? now_ns - age_ns : now_ns);
  }
  return 0;
}
