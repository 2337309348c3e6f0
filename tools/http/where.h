/* SPDX-License-Identifier: MIT
 * The options that say where a program serves: --listen, --expose, --host. */
#ifndef ALI3_HTTP_WHERE_H
#define ALI3_HTTP_WHERE_H

#include "http/host.h"
#include "http/listener.h"

/* Each returns false with the reason in error[size]. expose: an address that other machines can reach is allowed. */
bool where_listen(const char *option, const char *text, bool expose, struct address *a, char *error,
                  size_t size);
bool where_host(struct hosts *hosts, const char *name, char *error, size_t size);

#endif
