/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "io/telemetry_object.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

struct server {
  struct MHD_Daemon *http;
  server_page *make;
  void *context;
};

static enum MHD_Result read_query(void *arg, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                  const char *value, size_t value_size)
{
  (void)kind;
  struct request *r = arg;
  static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  /* The sizes tell a zero byte within, which %00 makes. */
  if (!r->attribute && !r->name && key_size > 0 && strspn(key, capitals) == key_size && value_size == 0)
    r->attribute = key;
  else if (r->name || key_size != 4 || memcmp(key, "name", 4) != 0 || !value || strlen(value) != value_size ||
           !telemetry_valid_name(value))
    r->bad_query = true;
  else
    r->name = value;
  return MHD_YES;
}

static bool has_body(struct MHD_Connection *connection)
{
  const char *length =
      MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return (length && strcmp(length, "0") != 0) ||
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

static enum MHD_Result reply(struct MHD_Connection *connection, const struct page *page)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer(page->size, page->text, MHD_RESPMEM_MUST_FREE);
  if (!response) {
    free(page->text);
    return MHD_NO;
  }
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page->type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Content-Security-Policy", "default-src 'none'");
  if (page->status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const enum MHD_Result result = MHD_queue_response(connection, page->status, response);
  MHD_destroy_response(response);
  return result;
}

/* Called twice for a request, with the head and at its end; what is refused for a body is refused at the
 * head, and the connection closed: nobody sends us gigabytes. */
static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **seen) /* NOLINT(readability-non-const-parameter) */
{
  (void)version, (void)upload, (void)upload_size;
  static int head;
  struct server *s = arg;
  const bool body = has_body(connection);
  if (!*seen && !body) {
    *seen = &head;
    return MHD_YES;
  }
  struct request r = {.method = method, .path = path, .has_body = body};
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, read_query, &r);
  struct page page;
  s->make(&r, s->context, &page);
  return page.text ? reply(connection, &page) : MHD_NO;
}

struct server *server_start(int listener, server_page *make, void *context)
{
  struct server *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->make = make;
  s->context = context;
  s->http = MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, answer, s, MHD_OPTION_LISTEN_SOCKET, listener,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      (unsigned)SERVER_CONNECTIONS_PER_IP, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVER_IDLE_S,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_REQUEST_KB * 1024, MHD_OPTION_END);
  if (s->http) return s;
  free(s);
  return NULL;
}

void server_stop(struct server *s)
{
  MHD_stop_daemon(s->http);
  free(s);
}
