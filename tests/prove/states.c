/* SPDX-License-Identifier: MIT
 * usage: prove_states [--quick]
 *
 * Searches all states that the daemon can reach, breadth first, with its real code (world.h), and checks each transition against
 * a promise: after a latched stop, or an end without an order, only one way leads to motion,
 *
 *     LATCHED -- accepted reset --> RESET -- an arm received 0.5 s or more after a frame first showed STOPPED, and 0.5 s or more
 *                                            after the last refused arm or run --> FREE -- run --> motion
 *
 * with two ports, repeated, bundled and delayed commands, stale inputs, stimuli, misses, divergence, a stuck loop, crashes and
 * restarts.
 * It also checks that every e-stop leads to SAFE. This file does not use the implementation of the promise. It also puts
 * faults into the daemon, which the search has to find. One kind of daemon is searched on each processor at a time. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HALF_A_SECOND (5 * TENTH)

enum bond { FREE, LATCHED, RESET };
struct promise {
  enum bond phase;
  bool shown;           /* RESET: a frame has shown STOPPED since the last reset */
  uint64_t shown_ns;    /* when */
  uint64_t refused_ns;  /* the last refused arm or run */
  uint64_t reset_cycle; /* cycle of the last reset; frames of this cycle or later count */
};

struct key {
  struct world_key world;
  uint32_t phase, shown_for, refused_for;
  bool shown;
};

struct state {
  struct state *next;
  struct promise promise;
  char world[];
};

struct search {
  struct state *first, **last;
  struct key *table; /* open addressing */
  bool *taken;
  size_t room, states, transitions, released; /* released: ways from a latched stop to motion */
  size_t driven;                              /* states in which a stimulus owns the input */
  const char *broken;                         /* the broken promise; NULL: none yet */
};

static uint64_t hash_of(const struct key *k)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof *k; i++) h = (h ^ ((const unsigned char *)k)[i]) * UINT64_C(1099511628211);
  return h ^ h >> 32;
}

/* False if the state is known. */
static bool insert(struct search *s, const struct key *k)
{
  size_t at = hash_of(k) % s->room;
  for (; s->taken[at]; at = (at + 1) % s->room)
    if (memcmp(&s->table[at], k, sizeof *k) == 0) return false;
  s->table[at] = *k;
  s->taken[at] = true;
  if (++s->states > s->room / 2) s->broken = "more states than there is room for";
  return true;
}

static uint32_t tenths(uint64_t since_ns)
{
  const uint64_t n = (world_now() - since_ns) / TENTH;
  return n < 10 ? (uint32_t)n : 10;
}

/* Queues the present state of the world if it is new. */
static void keep_state(struct search *s, const struct promise *p)
{
  struct key k;
  memset(&k, 0, sizeof k);
  world_key(&k.world);
  k.phase = p->phase;
  if (p->phase == RESET) {
    k.shown = p->shown;
    k.shown_for = p->shown ? tenths(p->shown_ns) : 0;
  }
  if (p->phase != FREE) k.refused_for = tenths(p->refused_ns);
  if (!insert(s, &k)) return;
  s->driven += k.world.input_owner == 1 + 1; /* port 1 */
  struct state *state = malloc(sizeof *state + world_size());
  if (!state) abort();
  state->next = NULL;
  state->promise = *p;
  world_save(state->world);
  *s->last = state;
  s->last = &state->next;
}

static bool is_latched(uint32_t state)
{
  return state == STATE_SAFE || state == STATE_FAULT;
}
static bool is_ready_or_moves(uint32_t state)
{
  return state == STATE_READY || state == STATE_RUNNING || state == STATE_PAUSED;
}

static const char *take_answer(struct promise *p, const struct answered *a, uint64_t cycle)
{
  const bool good = a->result == RESULT_OK;
  if (p->phase == FREE) return NULL;
  if (a->code == COMMAND_RESET && good) {
    p->phase = RESET;
    p->shown = false;
    p->reset_cycle = cycle;
  } else if (a->code == COMMAND_ARM && good) {
    if (p->phase == LATCHED) return "an arm without a reset is accepted";
    if (!p->shown || a->t_ns < p->shown_ns + HALF_A_SECOND)
      return "an arm is accepted too soon after STOPPED was shown";
    if (a->t_ns < p->refused_ns + HALF_A_SECOND)
      return "an arm is accepted too soon after one that was refused";
    p->phase = FREE;
  } else if (a->code == COMMAND_RUN && good) {
    return "a run without an arm is accepted";
  } else if ((a->code == COMMAND_ARM || a->code == COMMAND_RUN) && a->t_ns > p->refused_ns) {
    p->refused_ns = a->t_ns;
  }
  return NULL;
}

/* Advances the promise. Returns the broken rule, or NULL. */
static const char *judge(struct promise *p, const struct act *act, const struct seen *seen)
{
  bool estop = act->what == FLAG;
  for (int i = 0; i < TUPLE; i++) estop |= act->order[i].code == COMMAND_ESTOP;
  if (estop && (seen->state != STATE_SAFE || seen->fault != FAULT_ESTOP))
    return "an e-stop does not lead to SAFE";
  if (estop) p->phase = LATCHED;
  for (int i = 0; i < seen->answers; i++) {
    const char *wrong = take_answer(p, &seen->answer[i], seen->cycle);
    if (wrong) return wrong;
  }
  if (is_latched(seen->state)) p->phase = LATCHED;
  if (is_latched(seen->state) && seen->fault == FAULT_NONE) return "a stop is latched without a fault";
  if (p->phase == LATCHED && !is_latched(seen->state) && seen->state != STATE_INIT)
    return "a latched stop is left without a reset";
  if (p->phase != FREE && is_ready_or_moves(seen->state)) return "READY or motion without an arm";
  if (p->phase != FREE && seen->moved && !is_latched(seen->state)) return "the model moves without an arm";
  if (p->phase == RESET && !p->shown && seen->frame_state == STATE_STOPPED &&
      seen->frame_cycle >= p->reset_cycle) {
    p->shown = true;
    p->shown_ns = seen->frame_ns;
  }
  return NULL;
}

static void say_act(const struct act *a)
{
  static const char *const what[] = {"", " input", " miss", " divergence", " stuck", " e-stop flag"};
  fprintf(stderr, "  after %.1f s:", (double)a->dt_ns / 1e9);
  for (int i = 0; i < TUPLE; i++)
    if (a->order[i].code)
      fprintf(stderr, " %s by port %d (%.1f s old)", command_name(a->order[i].code), a->order[i].port,
              (double)a->order[i].age_ns / 1e9);
  fprintf(stderr, "%s\n", what[a->what]);
}

static void try_act(struct search *s, const struct state *from, const struct act *act)
{
  struct seen seen;
  struct promise p = from->promise;
  if (s->broken) return;
  world_load(from->world);
  struct world_key before;
  world_key(&before);
  world_cycle(act, &seen);
  s->transitions++;
  const bool bound = p.phase != FREE;
  s->broken = judge(&p, act, &seen);
  s->released += bound && p.phase == FREE;
  if (s->broken && s->broken[0]) {
    fprintf(stderr, "  in %s, phase %d:\n", run_state_name(before.state), (int)from->promise.phase);
    say_act(act);
    fprintf(stderr, "  to %s\n", run_state_name(seen.state));
    return;
  }
  keep_state(s, &p);
}

/* State of the promise after a restart: motion needs at least an arm. */
static void try_restart(struct search *s, const struct state *from, const struct ending *e)
{
  struct promise p = from->promise;
  if (s->broken) return;
  world_load(from->world);
  const struct last_run kept = world_restart(e);
  s->transitions++;
  const bool knows = e->on_purpose || e->block || (e->file == COPY_READ && !e->lags);
  if (p.phase == LATCHED && knows && kept.fault == FAULT_NONE) s->broken = "a restart forgets a latched stop";
  if (p.phase == LATCHED && !knows && kept.fault == FAULT_NONE) p.phase = RESET;
  if (p.phase == FREE && !e->on_purpose) p.phase = RESET;
  if (p.phase == FREE && kept.fault != FAULT_NONE) p.phase = LATCHED;
  if (p.phase != FREE && !kept.disarmed) s->broken = "a restart forgets that motion needs an arm";
  if (s->broken)
    fprintf(stderr, "  %s, block %s, file %d%s\n", e->on_purpose ? "ended" : "killed",
            e->block ? "found" : "lost", (int)e->file, e->lags ? " of the cycle before" : "");
  p.shown = false;
  p.reset_cycle = 0;
  p.refused_ns = 0;
  if (!s->broken) keep_state(s, &p);
}

static const uint64_t STEPS[] = {TENTH, 5 * TENTH};
enum { STEPS_COUNT = 2 };

static void try_singles(struct search *s, const struct state *from, struct act act)
{
  static const uint64_t ages[] = {0, 3 * TENTH, 6 * TENTH};
  for (enum happening what = NOTHING; what <= FLAG; what++) {
    act.what = what;
    try_act(s, from, &act);
  }
  for (uint32_t code = COMMAND_INIT; code <= COMMAND_STIMULUS; code++)
    for (int port = 0; port < PORTS; port++)
      for (size_t a = 0; a < sizeof ages / sizeof *ages; a++)
        for (enum happening what = NOTHING; what <= INPUT; what++) {
          act.order[0] = (struct order){code, port, ages[a], false};
          act.what = what;
          try_act(s, from, &act);
        }
  act.order[0] = (struct order){.code = COMMAND_STIMULUS, .off = true};
  act.what = NOTHING;
  try_act(s, from, &act);
}

/* Bundles of up to `most` commands, new and old, in one datagram or from two clients at once. */
static void try_tuples(struct search *s, const struct state *from, struct act act, int at, int most)
{
  static const uint32_t codes[] = {COMMAND_ARM,   COMMAND_RUN,  COMMAND_RESET,
                                   COMMAND_ESTOP, COMMAND_INIT, COMMAND_STIMULUS};
  for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
    for (int port = at ? act.order[at - 1].port : 0; port < PORTS; port++) {
      act.order[at] = (struct order){codes[c], port, act.order[0].age_ns, false};
      if (at > 0) try_act(s, from, &act);
      if (at + 1 < most) try_tuples(s, from, act, at + 1, most);
    }
}

static void try_restarts(struct search *s, const struct state *from)
{
  try_restart(s, from, &(struct ending){.on_purpose = true, .file = COPY_READ});
  for (int block = 0; block < 2; block++)
    for (int lags = 0; lags < 2; lags++)
      try_restart(s, from, &(struct ending){.block = block, .file = COPY_READ, .lags = lags});
  try_restart(s, from, &(struct ending){.block = true, .file = COPY_MISSING});
  try_restart(s, from, &(struct ending){.block = true, .file = COPY_BROKEN});
  try_restart(s, from, &(struct ending){.file = COPY_BROKEN});
}

static void expand(struct search *s, const struct state *from, int most)
{
  for (int i = 0; i < STEPS_COUNT; i++) {
    struct act act = {.dt_ns = STEPS[i]};
    try_singles(s, from, act);
    try_tuples(s, from, act, 0, most);
    act.order[0].age_ns = 6 * TENTH;
    try_tuples(s, from, act, 0, most < 2 ? most : 2);
  }
  try_restarts(s, from);
}

/* Returns the broken rule, or NULL. */
static const char *search(const struct world_kind *kind, enum mutation mutation, int most, const char *name)
{
  struct search s = {.room = 1 << 19};
  s.last = &s.first;
  s.table = calloc(s.room, sizeof *s.table);
  s.taken = calloc(s.room, sizeof *s.taken);
  if (!s.table || !s.taken) abort();
  world_open(kind, mutation);
  keep_state(&s, &(struct promise){FREE, false, 0, 0, 0});
  while (s.first) {
    struct state *from = s.first;
    if (!s.broken) expand(&s, from, most);
    s.first = from->next;
    if (!s.first) s.last = &s.first;
    free(from);
  }
  world_close();
  free(s.table);
  free(s.taken);
  if (!s.broken && s.released == 0) s.broken = "no way leads from a latched stop to motion";
  if (!s.broken && kind->stimuli && s.driven == 0) s.broken = "no stimulus ever drove the input";
  printf("%-44s %8zu states %10zu transitions%s%s\n", name, s.states, s.transitions, s.broken ? ": " : "",
         s.broken ? s.broken : "");
  fflush(stdout);
  return s.broken;
}

static const struct job {
  struct world_kind kind;
  enum mutation mutation;
  const char *name;
} jobs[] = {
    {{.autostart = true}, SOUND, "autostart"},
    {{.autostart = true}, NO_DELAY, "broken on purpose: no delay"},
    {{.autostart = true}, NO_MEMORY, "broken on purpose: nothing kept"},
    {{.autostart = true}, DEAF, "broken on purpose: e-stops of a port are lost"},
    {{.autostart = true}, FORGETS_RESET, "broken on purpose: an input resets"},
    {{.autostart = true, .required = true, .stimuli = true}, SOUND, "autostart, an input that stimuli drive"},
    {{.autostart = true, .required = true}, SOUND, "autostart, an input that is required"},
    {{.publish_next = true}, SOUND, "publish: next_cycle"},
    {{.autostart = true, .lockstep = true}, SOUND, "lockstep"},
};
enum { JOBS = sizeof jobs / sizeof *jobs, QUICK_JOBS = MUTATIONS };

/* Does the job in a process of its own, which has its own world. Exit status 0: as expected. */
static void begin(const struct job *job, bool quick)
{
  fflush(NULL);
  const pid_t child = fork();
  box_require(child >= 0, "cannot make a process");
  if (child > 0) return;
  const bool sound = job->mutation == SOUND;
  const char *broken = search(&job->kind, job->mutation, sound && !quick ? TUPLE : 2, job->name);
  if (sound && broken) fputs("prove_states: a promise does not hold\n", stderr);
  if (!sound && !broken)
    fputs("prove_states: a daemon that is broken on purpose was not found out\n", stderr);
  exit(sound == !broken ? 0 : 1);
}

int main(int argc, char **argv)
{
  const bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    fputs("usage: prove_states [--quick]\n", stderr);
    return 2;
  }
  const int at_once = (int)sysconf(_SC_NPROCESSORS_ONLN), all = quick ? QUICK_JOBS : JOBS;
  bool good = true;
  for (int begun = 0, ended = 0; ended < all;) {
    if (begun < all && begun - ended < at_once) {
      begin(&jobs[begun++], quick);
      continue;
    }
    int status;
    box_require(wait(&status) > 0, "a process is missing");
    good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ended++;
  }
  return good ? 0 : 1;
}
