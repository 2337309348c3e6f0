/* SPDX-License-Identifier: MIT
 * How much may go out to those who only claim to be somebody. A source can be forged: whoever it names would get the answers.
 * So an answer of up to twice the request is free, and what is longer comes out of a bucket of the host. No clock here. */
#ifndef OSC_LIMIT_H
#define OSC_LIMIT_H

#include "transport/inet_address.h"

#include <stddef.h>
#include <stdint.h>

/* A bucket holds what refills it in a second. Hosts beyond the table share one more, so that all forged sources together get
 * (OSC_LIMIT_HOSTS + 1) * OSC_LIMIT_BYTES a second at most. */
enum { OSC_LIMIT_FREE = 2, OSC_LIMIT_BYTES = 16384, OSC_LIMIT_HOSTS = 32 };

struct osc_bucket {
  struct inet_address host;
  uint64_t spent; /* bytes, as of t_ns */
  uint64_t t_ns;  /* 0: never used */
};
struct osc_limit { /* begins as zeros */
  struct osc_bucket bucket[OSC_LIMIT_HOSTS + 1];
};

/* Takes `cost` bytes from a bucket that holds and gets `rate` bytes a second. False: there are not so many in it. */
bool osc_bucket_take(struct osc_bucket *b, uint64_t cost, uint64_t rate, uint64_t now_ns);
/* The bucket of a host. A limit is always used with the same rate. */
struct osc_bucket *osc_limit_bucket(struct osc_limit *l, const struct inet_address *host, uint64_t rate,
                                    uint64_t now_ns);

/* Answers cost a system call each: how many go out in a turn of the thread, so that questions of one sender do not keep those of
 * others waiting. */
enum { OSC_ANSWERS_HOST = 128, OSC_ANSWERS_READERS = 256, OSC_ANSWERS_HOSTS = 16 };

struct osc_budget { /* zeros at the begin of a turn */
  int readers;      /* answers to hosts that may only read */
  int hosts;        /* in the table; one beyond the table gets no answer in this turn */
  struct {
    struct inet_address host;
    int answers;
  } host[OSC_ANSWERS_HOSTS];
};

/* One answer more may go to this host in this turn: takes it from the budget. */
bool osc_budget_allows(struct osc_budget *b, const struct inet_address *to, bool reader);

/* An answer of so many bytes may go to the sender of a request. */
bool osc_limit_allows(struct osc_limit *l, const struct inet_address *to, size_t request, size_t answer,
                      uint64_t now_ns);

#endif
