/* SPDX-License-Identifier: MIT
 * When the kernel received what a socket holds: SO_TIMESTAMPNS. The stamps are of the wall clock, which jumps: they become
 * CLOCK_MONOTONIC by a reading of both clocks, and only where the wall clock was not set in between. */
#ifndef TRANSPORT_KERNEL_STAMP_H
#define TRANSPORT_KERNEL_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/* Room for the control message of a stamp in a struct msghdr. */
enum { KERNEL_STAMP_ROOM = CMSG_SPACE(sizeof(struct timespec)) };

/* Set-up. From now on what comes to the socket is stamped; sockets accepted from it inherit that. False if the kernel refuses:
 * then there are no stamps. */
bool kernel_stamp_ask(int fd);

/* The stamp beside what recvmsg() or recvmmsg() gave, by the wall clock; 0: there is none. */
uint64_t kernel_stamp_wall_ns(struct msghdr *m);

/* Both clocks, read together: the wall clock between two readings of CLOCK_MONOTONIC. */
struct kernel_clocks {
  uint64_t before_ns, wall_ns, now_ns;
};
struct kernel_clocks kernel_clocks_read(void);

/* Streams: how far the wall clock is ahead of CLOCK_MONOTONIC. To be read before every wait: stamps are trusted only if the wall
 * clock was not set since. */
struct kernel_clock {
  int64_t ahead_ns;
};
void kernel_clock_look(struct kernel_clock *k);

/* CLOCK_MONOTONIC at which the kernel received what recvmsg() gave, for a stream the newest byte of it, or a byte right behind.
 * Not after now. 0: there is no stamp, or the wall clock was set. */
uint64_t kernel_stamp_ns(const struct kernel_clock *k, struct msghdr *m);

/* The bytes that a read left in the queue of a socket or a line. A read that gave fewer than it had room for left none. */
size_t kernel_bytes_left(int fd, size_t got, size_t room);

#endif
