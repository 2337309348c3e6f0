/* SPDX-License-Identifier: MIT */
#include "osc/out_parts.h"

#include <sys/socket.h>

void osc_out_transmit(struct osc_out *out, int fd, const struct inet_address *to, const void *bytes, size_t n)
{
  ssize_t sent = fd >= 0 ? send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL)
                         : sendto(out->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, &to->name.any, to->length);
  counter_add(sent >= 0 ? &out->counters->osc_sent : &out->counters->osc_send_errors, 1);
}

void osc_out_send(struct osc_out *out, const struct inet_address *to, const struct osc_writer *w)
{
  osc_out_transmit(out, -1, to, w->bytes, w->size);
}
