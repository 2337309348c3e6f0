/* SPDX-License-Identifier: MIT */
#include "modbus_client/bus.h"

#include "modbus_client/plan.h"
#include "rt/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  FD_LIMIT = 1024,      /* libmodbus keeps descriptors in fd_sets */
  QUIET_AT_LONGEST = 4, /* longest wait for a line to fall silent, in answer timeouts */
};

bool bus_init(struct bus *b, const struct remote_config *remote, int stop)
{
  const struct serial_config *line = &remote->serial;
  *b = (struct bus){.remote = *remote, .stop = stop};
  pthread_mutex_init(&b->lock, NULL);
  /* Over the network the context never connects itself; it gets a connected socket. */
  if (remote->host && remote->rtu)
    b->context = modbus_new_rtu("/dev/null", 19200, 'N', 8, 1);
  else if (remote->host)
    b->context = modbus_new_tcp("127.0.0.1", MODBUS_TCP_DEFAULT_PORT);
  else
    b->context = modbus_new_rtu(line->path, line->baud, parity_letter(line->parity), 8, line->stop_bits);
  return b->context;
}

static void bus_close(struct bus *b)
{
  if (!b->open) return;
  pthread_mutex_lock(&b->lock);
  b->open = false;
  modbus_close(b->context);
  pthread_mutex_unlock(&b->lock);
}

void bus_free(struct bus *b)
{
  bus_close(b);
  modbus_free(b->context);
  pthread_mutex_destroy(&b->lock);
}

void bus_address(struct bus *b, int unit, uint64_t timeout_ns)
{
  b->unit = unit;
  b->timeout_ns = timeout_ns;
}

/* Waits for events of fd for the answer timeout. Returns the events that came; 0 if none did. */
static short wait_for(const struct bus *b, int fd, short events)
{
  struct pollfd p[] = {{.fd = fd, .events = events}, {.fd = b->stop, .events = POLLIN}};
  const struct timespec patience = clock_timespec(b->timeout_ns);
  return ppoll(p, 2, &patience, NULL) > 0 && p[1].revents == 0 ? p[0].revents : 0;
}

static int connect_in_time(const struct bus *b, int fd, const struct addrinfo *to)
{
  int e = 0;
  if (connect(fd, to->ai_addr, to->ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(b, fd, POLLOUT)) return ETIMEDOUT;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &(socklen_t){sizeof e}) == 0 ? e : errno;
}

/* A socket that connects to a closed port of this machine may get that port itself and connect to itself. It would then
 * take its own requests for answers. */
static bool is_itself(int fd)
{
  struct sockaddr_storage near = {0}, far = {0};
  return getsockname(fd, (struct sockaddr *)&near, &(socklen_t){sizeof near}) == 0 &&
         getpeername(fd, (struct sockaddr *)&far, &(socklen_t){sizeof far}) == 0 &&
         memcmp(&near, &far, sizeof near) == 0;
}

/* Returns a connected socket, or -1 with errno. */
static int make_connection(const struct bus *b)
{
  char service[16];
  snprintf(service, sizeof service, "%d", b->remote.port);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *a;
  if (getaddrinfo(b->remote.host, service, &hints, &a) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int e = fd < 0 ? errno : fd >= FD_LIMIT ? EMFILE : connect_in_time(b, fd, a);
  freeaddrinfo(a);
  if (e == 0 && is_itself(fd)) {
    /* Close at once, without TIME_WAIT: the port may be needed by a server. */
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    e = ECONNREFUSED;
  }
  if (e == 0) {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
  }
  if (fd >= 0) close(fd);
  errno = e;
  return -1;
}

static void set_open(struct bus *b, int fd)
{
  pthread_mutex_lock(&b->lock);
  if (b->remote.host) modbus_set_socket(b->context, fd);
  b->open = true;
  pthread_mutex_unlock(&b->lock);
}

static bool open_line(struct bus *b)
{
  if (modbus_connect(b->context) != 0) return false;
  const bool small = modbus_get_socket(b->context) < FD_LIMIT;
  if (!small) {
    modbus_close(b->context);
    errno = EMFILE;
  }
  return small;
}

/* On an idle connection only its end can come, or an answer that nobody waits for. */
static bool connection_is_quiet(const struct bus *b)
{
  struct pollfd p = {.fd = modbus_get_socket(b->context), .events = POLLIN};
  return poll(&p, 1, 0) == 0;
}

enum bus_result bus_open(struct bus *b, char *error, size_t size)
{
  if (b->open && b->remote.host && !connection_is_quiet(b)) bus_close(b);
  if (b->open) return BUS_OK;
  int fd = -1;
  const bool done = b->remote.host ? (fd = make_connection(b)) >= 0 : open_line(b);
  if (!done) {
    snprintf(error, size, "%s%s", b->remote.host ? "" : "opening the line: ", strerror(errno));
    return BUS_UNREACHABLE;
  }
  set_open(b, fd);
  return BUS_OK;
}

void bus_interrupt(struct bus *b)
{
  pthread_mutex_lock(&b->lock);
  if (b->stop >= 0 && b->open && b->remote.host) shutdown(modbus_get_socket(b->context), SHUT_RDWR);
  pthread_mutex_unlock(&b->lock);
}

/* A connection that was shut down before is found by bus_open(). */
void bus_leave(struct bus *b)
{
  pthread_mutex_lock(&b->lock);
  b->stop = -1;
  pthread_mutex_unlock(&b->lock);
}

static enum bus_result result_of(int e)
{
  if (e == ETIMEDOUT) return BUS_TIMEOUT;
  if ((e > MODBUS_ENOBASE && e < MODBUS_ENOBASE + MODBUS_EXCEPTION_MAX) || e == EMBBADEXC)
    return BUS_EXCEPTION;
  return e > MODBUS_ENOBASE ? BUS_WRONG : BUS_LOST;
}

/* Discards bytes that no request waits for. False: the line or connection is lost. libmodbus discards those of a device file
 * only. */
static bool discard_bytes(struct bus *b)
{
  uint8_t bytes[256];
  if (!b->remote.rtu) return modbus_flush(b->context) >= 0;
  ssize_t n = 0;
  while ((n = recv(modbus_get_socket(b->context), bytes, sizeof bytes, MSG_DONTWAIT)) > 0) continue;
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Late answers on the line have arrived once it has been quiet for the answer timeout. */
static void wait_for_silence(struct bus *b)
{
  const int fd = modbus_get_socket(b->context);
  const uint64_t end_ns = clock_now_ns() + QUIET_AT_LONGEST * b->timeout_ns;
  while (discard_bytes(b) && clock_now_ns() < end_ns && wait_for(b, fd, POLLIN) == POLLIN) continue;
}

/* Closes the connection if it must not be used again, and tells the reason in words. */
static enum bus_result judge_failure(struct bus *b, const char *what, enum wire_table table, int address,
                                     int count, char *error, size_t size)
{
  const int e = errno;
  const enum bus_result result = result_of(e);
  /* The reason: what was requested, and why it failed. */
  char why[48];
  if (result == BUS_TIMEOUT)
    snprintf(why, sizeof why, "no answer in %g s", (double)b->timeout_ns / (double)NS_PER_S);
  else
    snprintf(why, sizeof why, "%s", modbus_strerror(e));
  if (count > 1)
    snprintf(error, size, "%s %s %d-%d: %s", what, wire_table_name(table), address, address + count - 1, why);
  else
    snprintf(error, size, "%s %s %d: %s", what, wire_table_name(table), address, why);
  /* Close a connection whose next answer cannot be trusted; on a line wait until late answers have come. */
  if (result == BUS_LOST || (result != BUS_EXCEPTION && b->remote.host && !b->remote.rtu))
    bus_close(b);
  else if (result != BUS_EXCEPTION)
    wait_for_silence(b); /* through a gateway an answer may come late on the next connection, too */
  b->exception = result == BUS_EXCEPTION && e != EMBBADEXC ? e - MODBUS_ENOBASE : 0;
  return result;
}

/* The complete answer must arrive within the timeout. libmodbus applies it to all bytes if no timeout between bytes is
 * set. */
static void prepare_request(struct bus *b)
{
  const uint64_t us = b->timeout_ns / 1000;
  modbus_set_slave(b->context, b->unit);
  modbus_set_response_timeout(b->context, (uint32_t)(us / 1000000), (uint32_t)(us % 1000000));
  modbus_set_byte_timeout(b->context, 0, 0);
  (void)discard_bytes(b);
}

enum bus_result bus_read(struct bus *b, enum wire_table table, int address, int count, uint16_t *words,
                         char *error, size_t size)
{
  uint8_t bits[PLAN_READ_BITS];
  int got = -1;
  prepare_request(b);
  /* Each table has its own function; a bit comes as a byte. */
  switch (table) {
  case TABLE_COIL:
    got = modbus_read_bits(b->context, address, count, bits);
    break;
  case TABLE_DISCRETE:
    got = modbus_read_input_bits(b->context, address, count, bits);
    break;
  case TABLE_HOLDING:
    got = modbus_read_registers(b->context, address, count, words);
    break;
  case TABLE_INPUT:
    got = modbus_read_input_registers(b->context, address, count, words);
    break;
  }
  if (got != count) return judge_failure(b, "read", table, address, count, error, size);
  if (modbus_plan_of_bits(table))
    for (int i = 0; i < count; i++) words[i] = bits[i];
  return BUS_OK;
}

/* One coil goes by function 5, because fewer devices know function 15. */
static int write_bits(struct bus *b, int address, int count, const uint16_t *words)
{
  uint8_t bits[PLAN_WRITE_BITS];
  if (count == 1) return modbus_write_bit(b->context, address, words[0]);
  for (int i = 0; i < count; i++) bits[i] = words[i] != 0;
  return modbus_write_bits(b->context, address, count, bits);
}

enum bus_result bus_write(struct bus *b, enum wire_table table, int address, int count, const uint16_t *words,
                          char *error, size_t size)
{
  prepare_request(b);
  const int written = table == TABLE_COIL ? write_bits(b, address, count, words)
                                          : modbus_write_registers(b->context, address, count, words);
  return written == count ? BUS_OK : judge_failure(b, "write", table, address, count, error, size);
}
