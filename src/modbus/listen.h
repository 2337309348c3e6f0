/* SPDX-License-Identifier: MIT */
#ifndef ALI3_MODBUS_LISTEN_H
#define ALI3_MODBUS_LISTEN_H

#include "modbus/config.h"

#include <stddef.h>

/* A listening socket, non-blocking; or -1, the reason in error[size]. */
int modbus_listen(const struct modbus_config *config, char *error, size_t size);

#endif
