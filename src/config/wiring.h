/* SPDX-License-Identifier: MIT
 * Lists that say who is joined to what: targets, peers, maps of signals, devices. What their tables read into, and their
 * readers. */
#ifndef CONFIG_WIRING_H
#define CONFIG_WIRING_H

#include "config/values.h"

struct target_values {
  const char *host, *interface;
  int port, divisor, profile, stream, ttl;
};

struct mapped_values {
  const char *signal, *address;
  double scale, offset;
};

struct peer_values {
  const char *host;
  int access; /* 0 read, 1 write */
};

struct wired_values {
  const char *signal;
  int table, address, type, order;
  double scale, offset, safe;
};

struct device_values {
  struct modbus_device device; /* without its texts and its map */
  const char *name, *host, *serial;
  int word_order;
};

/* Reads a "peers" list (NULL: there is none). False when out of memory; mistakes are reported. */
bool peers_read(const struct node *list, struct peers *out, struct report *r);

/* Which map a list of signals and addresses is. */
struct wiring_rules {
  bool server;           /* of our own server; else of a device that is polled */
  bool default_map;      /* of the server: the usual addresses are taken */
  enum wire_order order; /* of numbers that say nothing of it */
};
/* Reads a "map" list (NULL: there is none). Likewise. */
bool wiring_read(const struct node *list, const struct wiring_rules *rules, const struct signals *signals,
                 struct wiring *out, struct report *r);

/* Reports that no signal has the name in an entry of the list, and the nearest name. */
void report_no_signal(struct report *r, const struct signals *s, const struct node *n);
/* Likewise: False if the "from" of the input that the signal belongs to does not let this source set it. */
bool check_source(struct report *r, const struct signals *s, int signal, int source, const struct node *n);

/* Reads the list osc.targets (NULL: there is none) into s->osc.target. Likewise. */
bool osc_targets_read(const struct node *list, struct settings *s, struct report *r);

/* Reads the list osc.map (NULL: there is none) into s->osc.map. Likewise. */
bool osc_map_read(const struct node *list, const char *prefix, struct settings *s, struct report *r);

/* Reads the "devices" list into s->device, and makes each the only source of the inputs it sets. Likewise. */
bool devices_read(const struct node *list, struct settings *s, struct report *r);

/* Two names of one serial line, or one name. */
bool is_same_line(const char *a, const char *b);
/* The line that is our own server's (NULL: none) is nobody else's. */
void device_check_server_line(const struct node *list, const char *path, struct report *r);

#endif
