/* SPDX-License-Identifier: MIT
 * A device that is polled: what is asked of it, what becomes of the answers, and what is written to it. Belongs to the thread
 * of its bus. */
#ifndef DEVICES_STATION_H
#define DEVICES_STATION_H

#include "devices/bus.h"
#include "devices/devices.h"
#include "devices/plan.h"

struct station {
  const struct modbus_device *device;
  struct port *port;
  struct device_view *view;
  uint64_t period_ns, timeout_ns; /* of the device */
  struct modbus_plan reads[2];    /* small gaps read along; and not */
  int gapless;                    /* which of the two: the device has nothing in its gaps */
  struct modbus_plan writes;
  const struct signals *signals;
  int input_first, channels;   /* of the signals */
  struct input_sample *sample; /* (channels) */
  uint32_t sequence;           /* the last number in the register that tells that it lives */
  bool counted;                /* it was ever read */
  bool connected;              /* it was ever reached */
  const struct frame *frame;   /* the newest; NULL: none yet */
};

/* Set-up. False when out of memory; station_free() is due either way. */
bool station_init(struct station *s, const struct modbus_device *device, const struct signals *signals,
                  struct port *port, struct device_view *view);
void station_free(struct station *s);

/* Reads, hands the inputs to the loop, writes. The worst of what went wrong, which is counted and told in the view. Goes on
 * after an exception, and as long as there is a connection. *answered: the device has said something. */
enum bus_result station_poll(struct station *s, struct bus *b, bool *answered);

/* Writes the safe values of those entries that have one, as far as that goes. */
void station_leave(struct station *s, struct bus *b);

#endif
