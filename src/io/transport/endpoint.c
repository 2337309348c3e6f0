/* SPDX-License-Identifier: MIT
 * Set-up only. */
#include "transport/endpoint.h"

#include "rt/realtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int endpoint_ports(const struct endpoint *e)
{
  return e->protocol->port_name || e->count == 0 ? e->count : 1;
}

const char *endpoint_port_name(const struct endpoint *e, int i)
{
  return e->protocol->port_name ? e->protocol->port_name(e, i) : e->protocol->name;
}

bool endpoint_fail(const struct endpoint *e, int code, char *error, size_t size)
{
  snprintf(error, size, "%s: cannot start: %s", e->protocol->name, strerror(code));
  return false;
}

static bool start_protocol(struct endpoint *e, char *error, size_t size)
{
  e->stop = eventfd(0, EFD_CLOEXEC);
  return e->stop < 0 ? endpoint_fail(e, errno, error, size) : e->protocol->start(e, error, size);
}

bool endpoint_start(struct endpoint *e, char *error, size_t size)
{
  e->threads = 0;
  e->state = calloc(1, e->protocol->state);
  if (!e->state) return endpoint_fail(e, ENOMEM, error, size);
  if (start_protocol(e, error, size)) return true;
  endpoint_stop(e);
  return false;
}

bool endpoint_run(struct endpoint *e, const char *name, int stack_kb, void *(*run)(void *), void *arg,
                  char *error, size_t size)
{
  const int code = thread_start_ordinary(&e->thread[e->threads], name, stack_kb, run, arg);
  if (code != 0) return endpoint_fail(e, code, error, size);
  e->threads++;
  return true;
}

void endpoint_stop(struct endpoint *e)
{
  if (!endpoint_runs(e)) return;
  while (e->stop >= 0 && write(e->stop, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno == EINTR) continue;
  if (e->protocol->hurry) e->protocol->hurry(e);
  for (int i = 0; i < e->threads; i++) pthread_join(e->thread[i], NULL);
  e->protocol->close(e);
  if (e->stop >= 0) close(e->stop);
  free(e->state);
  e->state = NULL;
}

void endpoint_text(const struct endpoint *e, char *text, size_t size)
{
  text[0] = '\0';
  if (endpoint_runs(e))
    e->protocol->text(e, text, size);
  else if (e->protocol->off)
    snprintf(text, size, "%s", e->protocol->off);
}
