/* SPDX-License-Identifier: MIT
 * Shared by the live tests of OSC: the running thread on a free port of 127.0.0.1 with two targets. The test plays the
 * loop's side of its port. */
#ifndef TESTS_IO_OSC_BENCH_H
#define TESTS_IO_OSC_BENCH_H

#include "check.h"
#include "osc/osc.h"
#include "osc/osc_wire.h"
#include "rt/clock.h"

enum { BODIES = 40, CHANNELS = 6, BODY_FIRST = 1, VALUES = BODY_FIRST + BODIES * SIGNALS_BODY };
enum { PATIENCE_MS = 300000 }; /* after this time an expected event counts as missing */

extern const struct signals signals; /* bodies b0, b1, ..; one input, push */
extern const char *body_name[BODIES];
extern struct port port;
extern struct counters counters;
extern struct endpoint osc;
extern struct osc_target target[2]; /* every cycle as floats; every third cycle as doubles */
extern const struct osc_config config;
extern int client;           /* connected to the thread */
extern int listener[2];      /* the ends of the targets */
extern uint8_t bytes[65536]; /* the datagram to send, or the received one */

int bench_setup(void **state);
int bench_teardown(void **state);
/* Starts an endpoint with the port and the counters of the bench. Returns false on failure, with the reason in error. */
bool bench_starts(struct endpoint *e, const struct osc_config *c, char error[200]);
void bench_start(void); /* starts it again after endpoint_stop() */
#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

/* Publishes a frame whose value i is cycle + i / 8, without waking the thread. */
void publish_silently(uint64_t cycle, enum run_state run_state);
/* One cycle of the loop: publishes such a frame and wakes the thread. */
void publish(uint64_t cycle, enum run_state run_state);

/* A socket connected to host and port, or, with own_port, bound to them (0: any port, returned in *own_port). */
int open_socket(const char *host, int to_port, int *own_port);
bool wait_readable(int fd, int ms);
/* Sends the n bytes of `bytes`. */
void put(size_t n);
/* The arguments of this message in the next datagram that has it. Fails the test if none comes. */
const uint8_t *get(int fd, const char *address, const char *types);

/* The thread counts a little later than its peer sees the effect: waits for the counter. */
void assert_counts_to(const _Atomic uint64_t *counter, uint64_t expected);
/* Checks that a ping is answered. */
void assert_alive(void);

#endif
