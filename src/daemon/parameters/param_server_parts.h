/* SPDX-License-Identifier: MIT
 * Inside of the parameter server: param_server.c has the thread and its life, notes.c lines for the supervisor, replies.c
 * answers, state_requests.c states, transactions.c sets of parameters, queries.c values, install.c models for the loop,
 * rereading.c parameters of a reload, loading.c saved sets, and recorder_requests.c requests to the recorder. */
#ifndef PARAMETERS_PARAM_SERVER_PARTS_H
#define PARAMETERS_PARAM_SERVER_PARTS_H

#include "checkpoints/store.h"
#include "config/params.h"
#include "cueing/params.h"
#include "log/rate_limit.h"
#include "parameters/param_server.h"
#include "signals/desk.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
  PARAM_SERVER_TRANSACTIONS = 8, /* clients that have begun a set */
  PARAM_SERVER_CHANGES = 64,     /* changes of one set */
  PARAM_SERVER_RAMPS = 8,        /* parameters that move at a time */
  PARAM_SERVER_LISTED = 64,      /* entries of one list */
  PARAM_SERVER_NOTES = 256,
  PARAM_SERVER_REFUSALS = 5, /* lines in a minute */
};

/* A change of a parameter of the model, or of the motion platform. */
struct param_server_change {
  bool platform;
  int numbers;                   /* that the name takes: 1, 3 or PARAM_NUMBERS */
  const struct param_part *part; /* value[0] is this part of a parameter of the model; NULL: the whole */
  struct param_change of;        /* platform: index of the first number in params_table */
};

/* A set that a client has begun. */
struct transaction {
  char who[CLIENT_NAME]; /* "": free */
  uint64_t since_ns;
  bool spoilt; /* a change was refused, and the client cannot know: the commit is refused, too */
  int changes;
  struct param_server_change change[PARAM_SERVER_CHANGES];
};

struct ramp {
  bool active;
  int param;
  double from[PARAM_NUMBERS], to[PARAM_NUMBERS];
  uint64_t begin_ns, end_ns;
};

struct offer {
  const char *file;
  bool tell_none;
  struct param_values values;
};

struct param_server {
  struct param_server_config config;
  struct store store;
  char store_error[400]; /* why there is no store; "" */
  struct params params;
  const ali3_model *model; /* the one that the loop uses */
  uint32_t version;
  struct transaction transaction[PARAM_SERVER_TRANSACTIONS];
  struct ramp ramp[PARAM_SERVER_RAMPS];
  uint64_t saved_ns; /* last automatic save */
  void *resumed;     /* state that the loop takes at the start */
  void *staged;      /* state of the last load */
  uint32_t next_id;
  struct desk desk[PARAM_SERVER_DESKS];
  struct ring notes;
  struct rate_limit refusals; /* lines about refused requests */
  pthread_t thread;
  bool started;
  atomic_bool quit;
  int event;
  _Atomic(struct offer *) offered;
};

/* A request, and where its replies go. */
struct asked {
  int desk;
  const struct desk_request *request;
};

/* notes.c */
void param_server_note(struct param_server *l, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void param_server_add_note(struct param_server *l, const struct param_server_note *note);
/* For records of which none may be lost: a set may have more numbers than the ring has room for. While the ring is full it wakes
 * the reader's port (NULL: the supervisor reads) and waits, at most 2 s, and not at the end of the run. */
void param_server_push(struct param_server *l, struct ring *r, const void *record, struct port *reader);

/* replies.c */
/* A reply to a request, which gets the request's code, number and client. */
void param_server_reply(struct param_server *l, const struct asked *a, struct desk_reply *o);
/* A client of Modbus gets no answer to each change of a set. */
bool param_server_expects_no_reply(const struct param_server *l, const struct asked *a);
void param_server_done(struct param_server *l, const struct asked *a, enum command_result result,
                       const char *text);
/* param_server_done() for a request that is a command of Modbus: the registers show the result of the last command that the loop
 * has answered. */
void param_server_finish(struct param_server *l, const struct asked *a, enum command_result result,
                         const char *text);

/* install.c. Each waits until the loop has answered. */
/* A command through the own port: its result. */
enum command_result param_server_command(struct param_server *l, const struct command *c);
/* The state of the model in use, to be freed; NULL with the reason in error. platform NULL: not needed. */
void *param_server_copy_state(struct param_server *l, size_t *size, struct platform_params *platform,
                              char *error, size_t error_size);
/* Changes that act together. */
struct param_server_set {
  const struct param_change *model; /* (models) */
  int models;
  const struct platform_change *platform; /* (platforms) */
  int platforms;
};
/* Builds a model with the changes of a set, and hands all of them to the loop, which takes all in one cycle, or none. Not
 * RESULT_OK: the reason is in error. */
enum command_result param_server_install(struct param_server *l, const struct param_server_set *set,
                                         char *error, size_t size);
/* Frees a model, unless it belongs to the settings. */
void param_server_drop_model(struct param_server *l, const ali3_model *m);

/* state_requests.c */
void param_server_save_state(struct param_server *l, const struct asked *a);
void param_server_load_state(struct param_server *l, const struct asked *a);
void param_server_list_states(struct param_server *l, const struct asked *a);
void param_server_save_auto(struct param_server *l);
void param_server_save_last(struct param_server *l);

/* transactions.c: sets of changes, and ramps. param_server_step_ramps: returns true while a parameter moves. */
void param_server_set_param(struct param_server *l, const struct asked *a, uint64_t now_ns);
void param_server_begin_transaction(struct param_server *l, const struct asked *a, uint64_t now_ns);
void param_server_commit_transaction(struct param_server *l, const struct asked *a);
void param_server_abort_transaction(struct param_server *l, const struct asked *a);
void param_server_forget_transactions(struct param_server *l, uint64_t now_ns);
bool param_server_step_ramps(struct param_server *l, uint64_t now_ns);

/* rereading.c: parameters of a model whose file was read again, if there is one. */
void param_server_take_offer(struct param_server *l);

/* Finds the parameter of a request without a time, and takes its numbers; read: also checks them. Returns false, read with the
 * reason in error. */
bool param_server_find_change(const struct param_server *l, const struct desk_request *r,
                              struct param_server_change *c);
/* Why no parameter has this name, and what to do. */
void param_server_explain_name(const struct param_server *l, const char *name, char *error, size_t size);
bool param_server_read_change(const struct param_server *l, const struct desk_request *r,
                              struct param_server_change *c, char *error, size_t size);
/* Changes of the model and of the platform act in one cycle, or none of them acts. */
enum command_result param_server_commit_changes(struct param_server *l,
                                                const struct param_server_change *change, int changes,
                                                char *error, size_t size);

/* loading.c: a saved set of parameters. */
void param_server_load_params(struct param_server *l, const struct asked *a);

/* recorder_requests.c: requests of clients to the recorder, through the events of the frame ring. */
void param_server_order_recorder(struct param_server *l, const struct asked *a);

/* queries.c: values of parameters for clients and files. */
/* The present parameters of the platform, as the loop has them. False: there is no platform. */
bool param_server_read_platform(struct param_server *l, double value[PARAMS]);
void param_server_get_param(struct param_server *l, const struct asked *a);
void param_server_list_params(struct param_server *l, const struct asked *a);
void param_server_save_params(struct param_server *l, const struct asked *a);

#endif
