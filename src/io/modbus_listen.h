/* SPDX-License-Identifier: MIT */
#ifndef IO_MODBUS_LISTEN_H
#define IO_MODBUS_LISTEN_H

#include "io/modbus_config.h"

#include <stddef.h>

/* A listening socket, non-blocking; or -1, the reason in error[size]. */
int modbus_listen(const struct modbus_config *config, char *error, size_t size);

#endif
