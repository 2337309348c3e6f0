/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a request to ali3-view: lines of a query, the headers of a POST, then a body of JSON. The
 * requests name no daemon that runs, so nothing is sent. */
#include "control.h"
#include "query.h"
#include "rights.h"

#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS = 4, HEADER_MOST = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool holds)
{
  if (!holds) abort();
}

/* The next line, without its end. */
static size_t next_line(const char **at, const char *end)
{
  const char *feed = memchr(*at, '\n', (size_t)(end - *at));
  const char *begin = *at;
  *at = feed ? feed + 1 : end;
  return (size_t)((feed ? feed : end) - begin);
}

/* key=value&key=value */
static void take_query(const char *text, size_t n)
{
  struct query q = query_default();
  char why[200];
  for (size_t at = 0; at < n;) {
    const char *one = text + at, *stop = memchr(one, '&', n - at);
    const size_t length = stop ? (size_t)(stop - one) : n - at;
    const char *equals = memchr(one, '=', length);
    const size_t key = equals ? (size_t)(equals - one) : length;
    query_add(&q, one, key, equals ? equals + 1 : one, equals ? length - key - 1 : 0, why, sizeof why);
    at += length + 1;
  }
  require(q.rate >= QUERY_RATE_LEAST && q.rate <= QUERY_RATE_MOST && q.speed > 0);
  require(strlen(q.name) < sizeof q.name && strlen(q.signals) < sizeof q.signals &&
          strlen(q.dense) < sizeof q.dense);
  query_matches(q.signals, "body.A.position.x");
  query_matches(q.dense, "energy.total");
}

/* Only the token of the server opens. */
static void take_headers(char header[HEADERS][HEADER_MOST])
{
  static const struct hosts hosts = {{"bench-1"}, 1};
  struct rights r = {.token = "0123456789abcdef"};
  const struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const struct rights_request q = {.authorization = header[0],
                                   .origin = *header[1] ? header[1] : NULL,
                                   .content_type = header[2],
                                   .accepted_at = (const struct sockaddr *)&at,
                                   .hosts = &hosts,
                                   .now_ns = 1};
  const char *why = NULL;
  const unsigned status = rights_judge(&r, &q, &why);
  require(why != NULL && (status != 200 || strcmp(header[0] + strlen("Bearer "), r.token) == 0));
  host_is_ours(header[3], q.accepted_at, &hosts);
}

static void take_body(const char *text, size_t n)
{
  struct control c = {.socket = {-1, -1}};
  struct control_wait wait;
  const char *why;
  json_t *body = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
  if (json_is_object(body)) {
    require(control_command(&c, "fuzzed-nowhere", body, 1, &wait, &why) != 202);
    require(control_input(&c, "fuzzed-nowhere", body, 1, &why) != 200);
  }
  json_decref(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  const char *at = (const char *)bytes, *end = at + n, *line = at;
  char header[HEADERS][HEADER_MOST];
  take_query(line, next_line(&at, end));
  for (int i = 0; i < HEADERS; i++) {
    line = at;
    const size_t length = next_line(&at, end);
    snprintf(header[i], sizeof header[i], "%.*s", (int)length, line);
  }
  take_headers(header);
  take_body(at, (size_t)(end - at));
  return 0;
}
