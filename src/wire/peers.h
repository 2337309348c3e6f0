/* SPDX-License-Identifier: MIT
 * Who may read and who may write, by network address. Pure. */
#ifndef WIRE_PEERS_H
#define WIRE_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

enum access {
  ACCESS_NONE,  /* not served at all */
  ACCESS_READ,  /* may read, subscribe, and stop the motion by an e-stop */
  ACCESS_WRITE, /* everything */
};

enum { PEER_ADDRESS = 16 };

/* An IPv4 address counts as the IPv6 address it is mapped to, ::ffff:a.b.c.d. */
struct peer_rule {
  uint8_t address[PEER_ADDRESS];
  int bits; /* of it that count, from the first */
  enum access access;
};

/* No rules: everybody has ACCESS_WRITE. Else the rule with the most bits holds, and nobody else is served. */
struct peers {
  struct peer_rule *rule; /* (count) */
  int count;
};

/* "10.0.0.7", "10.0.0.0/24", "fe80::/64" into rule->address and ->bits. False if it is not of that form, or has bits set
 * behind those that count. */
bool peer_rule_parse(const char *text, struct peer_rule *rule);

/* The address of a host as rules see it. False for families other than IP. */
bool peers_host(const struct sockaddr *from, uint8_t address[PEER_ADDRESS]);

/* The rights of a socket address; ACCESS_NONE for families other than IP. */
enum access peers_access(const struct peers *p, const struct sockaddr *from);

#endif
