/* SPDX-License-Identifier: MIT
 * The Host header of a request to libmicrohttpd. */
#ifndef ALI3_EXPORTER_ASKED_HOST_H
#define ALI3_EXPORTER_ASKED_HOST_H

#include "host.h"

#include <microhttpd.h>

/* The local address of a connection. False: it has none. */
bool asked_address(struct MHD_Connection *connection, struct sockaddr_storage *at);
/* True if a Host header of the request is no name of ours. Accepts a request without a Host header, because no browser
 * sends one. */
bool asked_for_another_host(struct MHD_Connection *connection, const struct hosts *hosts);

#endif
