/* SPDX-License-Identifier: MIT
 * The list "packets": the structs that its tables of keys fill. */
#ifndef SETTINGS_PACKET_VALUES_H
#define SETTINGS_PACKET_VALUES_H

#include "settings/values.h"

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

#endif
