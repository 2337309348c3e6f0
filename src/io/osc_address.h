/* SPDX-License-Identifier: MIT
 * Where OSC comes from and goes to. */
#ifndef IO_OSC_ADDRESS_H
#define IO_OSC_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct osc_address {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } name;
  socklen_t length;
};

/* Numeric host and port to an address. Returns 0 or a code for gai_strerror(). */
int osc_address_parse(const char *host, int port, struct osc_address *out);

int osc_address_port(const struct osc_address *a);
void osc_address_set_port(struct osc_address *a, int port);

bool osc_address_same(const struct osc_address *a, const struct osc_address *b); /* host and port */
bool osc_address_same_host(const struct osc_address *a, const struct osc_address *b);
bool osc_address_is_multicast(const struct osc_address *a);

/* Neither broadcast nor multicast, and a port: a forged source must not turn one packet in into many out. */
bool osc_address_may_be_answered(const struct osc_address *a);

/* The address a socket is bound to. False: it has none. */
bool osc_address_of(int fd, struct osc_address *out);
/* What is sent there comes to the socket that is bound to `own`. */
bool osc_address_reaches(const struct osc_address *to, const struct osc_address *own);

#endif
