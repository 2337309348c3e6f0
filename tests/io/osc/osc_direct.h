/* SPDX-License-Identifier: MIT
 * Tests of OSC without its thread: datagrams go directly into osc_in_packet(), and its answers are read from a socket
 * of 127.0.0.1. */
#ifndef TESTS_IO_OSC_DIRECT_H
#define TESTS_IO_OSC_DIRECT_H

#include "check.h"
#include "osc/osc_packet.h"
#include "osc/osc_wire.h"
#include "osc_messages/parse.h"
#include "rt/clock.h"

enum { CHANNELS = 13, VALUES = CHANNELS + 3, NOW = 1000 };

extern struct input_spec input[3]; /* push, push2: wrenches; turn: a value */
extern struct signals signals;     /* channels 0 to 12, then energy.total, joint.J.force.x, loop.x */
extern struct osc_config config;   /* configuration of the next setup; restored after each test */
extern struct port port;
extern struct counters counters;
extern struct osc_out *out;
extern struct osc_in *in;
extern int server, client;         /* socket of the answers; socket of the sender */
extern struct inet_address sender; /* address of `client` */
extern uint64_t now_ns;            /* arrival time of datagrams; starts at NOW */
extern uint8_t bytes[OSC_IN_MAX + 4], answer[OSC_DATAGRAM];

int direct_setup(void **state);
int direct_teardown(void **state);
void direct_restart(void); /* with the present config */
#define DIRECT_TEST(f) cmocka_unit_test_setup_teardown(f, direct_setup, direct_teardown)

/* A socket bound to a free port of 127.0.0.1. */
int open_socket(struct inet_address *at);

/* Receives the n bytes of `bytes` from `client` or from another address. */
void receive(size_t n);
void receive_from(size_t n, const struct inet_address *from);

/* The length of the next answer at a socket, which is in `answer`; 0: none. On the loopback a datagram has arrived when
 * send() returns. */
size_t next_answer(void);
size_t next_answer_at(int fd);

/* The inputs that the loop would get; fails the test if there are no new ones. */
const struct input_sample *taken(void);

/* Checks that the next answer is this acknowledgement. */
void assert_acknowledged(const char *what, int id, int result);
/* Checks that `stepped` comes next, then the ack of its step. */
void assert_stepped(int request, uint64_t cycle, int packets);
/* Subscribes `client`; returns the result. */
uint32_t subscribe(const char *stream, int to_port, int divisor, int profile);
/* The first of a hundred ports without the server's, which takes no subscription, and without the client's. */
int other_ports(void);

#define assert_counted(name, n) assert_int_equal(counter_get(&counters.name), (n))

/* A frame of this cycle whose value i is cycle + i / 8. */
struct frame *frame_of(uint64_t cycle, uint32_t state, uint32_t fault);

#endif
