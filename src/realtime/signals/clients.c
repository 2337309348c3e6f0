/* SPDX-License-Identifier: MIT */
#include "signals/clients.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* No fences, as in telemetry/telemetry.c: the words themselves carry release and acquire. */
enum { WORDS = CLIENT_NAME / sizeof(uint64_t), TRIES = 100 };

void client_name_write(struct client_name *n, uint32_t id, const char *name)
{
  uint64_t word[WORDS] = {0};
  snprintf((char *)word, sizeof word, "%s", name);
  const uint32_t s = atomic_load_explicit(&n->sequence, memory_order_relaxed);
  atomic_store_explicit(&n->sequence, s + 1, memory_order_relaxed);
  atomic_store_explicit(&n->id, id, memory_order_release);
  for (int i = 0; i < WORDS; i++) atomic_store_explicit(&n->text[i], word[i], memory_order_release);
  atomic_store_explicit(&n->sequence, s + 2, memory_order_release);
}

/* Returns false if the entry was being written. */
static bool read_client_name(const struct client_name *n, uint32_t *found, uint64_t word[WORDS])
{
  const uint32_t s = atomic_load_explicit(&n->sequence, memory_order_acquire);
  *found = atomic_load_explicit(&n->id, memory_order_acquire);
  for (int i = 0; i < WORDS; i++) word[i] = atomic_load_explicit(&n->text[i], memory_order_acquire);
  return s % 2 == 0 && atomic_load_explicit(&n->sequence, memory_order_relaxed) == s;
}

uint32_t client_name_read(const struct client_name *n, char name[CLIENT_NAME])
{
  uint64_t word[WORDS];
  uint32_t found = 0;
  bool whole = false;
  for (int i = 0; i < TRIES && !whole; i++) whole = read_client_name(n, &found, word);
  memcpy(name, word, CLIENT_NAME);
  name[whole ? CLIENT_NAME - 1 : 0] = '\0';
  return found;
}

void clients_name(struct clients *c, uint32_t id, const char *name)
{
  client_name_write(&c->entry[id % CLIENTS_NAMED], id, name);
}

void clients_get(const struct clients *c, uint32_t id, char name[CLIENT_NAME])
{
  if (client_name_read(&c->entry[id % CLIENTS_NAMED], name) != id || !name[0])
    snprintf(name, CLIENT_NAME, "client %u", id);
}

void clients_address_text(const struct sockaddr *address, char text[CLIENT_NAME])
{
  char host[INET6_ADDRSTRLEN];
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const void *)address;
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    snprintf(text, CLIENT_NAME, "%s:%u", host, ntohs(v4->sin_port));
  } else if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const void *)address;
    inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
    snprintf(text, CLIENT_NAME, "[%s]:%u", host, ntohs(v6->sin6_port));
  } else {
    snprintf(text, CLIENT_NAME, "?");
  }
}
