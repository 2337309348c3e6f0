/* SPDX-License-Identifier: MIT */
#include "modbus_server/admission.h"

#include <string.h>

#define NS_PER_MS UINT64_C(1000000)

static bool same_host(const struct admission *a, const struct admission *b)
{
  return memcmp(a->host, b->host, sizeof a->host) == 0;
}

/* The connections that may give way. */
struct choice {
  bool own_only, readers_only;
  uint64_t silence_ns; /* minimum silence */
};

static int silent_connection(const struct admission *held, int count, const struct admission *newcomer,
                             struct choice of)
{
  int found = -1;
  for (int i = 0; i < count; i++) {
    const struct admission *p = &held[i];
    if (!p->taken || p->heard_ns + of.silence_ns > newcomer->heard_ns) continue;
    if (of.own_only && !same_host(p, newcomer)) continue;
    if (of.readers_only && p->access >= ACCESS_WRITE) continue;
    if (found < 0 || p->heard_ns < held[found].heard_ns) found = i;
  }
  return found;
}

int admission_choose(const struct admission *held, int count, const struct admission *newcomer)
{
  const bool writes = newcomer->access >= ACCESS_WRITE;
  /* Count the connections of this host and of readers. */
  int own = 0, readers = 0, free = -1;
  for (int i = count - 1; i >= 0; i--) {
    if (!held[i].taken) {
      free = i;
      continue;
    }
    own += same_host(&held[i], newcomer);
    readers += held[i].access < ACCESS_WRITE;
  }
  /* The rules in the order of the header. */
  if (own > 0 && own >= count / 2)
    return silent_connection(held, count, newcomer,
                             (struct choice){.own_only = true,
                                             .readers_only = !writes,
                                             .silence_ns = ADMISSION_OWN_SILENT_MS * NS_PER_MS});
  const bool last_of_readers = !writes && count > 1 && readers >= count - 1;
  if (free >= 0 && !last_of_readers) return free;
  if (writes && readers > 0)
    return silent_connection(held, count, newcomer, (struct choice){.readers_only = true});
  if (own > 0) return -1;
  return silent_connection(
      held, count, newcomer,
      (struct choice){.readers_only = !writes, .silence_ns = ADMISSION_OTHER_SILENT_MS * NS_PER_MS});
}
