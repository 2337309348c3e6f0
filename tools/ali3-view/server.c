/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "http/asked_host.h"
#include "http/connections.h"
#include "rt/clock.h"
#include "server_parts.h"
#include "transport/inet_address.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const uint64_t NS_OF_MS = NS_PER_S / 1000, SOON_AGAIN_NS = NS_PER_S / 2000;
enum { COMMANDS = 16, SEND_BUFFER = 128 << 10, PIECE = 32 << 10, RUN_MS = 250 };

/* A stream that a browser takes. */
struct taken_stream {
  struct stream *stream; /* NULL: free */
  struct MHD_Connection *connection;
  struct view_server *server;
  bool suspended;
  struct inet_address from;
};

struct view_server {
  struct MHD_Daemon *http;
  struct view *view;
  struct http_connections connections;
  uint64_t swept_ns;
  struct taken_stream stream[VIEW_STREAMS];
  struct exchange *waiting[COMMANDS];    /* commands without an answer */
  struct exchange *meshing[VIEW_MESHES]; /* requests for a mesh that is being read */
};

/* --- connections --- */

static void note_socket(void *arg, struct MHD_Connection *connection, void **own,
                        enum MHD_ConnectionNotificationCode code)
{
  struct view_server *s = arg;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    connections_leave(&s->connections, *own);
    return;
  }
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *own = info ? connections_take(&s->connections, info->connect_fd, clock_now_ns()) : NULL;
}

/* Its time begins anew: a stream that a browser takes has no end, one that it does not take is closed by the sweep. */
static void refresh_place(struct view_server *s, struct MHD_Connection *connection, bool answering)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info) connections_turn(&s->connections, info->socket_context, answering, clock_now_ns());
}

static void forget_exchange(void *arg, struct MHD_Connection *connection, void **seen,
                            enum MHD_RequestTerminationCode code)
{
  (void)code;
  struct view_server *s = arg;
  struct exchange *x = *seen;
  for (int i = 0; i < COMMANDS; i++)
    if (s->waiting[i] == x) s->waiting[i] = NULL;
  for (int i = 0; i < VIEW_MESHES; i++)
    if (s->meshing[i] == x) s->meshing[i] = NULL;
  if (x && x->mesh) {
    mesher_release(s->view->mesher, x->mesh);
    s->view->meshes--;
  }
  free(x);
  *seen = NULL;
  refresh_place(s, connection, false);
}

/* --- answers --- */

static void add_headers(struct MHD_Response *response, const char *type)
{
  static const char *const headers[][2] = {
      {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
      {"Content-Security-Policy", "default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    MHD_add_response_header(response, headers[i][0], headers[i][1]);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
}

/* An answer that somebody counts, in memory of its own. */
struct counted_answer {
  char *text;
  int *sent;
};

static void release_counted_answer(void *arg)
{
  struct counted_answer *c = arg;
  --*c->sent;
  free(c->text);
  free(c);
}

/* The response takes the text over. NULL: out of memory; the text is freed. */
static struct MHD_Response *make_response(const struct view_answer *a)
{
  struct MHD_Response *response = NULL;
  struct counted_answer *c = a->sent ? malloc(sizeof *c) : NULL;
  if (!a->sent)
    response = MHD_create_response_from_buffer(a->size, a->text,
                                               a->lent ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
  if (c) {
    *c = (struct counted_answer){a->text, a->sent};
    response =
        MHD_create_response_from_buffer_with_free_callback_cls(a->size, a->text, release_counted_answer, c);
  }
  if (response) return response;
  if (a->sent) --*a->sent;
  if (!a->lent) free(a->text);
  free(c);
  return NULL;
}

static enum MHD_Result queue_view_answer(struct MHD_Connection *connection, struct view_answer *a)
{
  if (!a->text) return MHD_NO;
  struct MHD_Response *response = make_response(a);
  if (!response) return MHD_NO;
  add_headers(response, a->type);
  if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  if (a->status == MHD_HTTP_UNAUTHORIZED) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  const enum MHD_Result result = MHD_queue_response(connection, a->status, response);
  MHD_destroy_response(response);
  return result;
}

/* --- streams --- */

/* Gives libmicrohttpd the bytes that are there. Without any it suspends the connection, until wake_streams() has some. */
static ssize_t read_taken_stream(void *arg, uint64_t position, char *to, size_t most)
{
  (void)position;
  struct taken_stream *t = arg;
  struct stream *s = t->stream;
  stream_fill(s, clock_now_ns());
  const size_t left = s->out.count - s->taken, n = left < most ? left : most;
  if (n > 0) {
    memcpy(to, s->out.byte + s->taken, n);
    s->taken += n;
    refresh_place(t->server, t->connection, true);
    return (ssize_t)n;
  }
  if (s->ended) return MHD_CONTENT_READER_END_OF_STREAM;
  if (s->out.failed) return MHD_CONTENT_READER_END_WITH_ERROR;
  t->suspended = true;
  MHD_suspend_connection(t->connection);
  return 0;
}

static void release_taken_stream(void *arg)
{
  struct taken_stream *t = arg;
  stream_free(t->stream);
  t->stream = NULL;
}

static struct inet_address asked_sender(struct MHD_Connection *connection)
{
  struct inet_address from = {0};
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info) return from;
  from.length = info->client_addr->sa_family == AF_INET ? sizeof from.name.v4 : sizeof from.name.v6;
  memcpy(&from.name, info->client_addr, from.length);
  return from;
}

/* A free place for a stream of this sender; NULL: *why says why there is none. */
static struct taken_stream *free_taken_stream(struct view_server *s, const struct inet_address *from,
                                              const char **why)
{
  struct taken_stream *empty = NULL;
  int own = 0;
  for (int i = 0; i < VIEW_STREAMS; i++) {
    if (!s->stream[i].stream)
      empty = &s->stream[i];
    else
      own += inet_address_same_host(&s->stream[i].from, from);
  }
  *why = own >= VIEW_STREAMS_HOST ? "all 4 streams of this address are in use" : "all 8 streams are in use";
  return own >= VIEW_STREAMS_HOST ? NULL : empty;
}

/* A small buffer of the socket: what is in it is old when it arrives. */
static void limit_send_buffer(struct MHD_Connection *connection)
{
  const int bytes = SEND_BUFFER;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info) setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static enum MHD_Result refuse_view_request(struct MHD_Connection *connection, unsigned status,
                                           const char *why)
{
  struct view_answer a;
  pages_refuse(&a, status, why);
  return queue_view_answer(connection, &a);
}

static enum MHD_Result start_stream(struct view_server *s, const struct exchange *x)
{
  char error[300];
  struct source source;
  const uint64_t now = clock_now_ns();
  const char *why;
  const struct inet_address from = asked_sender(x->connection);
  struct taken_stream *t = free_taken_stream(s, &from, &why);
  if (!t) return refuse_view_request(x->connection, MHD_HTTP_SERVICE_UNAVAILABLE, why);
  const bool opened = s->view->playback
                          ? source_open_recording(&source, s->view->playback, error, sizeof error)
                          : source_open_live(&source, x->query.name, error, sizeof error);
  if (!opened) return refuse_view_request(x->connection, MHD_HTTP_NOT_FOUND, error);
  *t = (struct taken_stream){
      .connection = x->connection, .server = s, .stream = stream_new(&source, &x->query, now), .from = from};
  if (!t->stream) {
    source_close(&source);
    return MHD_NO;
  }
  /* The response owns the stream from here on. */
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_taken_stream, t, release_taken_stream);
  if (!response) {
    release_taken_stream(t);
    return MHD_NO;
  }
  limit_send_buffer(x->connection);
  add_headers(response, "application/octet-stream");
  const enum MHD_Result result = MHD_queue_response(x->connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

/* Streams that have something to send go on. Returns the next instant at which one may have something. */
static uint64_t wake_streams(struct view_server *s, uint64_t now_ns)
{
  uint64_t next = UINT64_MAX;
  for (int i = 0; i < VIEW_STREAMS; i++) {
    struct taken_stream *t = &s->stream[i];
    if (!t->stream) continue;
    if (!t->suspended) {
      /* libmicrohttpd asks for the next bytes in one of its next runs, or waits for the socket. */
      const uint64_t soon = now_ns + SOON_AGAIN_NS;
      if (t->stream->taken == t->stream->out.count && soon < next) next = soon;
      continue;
    }
    stream_fill(t->stream, now_ns);
    if (t->stream->taken < t->stream->out.count || t->stream->ended || t->stream->out.failed) {
      t->suspended = false;
      MHD_resume_connection(t->connection);
      next = now_ns; /* libmicrohttpd does not count it in MHD_get_timeout() */
    } else if (t->stream->due_ns < next) {
      next = t->stream->due_ns;
    }
  }
  return next;
}

/* --- commands --- */

static bool wait_for_answer(struct view_server *s, struct exchange *x)
{
  for (int i = 0; i < COMMANDS; i++) {
    if (s->waiting[i]) continue;
    s->waiting[i] = x;
    MHD_suspend_connection(x->connection);
    return true;
  }
  return false;
}

static void resume_command(struct view_server *s, int i)
{
  struct exchange *x = s->waiting[i];
  s->waiting[i] = NULL;
  MHD_resume_connection(x->connection);
}

/* Hands answers of the daemons to their commands, and ends those that waited too long. Returns when the next one does. */
static uint64_t wake_commands(struct view_server *s, uint64_t now_ns)
{
  int32_t request, result;
  struct inet_address from;
  uint64_t next = UINT64_MAX;
  /* Answers. */
  while (control_receive(&s->view->control, &request, &from, &result)) {
    for (int i = 0; i < COMMANDS; i++) {
      struct exchange *x = s->waiting[i];
      if (!x || x->wait.request != request || !inet_address_same(&x->wait.to, &from)) continue;
      x->answered = true;
      x->result = result;
      resume_command(s, i);
      next = now_ns;
    }
  }
  /* Commands that waited too long. */
  for (int i = 0; i < COMMANDS; i++) {
    if (!s->waiting[i]) continue;
    if (now_ns >= s->waiting[i]->wait.until_ns) {
      resume_command(s, i);
      next = now_ns;
    } else if (s->waiting[i]->wait.until_ns < next) {
      next = s->waiting[i]->wait.until_ns;
    }
  }
  return next;
}

/* --- meshes --- */

static void wait_for_mesh(struct view_server *s, struct exchange *x)
{
  for (int i = 0; i < VIEW_MESHES; i++) {
    if (s->meshing[i]) continue;
    s->meshing[i] = x;
    MHD_suspend_connection(x->connection);
    return;
  }
}

/* Requests whose mesh was read, or failed, go on. `all`: every request. */
static void wake_meshes(struct view_server *s, bool all)
{
  mesher_hear(s->view->mesher);
  for (int i = 0; i < VIEW_MESHES; i++) {
    struct exchange *x = s->meshing[i];
    if (!x || !(all || mesher_is_done(s->view->mesher, x->mesh))) continue;
    s->meshing[i] = NULL;
    MHD_resume_connection(x->connection);
  }
}

/* --- requests --- */

static enum MHD_Result add_query(void *arg, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                 const char *value, size_t value_size)
{
  (void)kind;
  struct exchange *x = arg;
  if (x->refused == 0 &&
      !query_add(&x->query, key, key_size, value ? value : "", value ? value_size : 0, x->why, sizeof x->why))
    x->refused = MHD_HTTP_BAD_REQUEST;
  return MHD_YES;
}

/* The head of a request: it is judged before anything of its body is taken. */
static struct exchange *begin_exchange(struct view_server *s, struct MHD_Connection *connection,
                                       const char *path, const char *method, const char *version)
{
  struct exchange *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->connection = connection;
  x->path = path;
  x->began_ns = clock_now_ns();
  x->query = query_default();
  x->post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  /* Judge host, rights and method, then the query. */
  const bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (asked_for_another_host(connection, &s->view->hosts)) {
    x->refused = MHD_HTTP_MISDIRECTED_REQUEST;
    snprintf(x->why, sizeof x->why, "this name is not served here: add --host NAME to ali3-view");
  } else if (asked_without_host(connection, version)) {
    x->refused = MHD_HTTP_BAD_REQUEST;
    snprintf(x->why, sizeof x->why, "a request of HTTP/1.1 needs a Host");
  } else if (asked_by_another_site(connection, path)) {
    x->refused = MHD_HTTP_FORBIDDEN;
    snprintf(x->why, sizeof x->why, "the page that asks belongs to another site");
  } else if (x->post) {
    posts_judge(s->view, x, clock_now_ns());
  } else if (!get) {
    x->refused = MHD_HTTP_METHOD_NOT_ALLOWED;
    snprintf(x->why, sizeof x->why, "GET, HEAD and POST only");
  }
  /* The query of a file is for the page itself. */
  if (x->refused == 0 && strncmp(path, "/api/", 5) == 0)
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_query, x);
  return x;
}

static void append_body(struct exchange *x, const char *upload, size_t size)
{
  const size_t room = VIEW_BODY - x->body_size;
  if (!x->post || size > room) {
    x->refused = x->refused ? x->refused : MHD_HTTP_CONTENT_TOO_LARGE;
    snprintf(x->why, sizeof x->why, "expected a body of at most %d bytes, of a POST", VIEW_BODY);
    return;
  }
  memcpy(x->body + x->body_size, upload, size);
  x->body_size += size;
}

static enum MHD_Result finish_exchange(struct view_server *s, struct exchange *x)
{
  struct view_answer a = {0};
  /* Commands and meshes may have to wait, and come here again. */
  if (x->waits) {
    posts_result(x, &a);
  } else if (x->post) {
    posts_answer(s->view, x, clock_now_ns(), &a);
    if (x->waits && wait_for_answer(s, x)) return MHD_YES;
    if (x->waits)
      return refuse_view_request(x->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many commands");
  } else if (x->mesh) {
    pages_answer_mesh(s->view, x, &a);
  } else if (strcmp(x->path, "/api/v1/mesh") == 0) {
    pages_ask_mesh(s->view, x, &a);
    if (x->mesh) {
      wait_for_mesh(s, x);
      return MHD_YES;
    }
  } else if (strcmp(x->path, "/api/v1/stream") == 0) {
    return start_stream(s, x);
  } else {
    pages_answer(s->view, x, &a);
  }
  return queue_view_answer(x->connection, &a);
}

/* Called with the head of a request, then with each piece of its body, then at its end. */
static enum MHD_Result take_request(void *arg, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **seen)
{
  struct view_server *s = arg;
  struct exchange *x = *seen;
  refresh_place(s, connection, true);
  /* The head. */
  if (!x) {
    *seen = x = begin_exchange(s, connection, path, method, version);
    if (!x) return MHD_NO;
    if (x->refused) return refuse_view_request(connection, x->refused, x->why);
    return MHD_YES;
  }
  /* The body, and its end. */
  x->path = path;
  if (*upload_size > 0) {
    append_body(x, upload, *upload_size);
    *upload_size = 0;
    return MHD_YES;
  }
  if (x->refused) return refuse_view_request(connection, x->refused, x->why);
  return finish_exchange(s, x);
}

/* --- the server --- */

struct view_server *view_server_start(int listener, struct view *view)
{
  struct view_server *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->view = view;
  view->mesher = mesher_start();
  if (!view->mesher) {
    free(s);
    return NULL;
  }
  connections_init(&s->connections);
  /* No thread of its own: view_server_run() serves. */
  s->http = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, take_request, s, MHD_OPTION_LISTEN_SOCKET,
      listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(CONNECTIONS + CONNECTIONS_MORE),
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)(CONNECTIONS / 2), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)(PIECE + PIECE), MHD_OPTION_NOTIFY_CONNECTION, note_socket, s, MHD_OPTION_NOTIFY_COMPLETED,
      forget_exchange, s, MHD_OPTION_UNESCAPE_CALLBACK, asked_unescape, NULL, MHD_OPTION_END);
  if (s->http) return s;
  mesher_stop(view->mesher);
  connections_free(&s->connections);
  free(s);
  return NULL;
}

/* Milliseconds until an instant, rounded up. */
static int wait_ms(uint64_t until_ns, uint64_t now_ns, int most)
{
  if (until_ns <= now_ns) return 0;
  const uint64_t ms = (until_ns - now_ns + NS_OF_MS - 1) / NS_OF_MS;
  return ms < (uint64_t)most ? (int)ms : most;
}

void view_server_run(struct view_server *s)
{
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
  uint64_t now = clock_now_ns();
  /* Things that wait for a time or an answer. */
  const uint64_t stream = wake_streams(s, now), command = wake_commands(s, now),
                 input = control_tick(&s->view->control, now);
  uint64_t next = stream < command ? stream : command;
  next = input < next ? input : next;
  if (now >= s->swept_ns + NS_PER_S) {
    connections_sweep(&s->connections, now);
    s->swept_ns = now;
  }
  /* Sockets. */
  MHD_UNSIGNED_LONG_LONG wanted;
  int ms = wait_ms(next, now, RUN_MS);
  if (MHD_get_timeout(s->http, &wanted) == MHD_YES && wanted < (MHD_UNSIGNED_LONG_LONG)ms) ms = (int)wanted;
  enum { SOCKETS, MESHES, ANSWERS, EVENTS = ANSWERS + CONTROL_SOCKETS };
  struct pollfd fds[EVENTS] = {[SOCKETS] = {.fd = info ? info->listen_fd : -1, .events = POLLIN},
                               [MESHES] = {.fd = mesher_event(s->view->mesher), .events = POLLIN}};
  for (int i = 0; i < CONTROL_SOCKETS; i++)
    fds[ANSWERS + i] = (struct pollfd){.fd = s->view->control.socket[i], .events = POLLIN};
  poll(fds, EVENTS, ms);
  if (fds[MESHES].revents) wake_meshes(s, false);
  MHD_run(s->http);
}

void view_server_stop(struct view_server *s)
{
  /* libmicrohttpd wants no suspended connection at its end. */
  for (int i = 0; i < VIEW_STREAMS; i++) {
    if (!s->stream[i].stream) continue;
    s->stream[i].stream->ended = true;
    if (s->stream[i].suspended) MHD_resume_connection(s->stream[i].connection);
    s->stream[i].suspended = false;
  }
  for (int i = 0; i < COMMANDS; i++)
    if (s->waiting[i]) resume_command(s, i);
  wake_meshes(s, true);
  MHD_stop_daemon(s->http);
  mesher_stop(s->view->mesher);
  connections_free(&s->connections);
  free(s);
}
