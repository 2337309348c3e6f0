/* SPDX-License-Identifier: MIT */
#include "signals/desk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUESTS = 64, REPLIES = 256 };

const char *desk_request_name(unsigned code)
{
  static const char *const names[] = {
#define DESK_NAME_OF(id, text) text,
      DESK_LIST(DESK_NAME_OF)
#undef DESK_NAME_OF
  };
  return code < DESK_REQUESTS ? names[code] : "?";
}

bool desk_init(struct desk *d, int event, int shown)
{
  *d = (struct desk){.event = event, .shown = calloc((size_t)shown + 1, sizeof *d->shown)};
  if (d->shown && ring_init(&d->requests, sizeof(struct desk_request), REQUESTS) &&
      ring_init(&d->replies, sizeof(struct desk_reply), REPLIES))
    return true;
  desk_free(d);
  return false;
}

void desk_free(struct desk *d)
{
  ring_free(&d->requests);
  ring_free(&d->replies);
  free((void *)d->shown);
  d->shown = NULL;
}

void desk_show(struct desk *d)
{
  atomic_fetch_add_explicit(&d->shows, 1, memory_order_release);
}

bool desk_ask(struct desk *d, const struct desk_request *r)
{
  if (!d || !ring_push(&d->requests, r)) return false;
  const ssize_t written = write(d->event, &(uint64_t){1}, sizeof(uint64_t)); /* a full eventfd wakes, too */
  (void)written;
  return true;
}
