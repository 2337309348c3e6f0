/* SPDX-License-Identifier: MIT */
#include "http/places.h"

#include "rt/clock.h"

#include <stddef.h>
#include <sys/socket.h>

enum { ALL = PLACES + PLACES_MORE };

void places_init(struct places *p)
{
  pthread_mutex_init(&p->lock, NULL);
  for (int i = 0; i < ALL; i++) p->place[i] = (struct place){.fd = -1};
}

void places_free(struct places *p)
{
  pthread_mutex_destroy(&p->lock);
}

static void end_connection(struct place *place)
{
  place->ending = true;
  shutdown(place->fd, SHUT_RDWR);
}

static bool is_connected(const struct place *place)
{
  return place->fd >= 0 && !place->ending;
}

/* The connection that has waited longest for its request; without one, the connection that has waited longest to take
 * its answer. */
static struct place *choose_victim(struct places *p, const struct place *newcomer)
{
  struct place *victim = NULL;
  for (int i = 0; i < ALL; i++) {
    struct place *one = &p->place[i];
    if (!is_connected(one) || one == newcomer) continue;
    if (!victim || (!one->answering && victim->answering) ||
        (one->answering == victim->answering && one->since_ns < victim->since_ns))
      victim = one;
  }
  return victim;
}

struct place *places_take(struct places *p, int fd, uint64_t now_ns)
{
  struct place *mine = NULL;
  int taken = 0;
  pthread_mutex_lock(&p->lock);
  for (int i = 0; i < ALL; i++) {
    struct place *one = &p->place[i];
    taken += is_connected(one);
    if (!mine && one->fd < 0) mine = one;
  }
  if (mine) *mine = (struct place){.fd = fd, .since_ns = now_ns};
  if (mine && taken >= PLACES) end_connection(choose_victim(p, mine));
  pthread_mutex_unlock(&p->lock);
  if (!mine) shutdown(fd, SHUT_RDWR);
  return mine;
}

void places_turn(struct places *p, struct place *place, bool answering, uint64_t now_ns)
{
  if (!place) return;
  pthread_mutex_lock(&p->lock);
  place->answering = answering;
  place->since_ns = now_ns;
  pthread_mutex_unlock(&p->lock);
}

void places_leave(struct places *p, struct place *place)
{
  if (!place) return;
  pthread_mutex_lock(&p->lock);
  *place = (struct place){.fd = -1};
  pthread_mutex_unlock(&p->lock);
}

void places_sweep(struct places *p, uint64_t now_ns)
{
  pthread_mutex_lock(&p->lock);
  for (int i = 0; i < ALL; i++) {
    struct place *one = &p->place[i];
    const uint64_t limit_ns = (uint64_t)(one->answering ? PLACES_ANSWER_S : PLACES_HEAD_S) * NS_PER_S;
    if (is_connected(one) && now_ns > one->since_ns + limit_ns) end_connection(one);
  }
  pthread_mutex_unlock(&p->lock);
}
