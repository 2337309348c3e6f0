/* SPDX-License-Identifier: MIT
 * How much may go out to those who only claim to be somebody. A source can be forged: whoever it names would get the answers.
 * So an answer of up to twice the request is free, and what is longer comes out of a bucket of the host. No clock here. */
#ifndef IO_OSC_LIMIT_H
#define IO_OSC_LIMIT_H

#include "io/osc_address.h"

#include <stddef.h>
#include <stdint.h>

/* A bucket holds what refills it in a second. Hosts beyond the table share one more, so that all forged sources together get
 * (OSC_LIMIT_HOSTS + 1) * OSC_LIMIT_BYTES a second at most. */
enum { OSC_LIMIT_FREE = 2, OSC_LIMIT_BYTES = 16384, OSC_LIMIT_HOSTS = 32 };

struct osc_limit { /* begins as zeros */
  struct osc_bucket {
    struct osc_address host;
    uint64_t spent; /* bytes, as of t_ns */
    uint64_t t_ns;  /* 0: never used */
  } bucket[OSC_LIMIT_HOSTS + 1];
};

/* An answer of so many bytes may go to the sender of a request. */
bool osc_limit_allows(struct osc_limit *l, const struct osc_address *to, size_t request, size_t answer,
                      uint64_t now_ns);

#endif
