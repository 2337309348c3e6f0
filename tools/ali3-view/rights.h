/* SPDX-License-Identifier: MIT
 * Who may send commands. Every POST but the e-stop needs the token. Every POST needs a Host and, where there is one, an Origin
 * of our own names, and JSON: so no other page in the browser of a user can command a bench, whatever name it points at us. */
#ifndef ALI3_VIEW_RIGHTS_H
#define ALI3_VIEW_RIGHTS_H

#include "http/host.h"

#include <stddef.h>
#include <stdint.h>

enum { RIGHTS_TOKEN = 128, RIGHTS_RANDOM = 16, RIGHTS_WRONG = 5, RIGHTS_WRONG_S = 10 };

struct rights {
  char token[RIGHTS_TOKEN];        /* "": nobody may */
  uint64_t wrong_ns[RIGHTS_WRONG]; /* instants of the last wrong tokens, a ring */
  unsigned wrong;
};

/* Fills in a token of 128 random bits, as 32 hexadecimal digits. False: the system has none. */
bool rights_make_token(struct rights *r);
/* Reads the token from the first line of a file: 16 to 127 characters without blanks. False: the reason in error[size]. */
bool rights_read_token(struct rights *r, const char *path, char *error, size_t size);

struct rights_request {
  const char *authorization, *origin, *content_type; /* headers; NULL: absent */
  const struct sockaddr *accepted_at;
  const struct hosts *hosts;
  uint64_t now_ns;
};
/* The HTTP status of a POST: 200 if it may pass; else 401, 403, 405, 415 or 429, and *why says it in words. 401, 405 and 429
 * only mean that the token is absent or wrong: an e-stop may still pass. The right token always passes. */
unsigned rights_judge(struct rights *r, const struct rights_request *q, const char **why);

#endif
