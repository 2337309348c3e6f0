/* SPDX-License-Identifier: MIT
 * Inside of keeper: keeper.c has the thread and its life, notes.c what the supervisor logs, replies.c the answers, states.c
 * the files, drafts.c sets of parameters, showing.c values, handing.c what goes to the loop and comes back, rereading.c the
 * parameters of a reload, orders.c orders to the recorder. */
#ifndef KEEPER_KEEPER_PARTS_H
#define KEEPER_KEEPER_PARTS_H

#include "config/params.h"
#include "cueing/params.h"
#include "keeper/keeper.h"
#include "keeper/store.h"
#include "signals/desk.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
  KEEPER_DRAFTS = 8,   /* clients that have begun a set */
  KEEPER_CHANGES = 64, /* changes of one set */
  KEEPER_RAMPS = 8,    /* parameters that move at a time */
  KEEPER_LISTED = 64,  /* entries of one list */
  KEEPER_NOTES = 256,
};

/* A change of a parameter of the model, or of the motion platform. */
struct keeper_change {
  bool platform;
  int numbers;                   /* that the name takes: 1, 3 or PARAM_NUMBERS */
  const struct param_part *part; /* value[0] is this part of a parameter of the model; NULL: the whole */
  struct param_change of;        /* platform: index of the first number in params_table */
};

/* A set that a client has begun. */
struct draft {
  char who[CLIENT_NAME]; /* "": free */
  uint64_t since_ns;
  bool spoilt; /* a change was refused, and the client cannot know: the commit is refused, too */
  int changes;
  struct keeper_change change[KEEPER_CHANGES];
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

struct keeper {
  struct keeper_config config;
  struct store store;
  char store_error[400]; /* why there is no store; "" */
  struct params params;
  const ali3_model *model; /* the one that the loop uses */
  uint32_t version;
  struct draft draft[KEEPER_DRAFTS];
  struct ramp ramp[KEEPER_RAMPS];
  uint64_t saved_ns; /* last automatic save */
  void *resumed;     /* state that the loop takes at the start */
  void *staged;      /* state of the last load */
  uint32_t next_id;
  struct desk desk[KEEPER_DESKS];
  struct ring notes;
  uint64_t refused_ns; /* start of the minute of the refusals below */
  int refused;         /* requests that were refused in it */
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
void keeper_note(struct keeper *l, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* replies.c */
/* A reply to a request, which gets the request's code, number and client. Waits a little for room. */
void keeper_reply(struct keeper *l, const struct asked *a, struct desk_reply *o);
/* A client of Modbus gets no answer to each change of a set. */
bool keeper_asks_blindly(const struct keeper *l, const struct asked *a);
void keeper_done(struct keeper *l, const struct asked *a, enum command_result result, const char *text);
/* keeper_done() for a request that is a command of Modbus: the registers show the result of the last command that the loop has
 * answered. */
void keeper_finish(struct keeper *l, const struct asked *a, enum command_result result, const char *text);

/* handing.c. Each waits until the loop has answered. */
/* A command through the own port: its result. */
enum command_result keeper_command(struct keeper *l, const struct command *c);
/* The state of the model in use, to be freed; NULL with the reason in error. platform NULL: not needed. */
void *keeper_copy_state(struct keeper *l, size_t *size, struct platform_params *platform, char *error,
                        size_t error_size);
/* Changes that act together. */
struct keeper_set {
  const struct param_change *model; /* (models) */
  int models;
  const struct platform_change *platform; /* (platforms) */
  int platforms;
};
/* Builds a model with the changes of a set, and hands all of them to the loop, which takes all in one cycle, or none. Not
 * RESULT_OK: the reason is in error. */
enum command_result keeper_install(struct keeper *l, const struct keeper_set *set, char *error, size_t size);
/* Frees a model, unless it belongs to the settings. */
void keeper_drop_model(struct keeper *l, const ali3_model *m);

/* states.c */
void keeper_save_state(struct keeper *l, const struct asked *a);
void keeper_load_state(struct keeper *l, const struct asked *a);
void keeper_list_states(struct keeper *l, const struct asked *a);
void keeper_save_auto(struct keeper *l);
void keeper_save_last(struct keeper *l);

/* drafts.c: sets of changes, and ramps. keeper_step_ramps: returns true while a parameter moves. */
void keeper_set_param(struct keeper *l, const struct asked *a, uint64_t now_ns);
void keeper_begin_draft(struct keeper *l, const struct asked *a, uint64_t now_ns);
void keeper_commit_draft(struct keeper *l, const struct asked *a);
void keeper_abort_draft(struct keeper *l, const struct asked *a);
void keeper_forget_drafts(struct keeper *l, uint64_t now_ns);
bool keeper_step_ramps(struct keeper *l, uint64_t now_ns);

/* rereading.c: parameters of a model whose file was read again, if there is one. */
void keeper_take_offer(struct keeper *l);

/* Finds the parameter of a request without a time, and takes its numbers; read: also checks them. Returns false, read with the
 * reason in error. */
bool keeper_find_change(const struct keeper *l, const struct desk_request *r, struct keeper_change *c);
/* Why no parameter has this name, and what to do. */
void keeper_explain_name(const struct keeper *l, const char *name, char *error, size_t size);
bool keeper_read_change(const struct keeper *l, const struct desk_request *r, struct keeper_change *c,
                        char *error, size_t size);
/* Changes of the model and of the platform act in one cycle, or none of them acts. */
enum command_result keeper_commit_changes(struct keeper *l, const struct keeper_change *change, int changes,
                                          char *error, size_t size);

/* loading.c: a saved set of parameters. */
void keeper_load_params(struct keeper *l, const struct asked *a);

/* orders.c: orders of clients to the recorder, through the events of the frame ring. */
void keeper_order_recorder(struct keeper *l, const struct asked *a);

/* showing.c: values of parameters for clients and files. */
/* The present parameters of the platform, as the loop has them. False: there is no platform. */
bool keeper_read_platform(struct keeper *l, double value[PARAMS]);
void keeper_get_param(struct keeper *l, const struct asked *a);
void keeper_list_params(struct keeper *l, const struct asked *a);
void keeper_save_params(struct keeper *l, const struct asked *a);

#endif
