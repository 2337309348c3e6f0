/* SPDX-License-Identifier: MIT
 * The readers of the list "packets". */
#ifndef CONFIG_PACKETS_H
#define CONFIG_PACKETS_H

#include "settings/packet_values.h"

/* Reads "packets" (NULL: there are none) into s->packet. n is the list, or the mapping that names the file with the list. False
 * when out of memory; mistakes are reported. */
bool packets_read(const struct node *n, struct settings *s, struct report *r);
/* Reads the list "fields" of a packet. little: byte order of fields without the key endian. False when
 * out of memory; mistakes are reported. */
bool packet_fields_read(const struct node *list, bool little, const struct signals *signals,
                        struct packet *packet, struct report *r);

#endif
