/* SPDX-License-Identifier: MIT */
#include "http/connections.h"

#include "rt/clock.h"

#include <stddef.h>
#include <sys/socket.h>

enum { ALL = CONNECTIONS + CONNECTIONS_MORE };

void connections_init(struct http_connections *p)
{
  pthread_mutex_init(&p->lock, NULL);
  for (int i = 0; i < ALL; i++) p->connection[i] = (struct http_connection){.fd = -1};
}

void connections_free(struct http_connections *p)
{
  pthread_mutex_destroy(&p->lock);
}

static void end_connection(struct http_connection *connection)
{
  connection->ending = true;
  shutdown(connection->fd, SHUT_RDWR);
}

static bool is_connected(const struct http_connection *connection)
{
  return connection->fd >= 0 && !connection->ending;
}

/* The connection that has waited longest for its request; without one, the connection that has waited longest to take
 * its answer. */
static struct http_connection *choose_victim(struct http_connections *p,
                                             const struct http_connection *newcomer)
{
  struct http_connection *victim = NULL;
  for (int i = 0; i < ALL; i++) {
    struct http_connection *one = &p->connection[i];
    if (!is_connected(one) || one == newcomer) continue;
    if (!victim || (!one->answering && victim->answering) ||
        (one->answering == victim->answering && one->since_ns < victim->since_ns))
      victim = one;
  }
  return victim;
}

struct http_connection *connections_take(struct http_connections *p, int fd, uint64_t now_ns)
{
  struct http_connection *mine = NULL;
  int taken = 0;
  pthread_mutex_lock(&p->lock);
  for (int i = 0; i < ALL; i++) {
    struct http_connection *one = &p->connection[i];
    taken += is_connected(one);
    if (!mine && one->fd < 0) mine = one;
  }
  if (mine) *mine = (struct http_connection){.fd = fd, .since_ns = now_ns};
  if (mine && taken >= CONNECTIONS) end_connection(choose_victim(p, mine));
  pthread_mutex_unlock(&p->lock);
  if (!mine) shutdown(fd, SHUT_RDWR);
  return mine;
}

void connections_turn(struct http_connections *p, struct http_connection *connection, bool answering,
                      uint64_t now_ns)
{
  if (!connection) return;
  pthread_mutex_lock(&p->lock);
  connection->answering = answering;
  connection->since_ns = now_ns;
  pthread_mutex_unlock(&p->lock);
}

void connections_leave(struct http_connections *p, struct http_connection *connection)
{
  if (!connection) return;
  pthread_mutex_lock(&p->lock);
  *connection = (struct http_connection){.fd = -1};
  pthread_mutex_unlock(&p->lock);
}

void connections_sweep(struct http_connections *p, uint64_t now_ns)
{
  pthread_mutex_lock(&p->lock);
  for (int i = 0; i < ALL; i++) {
    struct http_connection *one = &p->connection[i];
    const uint64_t limit_ns = (uint64_t)(one->answering ? CONNECTION_ANSWER_S : CONNECTION_HEAD_S) * NS_PER_S;
    if (is_connected(one) && now_ns > one->since_ns + limit_ns) end_connection(one);
  }
  pthread_mutex_unlock(&p->lock);
}
