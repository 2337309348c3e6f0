/* SPDX-License-Identifier: MIT
 * The list "packets": the structs that its tables of keys fill, and its readers. */
#ifndef CONFIG_PACKETS_H
#define CONFIG_PACKETS_H

#include "config/values.h"

#include <ali3/model.h>

struct packet_place_values {
  const char *host, *serial;
  int port, baud, parity, stop_bits;
};

enum { ENDIAN_BIG, ENDIAN_LITTLE };
enum { PACKET_SENT, PACKET_RECEIVED };

struct packet_values {
  struct packet_place_values place;
  const char *name, *answers;
  int divisor, endian, direction;
};

struct packet_field_values {
  const char *signal, *hex;
  ali3_table values; /* to be freed */
  double scale, offset, otherwise, stand_in, value;
  int type, time, frame, endian, count, from;
  bool counter;
};

/* packets: {file: PATH}, and the place that replaces the places of the packets in the file. */
struct packet_file_values {
  struct packet_place_values place;
  const char *file;
};

/* Reads "packets" (NULL: there are none) into s->packet. n is the list, or the mapping that names the file with the list. False
 * when out of memory; mistakes are reported. */
bool packets_read(const struct node *n, struct settings *s, struct report *r);
/* Reads the list "fields" of a packet. little: byte order of fields without the key endian. False when
 * out of memory; mistakes are reported. */
bool packet_fields_read(const struct node *list, bool little, const struct signals *signals,
                        struct packet *packet, struct report *r);

#endif
