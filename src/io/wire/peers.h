/* SPDX-License-Identifier: MIT
 * Read and write access by network address. Pure. */
#ifndef WIRE_PEERS_H
#define WIRE_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

enum access {
  ACCESS_NONE,  /* not served */
  ACCESS_READ,  /* may read, subscribe, and stop the motion by an e-stop */
  ACCESS_WRITE, /* may do everything but jog */
  ACCESS_JOG,   /* may jog as well */
};

enum { PEER_ADDRESS = 16 };

/* An IPv4 address counts as its mapped IPv6 address, ::ffff:a.b.c.d. */
struct peer_rule {
  uint8_t address[PEER_ADDRESS];
  int bits;       /* length of the prefix */
  uint32_t scope; /* index of the interface of a link-local address; 0: any */
  enum access access;
};

/* Without rules everybody has ACCESS_WRITE. With rules, the longest matching prefix decides, and others are not served. */
struct peers {
  struct peer_rule *rule; /* (count) */
  int count;
};

/* Parses "10.0.0.7", "10.0.0.0/24", "fe80::/64" or "fe80::1%eth0" into rule->address, ->bits and ->scope. Returns false if the
 * form is wrong, bits after the prefix are set, or this machine does not have the interface. */
bool peer_rule_parse(const char *text, struct peer_rule *rule);

/* The address of a host in the form of the rules. Returns false for families other than IP. */
bool peers_host(const struct sockaddr *from, uint8_t address[PEER_ADDRESS]);

/* The access of a socket address; ACCESS_NONE for families other than IP. */
enum access peers_access(const struct peers *p, const struct sockaddr *from);

#endif
