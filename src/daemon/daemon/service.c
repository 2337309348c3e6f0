/* SPDX-License-Identifier: MIT */
#include "daemon/service.h"

#include "log/log.h"
#include "rt/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t REFUSAL_NS = 5 * NS_PER_S; /* a manager that takes nothing for so long is reported */

/* An address is a path, or a name whose first character, '@', stands for a zero byte. Other kinds, such as vsock, come from
 * outside a virtual machine and are not for a service. */
void service_open(struct service *m)
{
  *m = (struct service){.socket = -1, .address = {.sun_family = AF_UNIX}};
  const char *name = getenv("NOTIFY_SOCKET");
  if (!name || (name[0] != '/' && name[0] != '@')) return;
  const size_t length = strlen(name);
  if (length >= sizeof m->address.sun_path) return;
  memcpy(m->address.sun_path, name, length);
  if (name[0] == '@') m->address.sun_path[0] = '\0';
  m->address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '/'));
  m->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void service_close(struct service *m)
{
  if (m->socket >= 0) close(m->socket);
  m->socket = -1;
}

/* A whole number in the environment; 0: there is none, or it is too large. */
static uint64_t environment_number(const char *name)
{
  const char *text = getenv(name);
  if (!text || !*text || strspn(text, "0123456789") != strlen(text)) return 0;
  errno = 0;
  const uint64_t number = strtoull(text, NULL, 10);
  return errno == 0 ? number : 0;
}

uint64_t service_watchdog_ns(void)
{
  /* A child of the process that the manager watches inherits its environment. */
  if (getenv("WATCHDOG_PID") && environment_number("WATCHDOG_PID") != (uint64_t)getpid()) return 0;
  const uint64_t us = environment_number("WATCHDOG_USEC");
  return us <= UINT64_MAX / 1000 ? us * 1000 : 0;
}

/* A manager that is gone takes nothing either, and messages for it are not kept. */
static bool is_full(int error)
{
  return error == EAGAIN || error == ENOBUFS;
}

bool service_tell(struct service *m, const char *lines)
{
  if (m->socket < 0) return true;
  const ssize_t sent = sendto(m->socket, lines, strlen(lines), MSG_NOSIGNAL,
                              (const struct sockaddr *)&m->address, m->address_size);
  const bool taken = sent >= 0 || !is_full(errno);
  if (taken)
    m->refused_since_ns = 0;
  else if (m->refused_since_ns == 0)
    m->refused_since_ns = clock_now_ns();
  return taken;
}

static void send_states(struct service *m)
{
  int sent = 0;
  while (sent < m->states && service_tell(m, m->state[sent])) sent++;
  m->states -= sent;
  memmove(m->state[0], m->state[sent], (size_t)m->states * sizeof m->state[0]);
}

/* If the list is full, the new state takes the place of the last one: the manager needs to know what is true now. */
void service_change(struct service *m, const char *lines)
{
  const int place = m->states < SERVICE_STATES ? m->states++ : SERVICE_STATES - 1;
  snprintf(m->state[place], sizeof m->state[place], "%s", lines);
  send_states(m);
}

void service_tick(struct service *m, uint64_t now_ns)
{
  send_states(m);
  if (!m->reported && m->refused_since_ns > 0 && now_ns > m->refused_since_ns + REFUSAL_NS) {
    log_line(LOG_LEVEL_WARNING, "the service manager takes no messages; the loop and this log go on");
    m->reported = true;
  } else if (m->reported && m->refused_since_ns == 0) {
    log_line(LOG_LEVEL_INFO, "the service manager takes messages again");
    m->reported = false;
  }
}
