/* SPDX-License-Identifier: MIT
 * A polled device: its requests, the use of its answers, and what is written to it. Belongs to the thread of its bus. */
#ifndef DEVICES_DEVICES_PARTS_H
#define DEVICES_DEVICES_PARTS_H

#include "modbus_client/bus.h"
#include "modbus_client/devices.h"
#include "modbus_client/plan.h"

struct station {
  const struct modbus_device *device;
  struct port *port;
  struct device_view *view;
  uint64_t period_ns, timeout_ns; /* of the device */
  struct modbus_plan reads[2];    /* small gaps read along; not read along */
  int gapless;                    /* index of the plan in use; 1: the device refuses to read its gaps */
  struct modbus_plan writes;
  const struct signals *signals;
  int input_first, channels;   /* from the signal table */
  struct input_sample *sample; /* (channels) */
  uint32_t sequence;           /* last value of the alive register */
  bool counted;                /* the alive register was read at least once */
  bool connected;              /* the device was reached at least once */
  const struct frame *frame;   /* newest frame; NULL: none yet */
};

/* Set-up. Returns false when out of memory; the caller calls station_free() in both cases. */
bool station_init(struct station *s, const struct modbus_device *device, const struct signals *signals,
                  struct port *port, struct device_view *view);
void station_free(struct station *s);

/* Reads, hands the inputs to the loop, writes. Returns the worst error, which is counted and shown in the view.
 * Continues after an exception, and as long as there is a connection. *answered: the device has sent something. */
enum bus_result station_poll(struct station *s, struct bus *b, bool *answered);

/* Writes the safe values of the entries that have one, as far as the device takes them. */
void station_leave(struct station *s, struct bus *b);

#endif
