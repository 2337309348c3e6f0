/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "http/asked_host.h"
#include "rt/clock.h"
#include "telemetry/object.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

struct server {
  struct MHD_Daemon *http;
  server_page *make;
  void *context;
  const struct hosts *hosts;
  struct http_connections connections;
};

static enum MHD_Result read_query(void *arg, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                  const char *value, size_t value_size)
{
  (void)kind;
  struct request *r = arg;
  static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  /* The sizes reveal a zero byte in the text, which %00 makes. */
  if (!r->attribute && !r->name && key_size > 0 && strspn(key, capitals) == key_size && value_size == 0)
    r->attribute = key;
  else if (r->name || key_size != 4 || memcmp(key, "name", 4) != 0 || !value || strlen(value) != value_size ||
           !telemetry_valid_name(value))
    r->bad_query = true;
  else
    r->name = value;
  return MHD_YES;
}

/* MHD_CONNECTION_NOTIFY_CLOSED comes before the socket is closed, so connections_sweep() never shuts down a later socket
 * with that number. */
static void note_connection(void *arg, struct MHD_Connection *connection, void **own,
                            enum MHD_ConnectionNotificationCode code)
{
  struct server *s = arg;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    connections_leave(&s->connections, *own);
    return;
  }
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *own = info ? connections_take(&s->connections, info->connect_fd, clock_now_ns()) : NULL;
}

static void note_turn(struct server *s, struct MHD_Connection *connection, bool answering)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info) connections_turn(&s->connections, info->socket_context, answering, clock_now_ns());
}

static void note_completed(void *arg, struct MHD_Connection *connection, void **seen,
                           enum MHD_RequestTerminationCode code)
{
  (void)seen, (void)code;
  note_turn(arg, connection, false);
}

static void refuse_page(struct page *page, unsigned status, const char *why)
{
  *page = (struct page){.status = status, .type = "text/plain; charset=utf-8", .text = strdup(why)};
  page->size = page->text ? strlen(page->text) : 0;
}

static bool has_body(struct MHD_Connection *connection)
{
  const char *length =
      MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return (length && strcmp(length, "0") != 0) ||
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

static enum MHD_Result queue_reply(struct MHD_Connection *connection, const struct page *page)
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

/* Called twice for a request, with its head and at its end. A request with a body is refused at its head and the
 * connection is closed, so that nobody can send gigabytes. */
static enum MHD_Result answer_request(void *arg, struct MHD_Connection *connection, const char *path,
                                      const char *method, const char *version, const char *upload,
                                      size_t *upload_size, void **seen)
{
  (void)upload, (void)upload_size;
  static int head;
  struct server *s = arg;
  const bool body = has_body(connection);
  note_turn(s, connection, true);
  /* The head of a request without a body: wait for the end of the request. */
  if (!*seen && !body) {
    *seen = &head;
    return MHD_YES;
  }
  struct request r = {.method = method, .path = path, .has_body = body};
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, read_query, &r);
  struct page page;
  if (asked_for_another_host(connection, s->hosts))
    refuse_page(
        &page, MHD_HTTP_MISDIRECTED_REQUEST,
        "this name is not served here: ask for localhost or for the address that ali3-exporter listens "
        "at, or start it with --host NAME\n");
  else if (asked_without_host(connection, version))
    refuse_page(&page, MHD_HTTP_BAD_REQUEST, "a request of HTTP/1.1 needs a Host\n");
  else
    s->make(&r, s->context, &page);
  return page.text ? queue_reply(connection, &page) : MHD_NO;
}

struct server *server_start(int listener, const struct hosts *hosts, server_page *make, void *context)
{
  struct server *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->make = make;
  s->context = context;
  s->hosts = hosts;
  connections_init(&s->connections);
  /* One thread, with limits on connections, idle time and memory. */
  s->http = MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, answer_request, s, MHD_OPTION_LISTEN_SOCKET, listener,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)(CONNECTIONS + CONNECTIONS_MORE),
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS_PER_IP, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)SERVER_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_REQUEST_KB * 1024,
      MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_NOTIFY_COMPLETED, note_completed, s,
      MHD_OPTION_UNESCAPE_CALLBACK, asked_unescape, NULL, MHD_OPTION_END);
  if (s->http) return s;
  connections_free(&s->connections);
  free(s);
  return NULL;
}

void server_sweep(struct server *s)
{
  connections_sweep(&s->connections, clock_now_ns());
}

void server_stop(struct server *s)
{
  MHD_stop_daemon(s->http);
  connections_free(&s->connections);
  free(s);
}
