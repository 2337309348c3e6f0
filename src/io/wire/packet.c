/* SPDX-License-Identifier: MIT */
#include "wire/packet.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *packet_type_name(enum packet_type type)
{
  static const char *const name[] = {
#define PACKET_NAME(id, text, bytes) [id] = (text),
      PACKET_TYPE_LIST(PACKET_NAME)
#undef PACKET_NAME
  };
  return name[type];
}

int packet_type_size(enum packet_type type)
{
  static const int size[] = {
#define PACKET_SIZE(id, text, bytes) [id] = (bytes),
      PACKET_TYPE_LIST(PACKET_SIZE)
#undef PACKET_SIZE
  };
  return size[type];
}

double packet_lowest(enum packet_type type)
{
  if (packet_is_float(type)) return -packet_highest(type);
  return packet_is_signed(type) ? -ldexp(1.0, 8 * packet_type_size(type) - 1) : 0.0;
}

double packet_highest(enum packet_type type)
{
  if (packet_is_float(type)) return type == PACKET_F32 ? (double)FLT_MAX : DBL_MAX;
  return ldexp(1.0, 8 * packet_type_size(type) - packet_is_signed(type)) - 1.0;
}

void packet_place_text(const struct packet *p, char *text, int size)
{
  char line[300] = "";
  if (!p->remote.host) serial_config_text(&p->remote.serial, line, sizeof line);
  if (p->answers)
    snprintf(text, (size_t)size, "%s from %s in answer to %s", p->name, p->remote.host, p->answers->name);
  else if (p->remote.host && p->received)
    snprintf(text, (size_t)size, "%s from %s on port %d", p->name, p->remote.host, p->remote.port);
  else if (p->remote.host)
    snprintf(text, (size_t)size, "%s to %s:%d", p->name, p->remote.host, p->remote.port);
  else
    snprintf(text, (size_t)size, "%s on %s", p->name, line);
}

void packets_release(struct packet *packet, int packets)
{
  for (int i = 0; i < packets; i++) {
    struct packet *p = &packet[i];
    for (int k = 0; k < p->fields; k++) {
      free(p->field[k].table);
      free(p->field[k].bytes);
    }
    free(p->field);
    free(p->remote.host);
    free(p->remote.serial.path);
    free(p->name);
  }
  free(packet);
}
