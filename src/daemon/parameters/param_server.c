/* SPDX-License-Identifier: MIT
 * The thread of states and parameters. It waits for requests, for the next automatic save, and for the next cycle while a
 * parameter moves. */
#include "log/log.h"
#include "parameters/param_server_parts.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <ali3/status.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_KB = 1024 };
static const uint64_t TRANSACTION_LOOK_NS =
    NS_PER_S / 2; /* the thread looks at least this often at its transactions */

static void take_desk_request(struct param_server *l, const struct asked *a, uint64_t now_ns)
{
  /* States first. */
  switch ((enum desk_request_code)a->request->code) {
  case DESK_STATE_SAVE:
    param_server_save_state(l, a);
    break;
  case DESK_STATE_LOAD:
    param_server_load_state(l, a);
    break;
  case DESK_STATE_LIST:
    param_server_list_states(l, a);
    break;
  /* Parameters and sets of them. */
  case DESK_PARAM_SET:
    param_server_set_param(l, a, now_ns);
    break;
  case DESK_PARAM_BEGIN:
    param_server_begin_transaction(l, a, now_ns);
    break;
  case DESK_PARAM_COMMIT:
    param_server_commit_transaction(l, a);
    desk_show(&l->desk[a->desk]); /* a refused set leaves the old values */
    break;
  case DESK_PARAM_ABORT:
    param_server_abort_transaction(l, a);
    break;
  case DESK_PARAM_GET:
    param_server_get_param(l, a);
    break;
  case DESK_PARAM_LIST:
    param_server_list_params(l, a);
    break;
  case DESK_PARAM_SAVE:
    param_server_save_params(l, a);
    break;
  case DESK_PARAM_LOAD:
    param_server_load_params(l, a);
    break;
  /* Orders to the recorder. */
  case DESK_RECORD_STOP:
  case DESK_RECORD_START:
  case DESK_RECORD_SPLIT:
  case DESK_RECORD_MARK:
    param_server_order_recorder(l, a);
    break;
  case DESK_REQUESTS:
    break;
  }
}

static void take_desk_requests(struct param_server *l)
{
  struct desk_request r;
  for (int i = 0; i < PARAM_SERVER_DESKS; i++) {
    if (!l->config.served[i]) continue;
    while (!atomic_load(&l->quit) && ring_pop(&l->desk[i].requests, &r))
      take_desk_request(l, &(struct asked){.desk = i, .request = &r}, clock_now_ns());
    port_wake(l->config.served[i]);
  }
}

static uint64_t save_interval_ns(const struct param_server *l)
{
  const struct state_settings *s = &l->config.settings->state;
  return s->enabled && !l->store_error[0] ? (uint64_t)(s->every * (double)NS_PER_S) : 0;
}

static void sleep_for_request(struct param_server *l, uint64_t t_ns)
{
  const uint64_t now = clock_now_ns();
  struct pollfd wait = {.fd = l->event, .events = POLLIN};
  const struct timespec left = clock_timespec(t_ns > now ? t_ns - now : 0);
  uint64_t count;
  if (ppoll(&wait, 1, &left, NULL) > 0) {
    const ssize_t n = read(l->event, &count, sizeof count);
    (void)n;
  }
}

static void *param_server_main(void *arg)
{
  struct param_server *l = arg;
  const uint64_t every = save_interval_ns(l), period = l->config.cycle->config.period_ns;
  realtime_flush_denormals(); /* a reset here must give the bits of a reset at the start */
  l->saved_ns = clock_now_ns();
  bool moves = false;
  while (!atomic_load(&l->quit)) {
    const uint64_t now = clock_now_ns();
    uint64_t next = now + (moves ? period : TRANSACTION_LOOK_NS);
    if (every && l->saved_ns + every < next) next = l->saved_ns + every;
    sleep_for_request(l, next);
    if (atomic_load(&l->quit)) break;
    take_desk_requests(l);
    param_server_take_offer(l);
    param_server_forget_transactions(l, clock_now_ns());
    moves = param_server_step_ramps(l, clock_now_ns());
    if (every && clock_now_ns() - l->saved_ns >= every) {
      l->saved_ns = clock_now_ns();
      param_server_save_auto(l);
    }
  }
  return NULL;
}

/* --- life --- */

static bool open_desks(struct param_server *l)
{
  const struct modbus_config *modbus = &l->config.settings->modbus;
  for (int i = 0; i < PARAM_SERVER_DESKS; i++) {
    struct port *p = l->config.served[i];
    if (!p) continue;
    const int shown = p->source == SOURCE_MODBUS ? modbus->parameters : 0;
    if (!desk_init(&l->desk[i], l->event, shown)) return false;
    for (int k = 0; k < shown; k++) l->desk[i].shown[k] = modbus->parameter[k].value;
    p->desk = &l->desk[i];
  }
  return true;
}

struct param_server *param_server_open(const struct param_server_config *config, char *error, size_t size)
{
  const struct settings *s = config->settings;
  struct param_server *l = calloc(1, sizeof *l);
  snprintf(error, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  if (!l) return NULL;
  /* The list of parameters, the desks, then the folder. */
  l->config = *config;
  l->model = s->model;
  l->refusals = rate_limit_in_minute(PARAM_SERVER_REFUSALS);
  l->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  const bool good = l->event >= 0 && params_list(&l->params, s->model) &&
                    ring_init(&l->notes, sizeof(struct param_server_note), PARAM_SERVER_NOTES) &&
                    open_desks(l);
  if (!good) {
    param_server_free(l);
    return NULL;
  }
  if (!s->state.enabled)
    snprintf(l->store_error, sizeof l->store_error,
             "states are off: write a section state to the configuration");
  else if (!store_open(&l->store, s->state.folder, config->state_dir, s->instance, s->state.keep,
                       l->store_error, sizeof l->store_error))
    param_server_note(l, LOG_LEVEL_WARNING, "%s; states are not saved", l->store_error);
  return l;
}

int param_server_start(struct param_server *l)
{
  const int status = thread_start_ordinary(&l->thread, "ali3-params", STACK_KB, param_server_main, l);
  l->started = status == 0;
  return status;
}

void param_server_stop(struct param_server *l)
{
  if (!l || !l->started) return;
  atomic_store(&l->quit, true);
  const ssize_t written = write(l->event, &(uint64_t){1}, sizeof(uint64_t));
  (void)written;
  pthread_join(l->thread, NULL);
  l->started = false;
}

void param_server_end(struct param_server *l)
{
  if (!l || !l->started) return;
  param_server_stop(l);
  param_server_save_last(l);
}

void param_server_free(struct param_server *l)
{
  if (!l) return;
  param_server_drop_model(l, l->model);
  params_free(&l->params);
  ring_free(&l->notes);
  for (int i = 0; i < PARAM_SERVER_DESKS; i++) desk_free(&l->desk[i]); /* their ports are gone */
  if (l->event >= 0) close(l->event);
  free(l->resumed);
  free(l->staged);
  offer_free(atomic_load(&l->offered));
  free(l);
}
