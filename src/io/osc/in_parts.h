/* SPDX-License-Identifier: MIT
 * Shared by the files of osc_in: in.c takes and dispatches datagrams, stops.c finds stops in them, strays.c tells the log
 * what nobody takes, inputs.c sets channels, commands.c and steps.c talk to the loop, desk.c to the parameter server,
 * requests.c answers what this thread knows itself. */
#ifndef OSC_IN_PARTS_H
#define OSC_IN_PARTS_H

#include "osc/in.h"
#include "osc_messages/addresses.h"
#include "osc_messages/parse.h"
#include "wire/peers.h"

enum {
  OSC_CLIENTS =
      256, /* more than both rings of a port, a datagram and the steps under way can hold together */
  OSC_COMMANDS_MAX = 64, /* commands of one datagram; more would displace those already in the port's ring */
  OSC_SYNCS = 32,
  OSC_BUTTONS = 64,     /* buttons of all senders that are remembered */
  OSC_STEPPERS = 64,    /* senders of steps whose last request is remembered */
  OSC_REPEATS_TOLD = 3, /* repeats of a step that is made; the log then names the sender */
  OSC_LATE_MAX =
      16, /* a number up to 16 behind the last one is late; farther behind: the sender has restarted */
};
_Static_assert((int)OSC_CLIENTS <= (int)CLIENTS_NAMED, "each client number has a name");

enum verdict {
  ACCEPTED,
  UNKNOWN,
  WRONG_TYPES,
  NONFINITE,
  REPEATED,
  LATE,
  BAD_CHECKSUM,
  REFUSED, /* the input has another owner */
  DENIED,  /* the sender has read access only */
};

/* A message on its way to a handler. */
struct request {
  const char *address, *tail; /* complete address; part below the prefix */
  const struct osc_arguments *a;
  struct osc_sender from;
  enum access access;
};

struct osc_owner { /* the first sender that sets the input, until it falls silent */
  struct inet_address at;
  uint64_t t_ns;    /* time of its last value; 0: no owner */
  uint64_t told_ns; /* time of the last message to a refused sender; 0: never */
  int32_t beat;     /* count of its last heartbeat */
};

/* The condition of an input that receivers of the stream status know. */
struct osc_reported {
  uint32_t state, limits;
  struct input_owner owner;
  uint64_t t_ns; /* 0: they know none */
};

/* A button of a control surface. */
struct osc_button {
  struct inet_address at; /* sender */
  unsigned code;          /* enum command_code */
  bool down;              /* its last value was that of a press */
  uint64_t t_ns;          /* time of that value; 0: unused */
};

/* The last step of a sender that has a request number. */
struct osc_stepper {
  struct inet_address at; /* sender */
  int32_t request;
  uint64_t set_ns;  /* time of its datagram, whose inputs act with the step */
  bool awaited;     /* the loop owes the answer, which follows */
  uint32_t result;  /* enum command_result */
  uint64_t cycle;   /* of its frame */
  uint32_t repeats; /* answers after the first */
  uint64_t used_ns; /* time of the last request; 0: unused */
};

struct osc_in {
  const struct osc_config *config;
  const struct signals *signals;
  const struct osc_space *space;
  struct port *port;
  struct counters *counters;
  struct osc_out *out;

  /* inputs */
  struct input_sample *sample;   /* (channels) last value of each channel ever received */
  int *input_of;                 /* (channels) index of the input */
  struct osc_owner *owner;       /* (inputs) */
  struct osc_reported *reported; /* (inputs) */
  bool changed;                  /* `sample` is newer than what the loop has */
  bool beat;                     /* `changed` includes a frame, which may pace the loop */
  bool framed;                   /* a frame was received; its number and its sender follow */
  int32_t sequence;
  struct inet_address framed_by;

  /* senders of commands, by client number */
  uint32_t next_client; /* advances cyclically */
  uint64_t serial;      /* number of the next command */
  struct {
    struct osc_sender from;
    uint64_t serial;
    bool awaited; /* the sender awaits an answer */
  } client[OSC_CLIENTS];
  struct {
    struct osc_sender from;
    int32_t id;
    uint64_t serial; /* the sync waits for all commands of its sender before this one */
  } sync[OSC_SYNCS]; /* (syncs) unanswered syncs, oldest first */
  int syncs;

  struct osc_button button[OSC_BUTTONS];
  struct osc_stepper stepper[OSC_STEPPERS];

  char estop[OSC_PREFIX_MAX +
             sizeof "/cmd/estop"]; /* complete addresses of the e-stop, of `pause` and of `step` */
  char pause[OSC_PREFIX_MAX + sizeof "/cmd/pause"];
  char step[OSC_PREFIX_MAX + sizeof "/step"];
  uint64_t estop_ns; /* arrival of the last e-stop; 0: none */

  /* Things that happen once per datagram. */
  struct once {
    bool estop;              /* osc_in_estop() has passed on an e-stop of this datagram */
    bool refused;            /* an input of this datagram has another owner */
    bool ping, status, sync; /* requested; only the last ping and the last sync get an answer */
    int32_t ping_id;
    int64_t ping_t;
    size_t ping_bytes, status_bytes; /* size of the request */
  } once;
  int commands;
  struct command command[OSC_COMMANDS_MAX];
  struct osc_datagram datagram;
  struct osc_arguments arguments;
};

/* Handlers: one for each received address of the list, and one for addresses with signals. */
#define OSC_HANDLER(address, types, flags, unit, text, handler)                                              \
  enum verdict handler(struct osc_in *in, const struct request *r);
OSC_ADDRESS_LIST(OSC_HANDLER, OSC_NO_ROW)
#undef OSC_HANDLER
enum verdict osc_on_node(struct osc_in *in, const struct request *r, const struct osc_node *node);

/* The sender is alive: the watchdogs of the inputs that it owns begin anew. An unchanged count is no sign of life. */
void osc_owner_beats(struct osc_in *in, const struct osc_sender *who, int32_t count);

/* True if the loop does not take an input that this sender set at the time t_ns: another protocol owns it. */
bool osc_lost_input(const struct osc_in *in, const struct inet_address *who, uint64_t t_ns);

/* The request number of a command: its first argument if this is an integer, else 0. */
int32_t osc_request_id(const struct osc_arguments *a);
/* False for the release of a button. False also for a pressed button that sends its value again, except a stop. */
bool osc_is_press(struct osc_in *in, const struct osc_sender *from, unsigned code,
                  const struct osc_arguments *a);
/* Passes an e-stop to the loop ahead of everything that waits. */
void osc_raise_estop(struct osc_in *in, const struct osc_sender *from, int32_t id);
/* The name of the stop in a malformed datagram, NULL without one. A pause is sent on; osc_in_estop() has sent an e-stop. */
const char *osc_stop_of_malformed(struct osc_in *in, const uint8_t *bytes, size_t n, const struct request *r);
enum verdict osc_send_command(struct osc_in *in, const struct request *r, unsigned code, uint32_t argument,
                              int32_t id);

/* The datagram repeats the last step of its sender, or an older one: nothing in it acts, except stops. */
bool osc_steps_again(struct osc_in *in, const struct osc_datagram *d, const struct osc_sender *from);
/* The step is the last one of its sender, or an older one: answers it again. Returns false if it is new. */
bool osc_was_stepped(struct osc_in *in, const struct request *r, int32_t request, enum verdict *verdict);
/* The loop gets this step of the sender. */
void osc_remember_step(struct osc_in *in, const struct osc_sender *from, int32_t request);
/* The answer of the loop to a step: `stepped` if the steps are made, then the ack. A step that was made without an input of its
 * datagram, because another protocol took that input in this cycle, counts as not allowed. */
void osc_answer_step(struct osc_in *in, const struct osc_sender *to, const struct answer *a);
/* The sender's numbers begin anew; it has sent a command that puts the model to its start. */
void osc_forget_steps(struct osc_in *in, const struct osc_sender *from);

/* Entries for the log: a message that nobody takes, one whose arguments are wrong, a malformed datagram and the stop in it
 * (NULL: none). */
void osc_tell_stray(struct osc_in *in, enum stray_kind kind, const struct osc_raw *m, const char *expected,
                    const struct inet_address *from);
void osc_tell_types(struct osc_in *in, const struct request *r, const char *expected);
void osc_tell_name(struct osc_in *in, const struct request *r, const char *name);
void osc_tell_malformed(struct osc_in *in, const uint8_t *bytes, size_t n, const char *stop,
                        const struct inet_address *from);

/* Answers each kind of request that gets one answer per datagram. */
void osc_answer_once(struct osc_in *in, const struct osc_sender *to);

/* A client number for a sender that awaits an answer. */
uint32_t osc_take_client(struct osc_in *in, const struct osc_sender *from);
/* Sends the commands of the datagram. The inputs have gone before. */
void osc_send_commands(struct osc_in *in);
/* Answers each sync whose earlier commands are all answered. */
void osc_answer_syncs(struct osc_in *in);

#endif
