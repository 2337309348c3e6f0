/* SPDX-License-Identifier: MIT
 * Commands and inputs of the page, sent on to the daemon over OSC: to the daemon the page is one sender among
 * others, and osc.peers, the owners of inputs and its states decide. One thread. */
#ifndef ALI3_VIEW_CONTROL_H
#define ALI3_VIEW_CONTROL_H

#include "transport/inet_address.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CONTROL_SOCKETS = 2,
  CONTROL_HELD = 16,
  CONTROL_CHANNELS = 6,
  CONTROL_ADDRESS = 160,
  CONTROL_ANSWER_MS = 1000
};

/* An input that is sent again every 20 ms for as long as the page asks for it. */
struct held_input {
  char instance[64], address[CONTROL_ADDRESS];
  struct inet_address to;
  int channels; /* 0: free */
  float value[CONTROL_CHANNELS];
  uint64_t until_ns;
};

/* The description of the daemon that was asked last. It stays equal for as long as the daemon runs. */
struct known_daemon {
  char instance[64];
  int64_t pid;
  uint64_t start_ns;
  json_t *description; /* NULL: none was asked */
};

struct control {
  int socket[CONTROL_SOCKETS]; /* for IPv4, for IPv6; -1: the system has no such sockets */
  struct known_daemon known;
  int32_t request; /* number of the last command */
  struct held_input held[CONTROL_HELD];
  uint64_t sent_ns; /* of the held inputs */
};

/* A command whose answer has not come. */
struct control_wait {
  int32_t request;
  struct inet_address to;
  uint64_t until_ns;
};

bool control_open(struct control *c);
void control_close(struct control *c);
/* Each handles the JSON of one POST and returns an HTTP status, with *why in words. 202: *wait is filled in and the answer
 * comes later. 200: done. */
unsigned control_command(struct control *c, const char *instance, const json_t *body, uint64_t now_ns,
                         struct control_wait *wait, const char **why);
/* One jog, which the page repeats for as long as its button is held. took_ns: time from the head of the request to its end; a
 * late one does not tell that the button is held now. */
#define CONTROL_JOG_NS UINT64_C(300000000)
unsigned control_jog(struct control *c, const char *instance, const json_t *body, uint64_t took_ns,
                     uint64_t now_ns, struct control_wait *wait, const char **why);
unsigned control_input(struct control *c, const char *instance, const json_t *body, uint64_t now_ns,
                       const char **why);
/* Receives answers. True: one came for `request`, with its result. Call it until it returns false. */
bool control_receive(struct control *c, int32_t *request, struct inet_address *from, int32_t *result);
/* Sends the held inputs again. Returns the next instant at which it wants to be called; UINT64_MAX: none. */
uint64_t control_tick(struct control *c, uint64_t now_ns);

#endif
