/* SPDX-License-Identifier: MIT
 * The "packets" list: what its tables read into, and its readers. */
#ifndef CONFIG_PACKETS_H
#define CONFIG_PACKETS_H

#include "config/values.h"

struct packet_place_values {
  const char *host, *serial;
  int port, baud, parity, stop_bits;
};

enum { ENDIAN_BIG, ENDIAN_LITTLE };

struct packet_values {
  struct packet_place_values place;
  const char *name;
  int divisor, endian;
};

struct packet_field_values {
  const char *signal, *hex;
  ali3_table values; /* to be freed */
  double scale, offset, otherwise, value;
  int type, time, frame, endian, count, from;
  bool counter;
};

/* packets: {file: PATH}, and where its packets go in place of what it says. */
struct packet_file_values {
  struct packet_place_values place;
  const char *file;
};

/* Reads "packets" (NULL: there are none) into s->packet: a list, or the name of the file that has it. False when out
 * of memory; mistakes are reported. */
bool packets_read(const struct node *n, struct settings *s, struct report *r);
/* Reads the list "fields" of a packet. little: byte order of fields without one. Returns as packets_read(). */
bool packet_fields_read(const struct node *list, bool little, const struct signals *signals,
                        struct packet *packet, struct report *r);

#endif
