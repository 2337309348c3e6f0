/* SPDX-License-Identifier: MIT
 * IPv4 and IPv6 socket addresses: parsed, compared, and judged before anything is sent to them. */
#ifndef TRANSPORT_INET_ADDRESS_H
#define TRANSPORT_INET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct inet_address {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } name;
  socklen_t length;
};

/* Numeric host and port to an address. Returns 0 or a code for gai_strerror(). */
int inet_address_parse(const char *host, int port, struct inet_address *out);

int inet_address_port(const struct inet_address *a);
void inet_address_set_port(struct inet_address *a, int port);

bool inet_address_same(const struct inet_address *a, const struct inet_address *b); /* host and port */
bool inet_address_same_host(const struct inet_address *a, const struct inet_address *b);
bool inet_address_is_multicast(const struct inet_address *a);

/* Neither broadcast nor multicast, and a port: a forged source must not turn one packet in into many out. */
bool inet_address_may_be_answered(const struct inet_address *a);

/* The address a socket is bound to. False: it has none. */
bool inet_address_of(int fd, struct inet_address *out);
/* What is sent there comes to the socket that is bound to `own`. */
bool inet_address_reaches(const struct inet_address *to, const struct inet_address *own);

#endif
