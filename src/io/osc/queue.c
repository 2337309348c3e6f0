/* SPDX-License-Identifier: MIT */
#include "osc/queue.h"

#include "osc/limit.h"

#include <stdlib.h>
#include <string.h>

struct line { /* first in, first out */
  int places, host_places, sender_places;
  size_t bytes_most, host_bytes_most; /* 0: no limit */
  int first, count;
  size_t bytes;
  struct osc_waiting *waiting; /* (places) */
};

struct osc_queue {
  struct osc_limit reader;       /* bytes a second of each host with read access only */
  struct osc_bucket readers_all; /* bytes a second of all of these hosts */
  struct line writers, readers;
  struct osc_waiting place[OSC_QUEUE_WRITERS + OSC_QUEUE_READERS];
};

struct osc_queue *osc_queue_new(void)
{
  struct osc_queue *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  q->writers = (struct line){.places = OSC_QUEUE_WRITERS,
                             .host_places = OSC_QUEUE_WRITER_HOST,
                             .sender_places = OSC_QUEUE_WRITER_SENDER,
                             .waiting = q->place};
  q->readers = (struct line){.places = OSC_QUEUE_READERS,
                             .host_places = OSC_QUEUE_READER_HOST,
                             .sender_places = OSC_QUEUE_READER_SENDER,
                             .bytes_most = OSC_QUEUE_READERS_BYTES,
                             .host_bytes_most = OSC_QUEUE_READER_BYTES,
                             .waiting = q->place + OSC_QUEUE_WRITERS};
  return q;
}

void osc_queue_free(struct osc_queue *q)
{
  free(q);
}

static struct line *line_of(struct osc_queue *q, enum access access)
{
  return access >= ACCESS_WRITE ? &q->writers : &q->readers;
}

/* With `size` more bytes the sender or its host would exceed its share. */
static bool is_over(const struct line *l, const struct inet_address *from, size_t size)
{
  int count = 0, own = 0;
  size_t bytes = size;
  for (int i = 0; i < l->count; i++) {
    const struct osc_waiting *w = &l->waiting[(l->first + i) % l->places];
    if (!inet_address_same_host(&w->from, from)) continue;
    count++;
    own += inet_address_same(&w->from, from);
    bytes += w->size;
  }
  if (own >= l->sender_places) return true;
  return count >= l->host_places || (l->host_bytes_most && count > 0 && bytes > l->host_bytes_most);
}

static bool is_within_rate(struct osc_queue *q, const struct inet_address *host, size_t size, uint64_t t_ns)
{
  struct osc_bucket *own = osc_limit_bucket(&q->reader, host, OSC_QUEUE_READER_RATE, t_ns);
  return osc_bucket_take(own, size, OSC_QUEUE_READER_RATE, t_ns) &&
         osc_bucket_take(&q->readers_all, size, OSC_QUEUE_READERS_RATE, t_ns);
}

bool osc_queue_put(struct osc_queue *q, const struct inet_address *from, enum access access, uint64_t t_ns,
                   const uint8_t *bytes, size_t size)
{
  struct line *l = line_of(q, access);
  if (l->count == l->places) return false;
  if (l->bytes_most && l->count > 0 && l->bytes + size > l->bytes_most) return false;
  if (is_over(l, from, size)) return false;
  if (access < ACCESS_WRITE && !is_within_rate(q, from, size, t_ns)) return false;
  struct osc_waiting *w = &l->waiting[(l->first + l->count++) % l->places];
  w->from = *from;
  w->access = access;
  w->t_ns = t_ns;
  w->size = size;
  memcpy(w->bytes, bytes, size < OSC_IN_MAX ? size : OSC_IN_MAX);
  l->bytes += size;
  return true;
}

const struct osc_waiting *osc_queue_next(const struct osc_queue *q, enum access access)
{
  const struct line *l = access >= ACCESS_WRITE ? &q->writers : &q->readers;
  return l->count ? &l->waiting[l->first] : NULL;
}

void osc_queue_drop(struct osc_queue *q, enum access access)
{
  struct line *l = line_of(q, access);
  if (l->count == 0) return;
  l->bytes -= l->waiting[l->first].size;
  l->first = (l->first + 1) % l->places;
  l->count--;
}
