/* SPDX-License-Identifier: MIT
 * IPv4 and IPv6 socket addresses: parsing, comparison, and checks before sending. */
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

/* Parses a numeric host and a port. Returns 0 or a code for gai_strerror(). */
int inet_address_parse(const char *host, int port, struct inet_address *out);

int inet_address_port(const struct inet_address *a);
void inet_address_set_port(struct inet_address *a, int port);

bool inet_address_same(const struct inet_address *a, const struct inet_address *b); /* host and port */
bool inet_address_same_host(const struct inet_address *a, const struct inet_address *b);
bool inet_address_is_multicast(const struct inet_address *a);
bool inet_address_is_any(const struct inet_address *a); /* 0.0.0.0 or :: */
/* True if a socket of this machine can be bound to the host. */
bool inet_address_is_of_this_machine(const struct inet_address *a);

/* True if the address is neither broadcast nor multicast and has a port: a forged source must not turn one received
 * packet into many sent ones. */
bool inet_address_may_be_answered(const struct inet_address *a);

/* The address of a bound socket. Returns false if it has none. */
bool inet_address_of(int fd, struct inet_address *out);
/* The address of this machine that faces `to`, with this port. Returns false if no network leads there. */
bool inet_address_facing(const struct inet_address *to, int port, struct inet_address *own);
/* True if a datagram to this address comes to the socket that is bound to `own`. */
bool inet_address_reaches(const struct inet_address *to, const struct inet_address *own);

#endif
