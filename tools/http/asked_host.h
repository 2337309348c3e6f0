/* SPDX-License-Identifier: MIT
 * What the head of a request to libmicrohttpd says about its sender and its target. */
#ifndef ALI3_HTTP_ASKED_HOST_H
#define ALI3_HTTP_ASKED_HOST_H

#include "http/host.h"

#include <microhttpd.h>

/* The local address of a connection. False: it has none. */
bool asked_address(struct MHD_Connection *connection, struct sockaddr_storage *at);
/* True if a Host header of the request is no name of ours. Accepts a request without a Host header, because no browser
 * sends one. */
bool asked_for_another_host(struct MHD_Connection *connection, const struct hosts *hosts);
/* True if the request lacks the Host header that its version of HTTP demands. */
bool asked_without_host(struct MHD_Connection *connection, const char *version);
/* True if the browser says that a page of another site sends the request, unless a person follows a link to a page. */
bool asked_by_another_site(struct MHD_Connection *connection, const char *path);
/* For MHD_OPTION_UNESCAPE_CALLBACK: decodes %XX except %00, which would end the text early. */
size_t asked_unescape(void *arg, struct MHD_Connection *connection, char *text);

#endif
