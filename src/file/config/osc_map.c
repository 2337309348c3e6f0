/* SPDX-License-Identifier: MIT
 * The lists osc.targets and osc.map: receivers of streams, and signals at addresses of the user's own. Set-up only. */
#include "config/wiring.h"
#include "signals/exchange.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* --- targets --- */

/* *multicast: the host is an IPv4 group. False after a mistake, which is reported. */
static bool check_host(const char *host, const struct node *n, struct report *r, bool *multicast)
{
  struct in_addr v4;
  struct in6_addr v6 = {0};
  if (!check_address(r, host, n)) return false;
  *multicast = inet_pton(AF_INET, host, &v4) == 1 && IN_MULTICAST(ntohl(v4.s_addr));
  if (!strchr(host, ':') || !address_parse(host, &v6) || !IN6_IS_ADDR_MULTICAST(&v6)) return true;
  report_error(
      r, n->at,
      "host: multicast works over IPv4 only: expected a group from 224.0.0.0 to 239.255.255.255, found %.40s",
      host);
  return false;
}

static bool check_multicast(const struct node *n, const struct target_values *v, bool multicast,
                            struct report *r)
{
  static const char *const keys[] = {"interface", "ttl"};
  struct in_addr v4;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !multicast; i++) {
    const struct node *stray = node_find(n, keys[i]);
    if (!stray) continue;
    report_error(r, stray->key_at, "\"%s\" has no meaning for %.40s, which is no multicast group; remove it",
                 keys[i], v->host);
    return false;
  }
  if (!v->interface || inet_pton(AF_INET, v->interface, &v4) == 1) return true;
  report_error(r, node_find(n, "interface")->at,
               "interface: expected a numeric IPv4 address of this machine, found %.40s", v->interface);
  return false;
}

/* The stream all contains body, sensor and status. */
static bool groups_overlap(int a, int b)
{
  if (a == b) return true;
  const int other = a == STREAM_ALL ? b : a;
  return (a == STREAM_ALL || b == STREAM_ALL) &&
         (other == STREAM_BODY || other == STREAM_SENSOR || other == STREAM_STATUS);
}

static bool check_twice(const struct node *n, const struct target_values *v, const struct settings *s,
                        struct report *r)
{
  for (int i = 0; i < s->osc.targets; i++) {
    const struct osc_target *t = &s->osc.target[i];
    if (strcmp(t->host, v->host) != 0 || t->port != v->port || !groups_overlap(t->stream, v->stream))
      continue;
    if (v->interface && t->interface && strcmp(v->interface, t->interface) != 0) continue;
    report_error(r, n->at,
                 "another target sends this stream, or part of it, to %.40s port %d: expected another "
                 "stream, host or port",
                 v->host, v->port);
    return false;
  }
  return true;
}

bool osc_targets_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->osc.targets = 0;
  s->osc.target = calloc((size_t)list->count, sizeof *s->osc.target);
  if (!s->osc.target) return false;
  for (const struct node *n = list->first; n; n = n->next) {
    struct target_values v = {0};
    bool multicast;
    if (n->kind != NODE_MAP || !schema_read(&schema_target, n, &v, r)) continue;
    if (!check_host(v.host, node_find(n, "host"), r, &multicast) || !check_multicast(n, &v, multicast, r) ||
        !check_twice(n, &v, s, r))
      continue;
    /* Fill in the target, with copies of the texts. */
    struct osc_target *t = &s->osc.target[s->osc.targets++];
    *t = (struct osc_target){.port = v.port,
                             .divisor = v.divisor,
                             .doubles = v.profile == 1,
                             .stream = (enum stream)v.stream,
                             .ttl = v.ttl};
    t->host = strdup(v.host);
    t->interface = v.interface ? strdup(v.interface) : NULL;
    if (!t->host || (v.interface && !t->interface)) return false;
  }
  return true;
}

/* --- the map --- */

static bool check_map_address(const struct node *n, const char *prefix, struct report *r)
{
  const size_t length = strlen(prefix);
  if (!is_osc_address(n->text) || strlen(n->text) > MAPPED_ADDRESS_MAX) {
    report_error(r, n->at,
                 "address: expected an OSC address such as /rig/crank of at most %d characters (no slash at "
                 "the end, none "
                 "of \" #*,?[]{}\"), found %.40s",
                 MAPPED_ADDRESS_MAX, n->text);
    return false;
  }
  if (strncmp(n->text, prefix, length) != 0 || (n->text[length] != '/' && n->text[length] != '\0'))
    return true;
  report_error(r, n->at,
               "address: the daemon uses every address below %.60s: expected another address, found %.60s",
               prefix, n->text);
  return false;
}

/* Earlier entries do not set this signal or use this address in the other direction. */
static bool check_others(const struct node *n, const struct mapping *map, int first, int count, bool input,
                         const struct signals *s, struct report *r)
{
  const struct node *at = node_find(n, "address");
  int arguments = count;
  for (int i = 0; i < map->count; i++) {
    const struct mapped *m = &map->item[i];
    if (input && m->input && m->signal >= first && m->signal < first + count) {
      report_error(r, node_find(n, "signal")->at,
                   "signal: \"%.60s\" is set by address %.60s already: expected one address for each input",
                   s->signal[m->signal].name, m->address);
      return false;
    }
    /* An address is either sent or received. */
    if (strcmp(m->address, at->text) != 0) continue;
    if (m->input != input) {
      report_error(r, at->at,
                   "address: %.60s is %s already, and cannot be %s as well: expected another address",
                   at->text, input ? "sent" : "received", input ? "received" : "sent");
      return false;
    }
    arguments++;
  }
  if (arguments <= MAPPED_ARGUMENTS_MAX) return true;
  report_error(r, at->at, "address: %.60s has %d arguments: expected at most %d, which fit in a packet",
               at->text, arguments, MAPPED_ARGUMENTS_MAX);
  return false;
}

static bool append_mapped(struct mapping *map, const struct mapped_values *v, int first, int count,
                          bool input)
{
  struct mapped *item = realloc(map->item, (size_t)(map->count + count) * sizeof *item);
  if (!item) return false;
  map->item = item;
  for (int i = 0; i < count; i++) {
    struct mapped m = {strdup(v->address), first + i, input, v->scale, v->offset};
    if (!m.address) return false;
    map->item[map->count++] = m;
  }
  return true;
}

/* False when out of memory. */
static bool read_mapped(const struct node *n, const char *prefix, struct settings *s, struct report *r)
{
  struct mapped_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_mapped, n, &v, r)) return true;
  const struct signals *all = s->signals;
  const struct node *signal = node_find(n, "signal");
  const int group = signals_find_group(all, v.signal);
  const int first = group >= 0 ? all->group[group].first : signals_find(all, v.signal);
  const int count = group >= 0 ? all->group[group].count : 1;
  if (first < 0) {
    report_no_signal(r, all, signal);
    return true;
  }
  if (v.scale == 0.0) {
    report_error(r, node_find(n, "scale")->at, "scale: expected a number other than 0");
    return true;
  }
  /* An input is received, every other signal is sent. */
  const bool input = first >= all->input_first && first < all->input_first + all->channels;
  if ((input && !check_source(r, all, first, SOURCE_OSC, signal)) ||
      !check_map_address(node_find(n, "address"), prefix, r) ||
      !check_others(n, &s->osc.map, first, count, input, all, r))
    return true;
  return append_mapped(&s->osc.map, &v, first, count, input);
}

bool osc_map_read(const struct node *list, const char *prefix, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST) return true;
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_mapped(n, prefix, s, r);
  return memory;
}
