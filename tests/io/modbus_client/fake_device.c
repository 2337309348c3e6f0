/* SPDX-License-Identifier: MIT */
#include "modbus_client/fake_device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void need(int good, const char *what)
{
  if (good) return;
  perror(what);
  abort();
}

/* Returns false when it must stop. */
static int wait_for(struct fake_device *d, int fd, int timeout_ms)
{
  struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = d->stop, .events = POLLIN}};
  while (poll(p, 2, timeout_ms) < 0) continue;
  return p[1].revents == 0;
}

static int touches(const struct fake_device *d, const uint8_t *pdu)
{
  const int address = pdu[1] << 8 | pdu[2], count = pdu[0] == 5 || pdu[0] == 6 ? 1 : pdu[3] << 8 | pdu[4];
  return address <= d->nothing && d->nothing < address + count;
}

static void set_up(struct fake_device *d, modbus_t *context)
{
  need(context != NULL, "libmodbus");
  modbus_free(d->context);
  d->context = context;
  modbus_set_slave(context, FAKE_UNIT);
  modbus_set_response_timeout(context, 0, 1); /* after a frame that it cannot read it would sleep this long */
}

static void make_line_context(struct fake_device *d)
{
  set_up(d, modbus_new_rtu(d->path, 115200, 'N', 8, 1));
  modbus_set_socket(d->context, d->line);
}

static int answer_ahead(struct fake_device *d, const uint8_t *query)
{
  enum { LENGTH = 11 };
  const uint16_t asked = (uint16_t)(query[0] << 8 | query[1]);
  uint8_t answers[2 * LENGTH];
  for (int i = 0; i < 2; i++) {
    const uint16_t transaction = (uint16_t)(asked + i),
                   word = i ? 666 : fake_get(d, query[8] << 8 | query[9]);
    const uint8_t answer[LENGTH] = {
        (uint8_t)(transaction >> 8), (uint8_t)transaction, 0, 0, 0, 5, query[6], 3, 2,
        (uint8_t)(word >> 8),        (uint8_t)word};
    memcpy(answers + i * LENGTH, answer, LENGTH);
  }
  return send(modbus_get_socket(d->context), answers, sizeof answers, MSG_NOSIGNAL) == sizeof answers;
}

/* Returns false when the connection must end. */
static int serve(struct fake_device *d)
{
  uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
  const int n = modbus_receive(d->context, query);
  if (n < 0) return 0;
  if (n ==
      0) { /* for another unit: libmodbus would take the next frame, whatever it is, for that unit's answer */
    make_line_context(d);
    return 1;
  }
  const uint8_t *pdu = query + modbus_get_header_length(d->context);
  d->asked[pdu[0] < FAKE_FUNCTIONS ? pdu[0] : 0]++;
  switch ((enum manner)d->manner) {
  case KEEPS_SILENT:
    d->ignored++;
    return 1;
  case HANGS_UP:
    return 0;
  case ANSWERS_LATE:
    if (!wait_for(d, -1, d->late_ms)) return 0;
    break;
  case GARBLES:
    query[modbus_get_header_length(d->context) - 1] ^=
        0x40; /* the unit; on a line the CRC is made right again */
    query[0] ^= 0x15;
    break;
  case HAS_NOTHING_AT:
    if (touches(d, pdu))
      return modbus_reply_exception(d->context, query, MODBUS_EXCEPTION_ILLEGAL_DATA_ADDRESS) > 0;
    break;
  case ANSWERS_AHEAD:
    return answer_ahead(d, query);
  case ANSWERS:
    break;
  }
  pthread_mutex_lock(&d->lock);
  const int sent = modbus_reply(d->context, query, n, d->mapping);
  pthread_mutex_unlock(&d->lock);
  return sent >= 0;
}

static void *serve_tcp(void *arg)
{
  struct fake_device *d = arg;
  while (wait_for(d, d->listener, -1)) {
    const int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) continue;
    modbus_set_socket(d->context, fd);
    while (wait_for(d, fd, -1) && serve(d)) continue;
    close(fd);
  }
  return NULL;
}

static void *serve_line(void *arg)
{
  struct fake_device *d = arg;
  while (wait_for(d, d->line, -1)) serve(d);
  return NULL;
}

/* A socket of the port; 0: any. */
static int bind_tcp(int *port)
{
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  need(bind(fd, (struct sockaddr *)&a, sizeof a) == 0, "bind");
  need(getsockname(fd, (struct sockaddr *)&a, &(socklen_t){sizeof a}) == 0, "getsockname");
  *port = ntohs(a.sin_port);
  return fd;
}

static void listen_tcp(struct fake_device *d)
{
  if (d->reserved < 0) d->reserved = bind_tcp(&d->port);
  d->listener = bind_tcp(&d->port);
  need(listen(d->listener, 8) == 0, "listen");
  set_up(d, modbus_new_tcp("127.0.0.1", d->port));
}

/* The other end stays open, so that a client that comes and goes does not hang the line up. */
static void make_line(struct fake_device *d)
{
  char name[64];
  d->line = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  need(d->line >= 0 && grantpt(d->line) == 0 && unlockpt(d->line) == 0, "posix_openpt");
  need(ptsname_r(d->line, name, sizeof name) == 0, "ptsname_r");
  d->keeper = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  unlink(d->path);
  need(symlink(name, d->path) == 0, "symlink");
  make_line_context(d);
}

void fake_restart(struct fake_device *d)
{
  d->listener = d->line = d->keeper = -1;
  d->stop = eventfd(0, EFD_CLOEXEC);
  if (d->path[0])
    make_line(d);
  else
    listen_tcp(d);
  need(pthread_create(&d->thread, NULL, d->path[0] ? serve_line : serve_tcp, d) == 0, "pthread_create");
  d->running = 1;
}

static void start(struct fake_device *d)
{
  pthread_mutex_init(&d->lock, NULL);
  d->nothing = -1;
  d->mapping = modbus_mapping_new(FAKE_WORDS, FAKE_WORDS, FAKE_WORDS, FAKE_WORDS);
  need(d->mapping != NULL, "modbus_mapping_new");
  fake_restart(d);
}

void fake_start_tcp(struct fake_device *d, int port)
{
  *d = (struct fake_device){.port = port, .reserved = -1};
  start(d);
}

void fake_start_line(struct fake_device *d, const char *path)
{
  *d = (struct fake_device){.reserved = -1};
  snprintf(d->path, sizeof d->path, "%s", path);
  start(d);
}

void fake_stop(struct fake_device *d)
{
  need(write(d->stop, &(uint64_t){1}, sizeof(uint64_t)) > 0, "write");
  pthread_join(d->thread, NULL);
  if (d->path[0]) unlink(d->path); /* first: a closed terminal may be another test's right after */
  if (d->listener >= 0) close(d->listener);
  if (d->line >= 0) close(d->line);
  if (d->keeper >= 0) close(d->keeper);
  close(d->stop);
  d->running = 0;
  modbus_free(d->context);
  d->context = NULL;
}

void fake_free(struct fake_device *d)
{
  if (d->running) fake_stop(d);
  if (d->reserved >= 0) close(d->reserved);
  modbus_mapping_free(d->mapping);
  pthread_mutex_destroy(&d->lock);
}

uint16_t fake_get(struct fake_device *d, int holding)
{
  pthread_mutex_lock(&d->lock);
  const uint16_t word = d->mapping->tab_registers[holding];
  pthread_mutex_unlock(&d->lock);
  return word;
}

int fake_coil(struct fake_device *d, int coil)
{
  pthread_mutex_lock(&d->lock);
  const int bit = d->mapping->tab_bits[coil];
  pthread_mutex_unlock(&d->lock);
  return bit;
}

void fake_set(struct fake_device *d, int holding, uint16_t word)
{
  pthread_mutex_lock(&d->lock);
  d->mapping->tab_registers[holding] = word;
  pthread_mutex_unlock(&d->lock);
}

int fake_asked(struct fake_device *d)
{
  int sum = 0;
  for (int i = 0; i < FAKE_FUNCTIONS; i++) sum += d->asked[i];
  return sum;
}
