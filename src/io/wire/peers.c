/* SPDX-License-Identifier: MIT */
#include "wire/peers.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 128, MAPPED = 96 }; /* bits of an IPv6 address; bits before a mapped IPv4 address */

static void map_v4(const void *v4, uint8_t out[PEER_ADDRESS])
{
  memset(out, 0, 10);
  memset(out + 10, 0xff, 2);
  memcpy(out + 12, v4, 4);
}

static bool address_bit(const uint8_t *address, int i)
{
  return address[i / 8] >> (7 - i % 8) & 1;
}

bool peer_rule_parse(const char *text, struct peer_rule *rule)
{
  char host[INET6_ADDRSTRLEN + 1];
  uint8_t v4[4];
  const char *slash = strchr(text, '/'), *interface = strchr(text, '%');
  const size_t length = interface ? (size_t)(interface - text)
                        : slash   ? (size_t)(slash - text)
                                  : strlen(text);
  if (length >= sizeof host) return false;
  memcpy(host, text, length);
  host[length] = '\0';

  /* The address as IPv6. */
  const bool is_v4 = inet_pton(AF_INET, host, v4) == 1;
  if (is_v4)
    map_v4(v4, rule->address);
  else if (inet_pton(AF_INET6, host, rule->address) != 1)
    return false;
  /* The interface of a single link-local address. */
  rule->scope = interface ? if_nametoindex(interface + 1) : 0;
  if (interface &&
      (rule->scope == 0 || slash || rule->address[0] != 0xfe || (rule->address[1] & 0xc0) != 0x80))
    return false;
  /* The length of the prefix; the bits after it must be 0. */
  rule->bits = BITS;
  if (slash) {
    char *end;
    const long most = is_v4 ? 32 : BITS, bits = strtol(slash + 1, &end, 10);
    if (slash[1] < '0' || slash[1] > '9' || *end || bits > most) return false;
    rule->bits = (int)bits + (is_v4 ? MAPPED : 0);
  }
  for (int i = rule->bits; i < BITS; i++)
    if (address_bit(rule->address, i)) return false;
  return true;
}

static bool rule_matches(const struct peer_rule *rule, const uint8_t address[PEER_ADDRESS], uint32_t scope)
{
  if (rule->scope != 0 && rule->scope != scope) return false;
  for (int i = 0; i < rule->bits; i++)
    if (address_bit(rule->address, i) != address_bit(address, i)) return false;
  return true;
}

bool peers_host(const struct sockaddr *from, uint8_t address[PEER_ADDRESS])
{
  if (from->sa_family == AF_INET)
    map_v4(&((const struct sockaddr_in *)(const void *)from)->sin_addr, address);
  else if (from->sa_family == AF_INET6)
    memcpy(address, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, PEER_ADDRESS);
  else
    return false;
  return true;
}

enum access peers_access(const struct peers *p, const struct sockaddr *from)
{
  uint8_t address[PEER_ADDRESS];
  if (!peers_host(from, address)) return ACCESS_NONE;
  if (p->count == 0) return ACCESS_WRITE;
  const struct peer_rule *best = NULL;
  const uint32_t scope =
      from->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)(const void *)from)->sin6_scope_id : 0;
  for (int i = 0; i < p->count; i++)
    if (rule_matches(&p->rule[i], address, scope) && (!best || p->rule[i].bits > best->bits))
      best = &p->rule[i];
  return best ? best->access : ACCESS_NONE;
}
