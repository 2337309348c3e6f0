/* SPDX-License-Identifier: MIT
 * Kernel time stamps of received data: SO_TIMESTAMPNS. The stamps come from the wall clock, which can jump. A reading
 * of both clocks converts them to CLOCK_MONOTONIC, unless the wall clock was set in between. */
#ifndef TRANSPORT_KERNEL_STAMP_H
#define TRANSPORT_KERNEL_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/* Size of the control message with a stamp in a struct msghdr. */
enum { KERNEL_STAMP_ROOM = CMSG_SPACE(sizeof(struct timespec)) };

/* Set-up: turns on stamps for the socket and for sockets accepted from it. Returns false if the kernel refuses; then
 * there are no stamps. */
bool kernel_stamp_ask(int fd);

/* Set-up: switches on the stamps of the kernel before the first socket is bound, and waits until they work, for a second at
 * most. The kernel switches them on by a deferred job when the first socket asks for them; until then a datagram gets the
 * time at which it is read, and the data of a stream get no stamp. They stay on while the descriptor is open. Returns the
 * descriptor, or -1 if the kernel refuses. */
int kernel_stamp_hold(void);

/* The stamp of a message from recvmsg() or recvmmsg(), by the wall clock; 0: none. */
uint64_t kernel_stamp_wall_ns(struct msghdr *m);

/* Both clocks, read together: the wall clock between two readings of CLOCK_MONOTONIC. */
struct kernel_clocks {
  uint64_t before_ns, wall_ns, now_ns;
};
struct kernel_clocks kernel_clocks_read(void);

/* For streams: offset of the wall clock from CLOCK_MONOTONIC. Read it before every wait: stamps are trusted only if the
 * wall clock was not set since. */
struct kernel_clock {
  int64_t ahead_ns;
};
void kernel_clock_look(struct kernel_clock *k);

/* The CLOCK_MONOTONIC time at which the kernel received the data of a recvmsg(); for a stream that of its newest byte
 * or of a byte directly after it. Not later than now. 0: there is no stamp, or the wall clock was set. */
uint64_t kernel_stamp_ns(const struct kernel_clock *k, struct msghdr *m);

/* The bytes that a read left in the queue of a socket or a line. A read of less than its room left none. */
size_t kernel_bytes_left(int fd, size_t got, size_t room);

#endif
