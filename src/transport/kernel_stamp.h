/* SPDX-License-Identifier: MIT
 * When the kernel received what a socket holds: SO_TIMESTAMPNS as CLOCK_MONOTONIC. The stamps are of the wall clock, which jumps:
 * only the difference to the wall clock of now is used, and only where that clock was not set in between. */
#ifndef TRANSPORT_KERNEL_STAMP_H
#define TRANSPORT_KERNEL_STAMP_H

#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/* Room for the control messages of a struct msghdr. */
enum { KERNEL_STAMP_ROOM = CMSG_SPACE(sizeof(struct timespec)) };

/* What the wall clock is ahead of CLOCK_MONOTONIC. */
struct kernel_clock {
  int64_t ahead_ns;
};

/* Set-up. From now on what comes to the socket is stamped; sockets accepted from it inherit that. A kernel that refuses leaves
 * everything without stamps. */
void kernel_stamp_ask(int fd);

/* To be called before every wait: stamps are trusted only if the wall clock was not set since. */
void kernel_clock_look(struct kernel_clock *k);

/* CLOCK_MONOTONIC at which the kernel received what recvmsg() gave, for a stream the newest byte of it, or a byte right behind.
 * Not after now. 0: there is no stamp, or the wall clock was set. */
uint64_t kernel_stamp_ns(const struct kernel_clock *k, struct msghdr *m);

#endif
