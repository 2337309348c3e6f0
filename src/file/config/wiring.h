/* SPDX-License-Identifier: MIT
 * The lists of targets, peers, maps of signals, and devices: the structs that their tables of keys fill, and their readers.
 * Each reader returns false when out of memory, and reports mistakes. */
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
  int access; /* 0 read, 1 write, 2 jog: as the enum access from ACCESS_READ on */
};

struct wired_values {
  const char *signal;
  int table, address, type, order;
  double scale, offset, safe;
};

struct registered_values {
  const char *name;
  int address, type, order;
  double scale, offset;
};
extern const struct section schema_registered;

/* The choices of "framing". */
enum { FRAMING_TCP, FRAMING_RTU };
struct device_values {
  struct modbus_device device; /* without its texts and its map */
  const char *name, *host, *serial;
  int word_order, framing; /* FRAMING_TCP .. */
};

/* Reads a list "peers" (NULL: there is none). */
bool peers_read(const struct node *list, struct peers *out, struct report *r);

/* The owner of a map. */
struct wiring_rules {
  bool server;           /* true: our own server; false: a device that is polled */
  bool default_map;      /* server: the addresses of bodies and sensors are taken */
  enum wire_order order; /* for entries without a word_order */
};
/* Reads a list "map" (NULL: there is none). */
bool wiring_read(const struct node *list, const struct wiring_rules *rules, const struct signals *signals,
                 struct wiring *out, struct report *r);

/* Reports that no signal has the name in an entry of the list, and the nearest name. */
void report_no_signal(struct report *r, const struct signals *s, const struct node *n);
/* False, with a report, if the key "from" of the signal's input excludes this source. */
bool check_source(struct report *r, const struct signals *s, int signal, int source, const struct node *n);

/* Reads the list modbus.parameters (NULL: there is none) into s->modbus.parameter, after the map. */
bool registers_read(const struct node *list, struct settings *s, struct report *r);
/* Checks that the copy of the input registers has its registers for itself. The map and the parameters were read before. */
void mirror_check(const struct node *mirror, const struct settings *s, struct report *r);

/* Reads the list osc.targets (NULL: there is none) into s->osc.target. */
bool osc_targets_read(const struct node *list, struct settings *s, struct report *r);

/* Reads the list osc.map (NULL: there is none) into s->osc.map. */
bool osc_map_read(const struct node *list, const char *prefix, struct settings *s, struct report *r);

/* Reads the list "devices" into s->device. A device becomes the only source of the inputs that it sets. */
bool devices_read(const struct node *list, struct settings *s, struct report *r);

/* Both paths name one serial line. */
bool is_same_line(const char *a, const char *b);
/* Reports devices on the line at `path`, which the section modbus serves (NULL: it serves none). */
void device_check_server_line(const struct node *list, const char *path, struct report *r);

#endif
