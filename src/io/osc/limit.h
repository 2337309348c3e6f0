/* SPDX-License-Identifier: MIT
 * Limits what a sender with a forged source address can make ali3d send: the owner of that address would get the
 * answers. An answer of up to twice the request is free. A longer one is paid from the bucket of its host. No clock
 * here. */
#ifndef OSC_LIMIT_H
#define OSC_LIMIT_H

#include "transport/inet_address.h"

#include <stddef.h>
#include <stdint.h>

/* A bucket holds one second of refill. Hosts beyond the table share one more bucket, so that all forged sources
 * together get at most (OSC_LIMIT_HOSTS + 1) * OSC_LIMIT_BYTES a second. */
enum { OSC_LIMIT_FREE = 2, OSC_LIMIT_BYTES = 16384, OSC_LIMIT_HOSTS = 32 };

struct osc_bucket {
  struct inet_address host;
  uint64_t spent; /* bytes, as of t_ns */
  uint64_t t_ns;  /* 0: never used */
};
struct osc_limit { /* starts as zeros */
  struct osc_bucket bucket[OSC_LIMIT_HOSTS + 1];
};

/* Takes `cost` bytes from a bucket that refills at `rate` bytes a second. Returns false if the bucket holds less than
 * that. */
bool osc_bucket_take(struct osc_bucket *b, uint64_t cost, uint64_t rate, uint64_t now_ns);
/* The bucket of a host. Every use of a limit must have one rate. */
struct osc_bucket *osc_limit_bucket(struct osc_limit *l, const struct inet_address *host, uint64_t rate,
                                    uint64_t now_ns);

/* Each answer costs a system call. These limits bound the answers in a turn of the thread, so that the requests of one
 * sender do not delay the others. */
enum { OSC_ANSWERS_HOST = 128, OSC_ANSWERS_READERS = 256, OSC_ANSWERS_HOSTS = 16 };

struct osc_budget { /* zeros at the start of a turn */
  int readers;      /* answers to hosts with read access only */
  int hosts;        /* hosts in the table; a host beyond the table gets no answer in this turn */
  struct {
    struct inet_address host;
    int answers;
  } host[OSC_ANSWERS_HOSTS];
};

/* Takes one answer to this host from the budget of the turn. Returns false if the budget is used up. */
bool osc_budget_allows(struct osc_budget *b, const struct inet_address *to, bool reader);

/* Takes an answer of this size from the host's bucket. Returns false if the sender must not get it. */
bool osc_limit_allows(struct osc_limit *l, const struct inet_address *to, size_t request, size_t answer,
                      uint64_t now_ns);

#endif
