/* SPDX-License-Identifier: MIT
 * Names of the owners of inputs. Each port knows the names of its own clients. */
#include "signals/exchange.h"

#include <stdio.h>

const struct port *port_of_source(struct port *const *port, int ports, int source)
{
  for (int p = 0; p < ports; p++)
    if (port[p]->source == source) return port[p];
  return NULL;
}

/* A device is a port with one client, the device itself. */
void port_client_text(const struct port *p, const char *between, const char *client, char *text, size_t size)
{
  if (p->source == SOURCE_PACKETS)
    snprintf(text, size, "packet %s", client);
  else if (p->source == SOURCE_INNER)
    snprintf(text, size, "a stimulus");
  else if (p->source >= SOURCE_DEVICE)
    snprintf(text, size, "device %s", p->name);
  else
    snprintf(text, size, "%s%s %s", p->name, between, client);
}

void port_owner_text(const struct port *p, struct input_owner owner, char *text, size_t size)
{
  const struct port *of = p->all ? port_of_source(p->all, p->ports, owner.source) : p;
  char client[CLIENT_NAME] = "";
  text[0] = '\0';
  if (owner.source == OWNER_NONE || !of || of->source != owner.source) return;
  clients_get(&of->clients, owner.client, client);
  port_client_text(of, "", client, text, size);
}
