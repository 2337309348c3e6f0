/* SPDX-License-Identifier: MIT
 * Functions that several readers share: checks of values and names. Set-up only. */
#include "config/values.h"
#include "config/keys.h"
#include "yaml/nearest.h"

#include <arpa/inet.h>
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
  *out = (struct in6_addr){0};
  return inet_pton(AF_INET, address, out) == 1 || inet_pton(AF_INET6, address, out) == 1;
}

bool check_address(struct report *r, const char *address, const struct node *n)
{
  struct in6_addr a;
  if (address_parse(address, &a)) return true;
  report_error(r, n->at, "%s: expected a numeric address such as 127.0.0.1 or ::1, found %.40s", n->key,
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
