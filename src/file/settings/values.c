/* SPDX-License-Identifier: MIT
 * Functions that several readers share: checks of values and names. Set-up only. */
#include "settings/values.h"
#include "settings/keys.h"
#include "yaml/nearest.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

/* --- single values --- */

#define WORD(id, text) text,
const char *const schema_parities[] = {PARITY_LIST(WORD) NULL};
#undef WORD

bool is_name(const char *s)
{
  size_t good = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
  return good > 0 && !s[good] && good <= NAME_LENGTH_MAX;
}

bool address_parse(const char *address, struct in6_addr *out)
{
  char host[INET6_ADDRSTRLEN + 1];
  const size_t length = strcspn(address, "%");
  *out = (struct in6_addr){0};
  if (length >= sizeof host) return false;
  memcpy(host, address, length);
  host[length] = '\0';
  if (!address[length] && inet_pton(AF_INET, host, out) == 1) return true;
  return inet_pton(AF_INET6, host, out) == 1;
}

/* fe80::1 is an address in each network of the machine, so it needs the interface: fe80::1%eth0. */
static bool check_interface(struct report *r, const char *address, const struct in6_addr *a,
                            const struct node *n)
{
  const char *interface = strchr(address, '%');
  const bool link_local = strchr(address, ':') && IN6_IS_ADDR_LINKLOCAL(a);
  /* A link-local address has an interface of this machine, other addresses have none. */
  if (link_local && !interface)
    report_error(
        r, n->at,
        "%s: the link-local address %.40s needs its network interface: expected %.40s%%eth0, with the "
        "name of the interface",
        n->key, address, address);
  else if (!link_local && interface)
    report_error(r, n->at, "%s: only a link-local address (fe80::) has an interface: remove %.20s", n->key,
                 interface);
  else if (interface && if_nametoindex(interface + 1) == 0)
    report_error(r, n->at, "%s: this machine has no network interface \"%.20s\": ip link lists them", n->key,
                 interface + 1);
  else
    return true;
  return false;
}

bool check_address(struct report *r, const char *address, const struct node *n)
{
  struct in6_addr a;
  if (address_parse(address, &a)) return check_interface(r, address, &a, n);
  report_error(r, n->at,
               "%s: expected a numeric address such as 127.0.0.1, ::1 or fe80::1%%eth0, found %.40s", n->key,
               address);
  return false;
}

bool is_osc_address(const char *address)
{
  const size_t length = strlen(address);
  if (address[0] != '/' || length < 2 || address[length - 1] == '/' || strstr(address, "//")) return false;
  for (const char *p = address; *p; p++)
    if (*p <= ' ' || *p > '~' || strchr("#*,?[]{}", *p)) return false;
  return true;
}

bool check_element_name(struct report *r, const struct node *n, const char *name, const struct names *seen,
                        const char *what)
{
  const struct node *at = node_find(n, "name");
  if (!is_name(name))
    report_error(r, at->at, NAME_EXPECTED, NAME_LENGTH_MAX, name);
  else if (names_find(seen, name) >= 0)
    report_error(r, at->at, "name: two %ss are named \"%s\": expected another name", what, name);
  else
    return true;
  return false;
}

void report_no_name(struct report *r, const struct node *n, const char *what, const struct nearest *near)
{
  if (near->best)
    report_error(r, n->at, "%s: no %s is named \"%.40s\"; did you mean \"%.40s\"?", n->key, what, n->text,
                 near->best);
  else
    report_error(r, n->at, "%s: no %s is named \"%.40s\"", n->key, what, n->text);
}
