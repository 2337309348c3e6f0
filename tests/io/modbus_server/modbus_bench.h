/* SPDX-License-Identifier: MIT
 * Shared by the live tests of the Modbus server: a server on a free port of 127.0.0.1 and a plain client. The test
 * plays the loop's side of its port. */
#ifndef TESTS_IO_MODBUS_BENCH_H
#define TESTS_IO_MODBUS_BENCH_H

#include "check.h"
#include "modbus_server/map.h"
#include "modbus_server/modbus_frame.h"
#include "modbus_server/server.h"
#include "rt/clock.h"

#include <sys/socket.h>
#include <unistd.h>

enum { BODIES = 2, CHANNELS = 12, BODY_FIRST = 1, VALUES = 1 + BODIES * SIGNALS_BODY + 6 + CHANNELS };
enum {
  MAX_CLIENTS = 6,
  HOST_CLIENTS = MAX_CLIENTS / 2,
  HALF_FRAME_MS = 1000,
  IDLE_MS = 3000,
  PATIENCE_MS = 300000
};

extern const struct signals bench_signals;
extern const struct modbus_config bench_config;
extern struct port port;
extern struct counters counters;
extern struct endpoint server;
extern uint64_t bench_start_ns; /* before the server of this test began */
extern char bench_error[200];
extern uint8_t frame[FRAME_MAX], reply[FRAME_MAX]; /* the request to send; the PDU of the answer */

int bench_setup(void **state);
int bench_teardown(void **state);
/* Starts the endpoint with this configuration. Returns false on failure, with the reason in bench_error. */
bool bench_starts(struct endpoint *e, const struct modbus_config *c);
/* Starts a new server with these rights for 127.0.0.1 and for other addresses. */
void bench_restart_with(enum access local, enum access others);
#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

/* One cycle of the loop. Value i of its frame is number + i. */
void cycle(uint64_t number, enum run_state run_state);
double ms_since(uint64_t start_ns);
/* The thread counts a little later than the client sees the effect: waits for the counter. */
void assert_counts_to(const _Atomic uint64_t *counter, uint64_t expected);

int make_socket(void);
void connect_socket(int fd);
int connect_client(int receive_buffer); /* 0: default size */
int connect_from(const char *address);  /* the server takes 127.0.0.2 for another host */

void put(int fd, const uint8_t *bytes, size_t n);
/* Reads n bytes, fewer at the end of the stream. Fails the test if nothing comes. */
size_t get(int fd, uint8_t *bytes, size_t n);
/* Takes the next answer and checks its header. Returns the length of its PDU. */
size_t get_reply(int fd, int transaction);
int reply_register(int i);
float reply_float(int i); /* from registers i and i+1 */

/* Sends the n bytes of `frame` and takes the answer. */
void ask(int fd, int transaction, size_t n);
void assert_exception(int fd, int transaction, size_t n, int exception);
void assert_closed(int fd);

/* The words of registers 100 to 164: channel i = value + i, then the sequence. */
void input_block(uint16_t block[static 65], double value, int sequence);

#endif
