/* SPDX-License-Identifier: MIT
 * The readers of the lists of targets, peers, maps of signals, and devices. Each reader returns false when out of memory, and
 * reports mistakes. */
#ifndef CONFIG_WIRING_H
#define CONFIG_WIRING_H

#include "settings/wiring_values.h"

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
