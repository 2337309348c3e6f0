/* SPDX-License-Identifier: MIT
 * The HTTP server of ali3-view: one thread, libmicrohttpd with epoll, streams that wait while there is nothing to send. A
 * second thread reads meshes. */
#ifndef ALI3_VIEW_SERVER_H
#define ALI3_VIEW_SERVER_H

#include "census.h"
#include "control.h"
#include "http/host.h"
#include "mesher.h"
#include "playback.h"
#include "rights.h"

/* VIEW_STREAMS_HOST: streams of one address. */
enum { VIEW_STREAMS = 8, VIEW_STREAMS_HOST = VIEW_STREAMS / 2, VIEW_BODY = 4096 };

struct view {
  struct playback *playback; /* NULL: running daemons */
  struct census census;
  struct hosts hosts;
  struct rights rights;
  struct control control;
  int meshes; /* that are being read or sent */
  struct mesher *mesher;
  char *three; /* (three_size) three.js; NULL: nobody has asked for it */
  size_t three_size;
};

struct view_server;

/* Serves on a listening socket and takes it over. NULL if libmicrohttpd fails. *view must outlive the server. */
struct view_server *view_server_start(int listener, struct view *view);
/* Serves for at most 250 ms. */
void view_server_run(struct view_server *s);
void view_server_stop(struct view_server *s);

#endif
