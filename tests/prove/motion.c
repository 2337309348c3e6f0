/* SPDX-License-Identifier: MIT
 * usage: prove_motion FILE [--quick | --poses]
 *
 * Searches the states of a rig that rides or is jogged, breadth first, with the real loop, inputs, rig, platform and jog. A cycle
 * lasts 0.1 s, and in each one the rig sends a word or is silent while something happens: a command, new or late; a press, a
 * release or an old press of one of two hands; a suspension of the machine; an injection; a command that raises a limit. The
 * promises are those of ali3d(8):
 *
 *   driven      only with a word that has both permissives and that the rig sent within `hold`
 *   words       in use are words that the rig sent
 *   jog         begins with a press of a hand while the other one is up, and lasts while this hand presses
 *   stop        only a reset that came after a frame showed the stop leads on, and then only an arm
 *   suspension  leads to SAFE
 *   limits      none is above that of the file
 *
 * States that differ in the pose alone count as one: no promise depends on it, and the states of the platform, among them parked,
 * count. With --poses a state has its heave, too, in steps of 20 mm, and its direction. Finally the search has to find seven faults that are put into the daemon. */
#include "box.h"

#include "base/arena.h"
#include "config/setup.h"
#include "loop/cycle_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 2, HANDS = 2, WARM_UP = 2, PATIENCE = 60, TIMEOUT = 3, WORD_CYCLES = 3 };
enum { WAITING = 40000 }; /* states, some tens of kB each */
enum { PORT_SAVED = offsetof(struct port, clients) };
#define PERIOD TENTH

/* Faults in the daemon that the search has to find. */
enum fault { SOUND, BLENDED, RAISED, SHARED_HAND, NUMBERLESS, SLEEPLESS, MADE_UP, UNSEEN, FAULTS };
enum event { NOTHING, WAIT, COMMAND, PRESS, RELEASE, LATE, SUSPEND, INJECT, CLEAR_INJECTION, RAISE };
struct act {
  int word; /* status word that the rig sends; -1: it is silent */
  enum event event;
  uint32_t code;
  uint64_t age_ns; /* age at which a command arrives */
  int hand;
};

enum bond { FREE, LATCHED, RESET };
struct hand {
  bool down;
  uint32_t since; /* cycles since its last press that was no old one; 9: longer */
};
/* The knowledge of the search beside that of the daemon. */
struct promise {
  enum bond phase;
  bool shown;     /* a frame has shown the stop */
  uint32_t fault; /* of that stop */
  uint64_t shown_ns;
  uint32_t words; /* bit i: i cycles ago the rig sent a word with both permissives */
  bool injects;   /* the injection is switched on */
  uint32_t sent;  /* bit i: the rig has sent the word i */
  struct hand hand[HANDS];
  int mover;      /* hand whose press began the jog that acts; -1: none acts */
  uint32_t ended; /* cycles since a jog acted; 9: longer */
};

static struct settings *settings;
static struct telemetry telemetry;
static struct port port[PORTS];
static struct port *const ports[PORTS] = {&port[0], &port[1]};
static struct value_run *run_of[PORTS];
static enum fault fault;
static struct world {
  struct box box;
  struct cycle cycle;
  uint32_t number[HANDS], pressed[HANDS]; /* numbers of the hands: the last one, that of the last press */
  struct promise promise;
  char port[PORTS][PORT_SAVED];
} w;

/* --- the daemon in a box --- */

static void open_world(const char *file, enum fault f)
{
  memset(&w, 0, sizeof w);
  memset(&box, 0, sizeof box);
  fault = f;
  w.promise.mover = -1;
  w.promise.ended = 9;
  for (int h = 0; h < HANDS; h++) w.promise.hand[h].since = 9;
  settings = setup_load(file, NULL, stderr);
  box_require(settings, "the file cannot be read");
  struct settings *s = settings;
  box.now_ns = 1000 * TENTH;
  if (f == MADE_UP) {
    s->injection[0].kind = INJECT_BIAS;
    s->injection[0].value = 3;
  }
  box_open();
  box_clear_scratch();
  for (int p = 0; p < PORTS; p++) {
    box_require(
        port_init(&port[p], "test", (uint32_t)s->signals->count, (uint32_t)s->signals->channels, false),
        "no port");
    run_of[p] = port[p].run;
    port[p].source = p ? SOURCE_PACKETS : SOURCE_OSC;
  }
  const struct cycle_config config = {.model = s->model,
                                      .signals = s->signals,
                                      .port = ports,
                                      .ports = PORTS,
                                      .telemetry = &telemetry,
                                      .period_ns = PERIOD,
                                      .injection = s->injection,
                                      .injections = s->injections,
                                      .settings = s->cycle,
                                      .platform = &s->platform,
                                      .rig = &s->rig};
  box_require(cycle_setup(&w.cycle, &config) >= 0, "the loop cannot be set up");
  cycle_freeze(&w.cycle, NULL, true);
  cycle_begin(&w.cycle, box.now_ns + 1000000 * TENTH);
  if (f == BLENDED) { /* inputs.c no longer knows that the rig sends it */
    w.cycle.inputs.spec[1].kind = INPUT_POSE;
    w.cycle.inputs.spec[1].blend = 0.5;
  }
  if (f == RAISED) w.cycle.drive.ceiling.vel_max[2] = 10.0;
}

static void close_world(void)
{
  box_close();
  for (int p = 0; p < PORTS; p++) free(run_of[p]);
  settings_free(settings);
}

static void say_word(int word)
{
  const int channel = settings->signals->input[1].first;
  struct input_sample *sample = snapshot_begin(&port[1].inputs);
  memset(sample, 0, (size_t)settings->signals->channels * sizeof *sample);
  sample[channel] = (struct input_sample){.value = word, .t_ns = box.now_ns};
  snapshot_publish(&port[1].inputs);
}

static void order(uint32_t code, uint32_t argument, double value, uint32_t number, uint64_t age_ns)
{
  const struct command c = {
      .code = code, .argument = argument, .t_ns = box.now_ns - age_ns, .value = value, .number = number};
  box_require(port_command(&port[0], &c), "no room for a command");
}

/* A command of a hand for the heave. */
static void jog(const struct act *act)
{
  const int of = fault == SHARED_HAND ? 0 : act->hand; /* as if the host alone counted */
  const bool old = act->event == LATE && fault != NUMBERLESS;
  const uint32_t number = old ? w.pressed[of] : ++w.number[of];
  if (act->event == PRESS) w.pressed[of] = number;
  order(COMMAND_JOG, 2 + COMMAND_HAND * (uint32_t)(100 + of), act->event == RELEASE ? 0.0 : 1.0, number, 0);
}

static void cycle(const struct act *act)
{
  struct machine *m = &w.cycle.machine;
  box.now_ns += PERIOD;
  if (act->word >= 0) say_word(act->word);
  if (fault == UNSEEN) {
    m->stop_shown = true;
    m->stop_ns = 0;
  }
  switch (act->event) {
  case COMMAND:
    order(act->code, 0, 0.0, 0, act->age_ns);
    break;
  case PRESS:
  case RELEASE:
  case LATE:
    jog(act);
    break;
  case SUSPEND:
    if (fault != SLEEPLESS) box.asleep_ns += 6000 * TENTH;
    break;
  case INJECT:
  case CLEAR_INJECTION:
    order(COMMAND_INJECT, injection_argument(0, act->event == INJECT), 0.0, 0, 0);
    break;
  case RAISE:
    order(COMMAND_PLATFORM, (uint32_t)(offsetof(struct platform_params, vel_max) / sizeof(double) + 2), 1.0,
          0, 0);
    break;
  default:
    break;
  }
  w.cycle.schedule.start_ns = box.now_ns + 1000000 * TENTH;
  cycle_once(&w.cycle);
}

/* --- the promises --- */

static bool is_latched(uint32_t state)
{
  return state == STATE_SAFE || state == STATE_FAULT;
}

static const char *judge_answers(struct promise *p, const struct act *act)
{
  struct answer a;
  const char *wrong = NULL;
  while (ring_pop(&port[0].answers, &a)) {
    if (a.result != RESULT_OK || p->phase == FREE) continue;
    const uint64_t t_ns = box.now_ns - act->age_ns;
    if (a.code == COMMAND_RESET && p->phase == LATCHED && !(p->shown && t_ns >= p->shown_ns))
      wrong = "a reset from before the stop was shown lifts it";
    if (a.code == COMMAND_RESET) p->phase = RESET;
    if (a.code == COMMAND_ARM && p->phase == RESET)
      p->phase = FREE;
    else if (a.code == COMMAND_ARM || a.code == COMMAND_RUN)
      wrong = "something other than an arm follows a reset";
  }
  return wrong;
}

static void judge_stop(struct promise *p)
{
  const struct machine *m = &w.cycle.machine;
  if (!is_latched(m->state)) return;
  if (p->phase != LATCHED || p->fault != m->fault) p->shown = false;
  p->phase = LATCHED;
  p->fault = m->fault;
  snapshot_take(&port[0].frames);
  const struct frame *f = snapshot_value(&port[0].frames);
  if (p->shown || f->state != m->state || f->fault != m->fault) return;
  p->shown = true;
  p->shown_ns = f->t_ns;
}

static const char *judge_jog(struct promise *p, const struct act *act)
{
  const bool acts = w.cycle.drive.jog.acts != 0.0;
  for (int h = 0; h < HANDS; h++) p->hand[h].since += p->hand[h].since < 9;
  if (act->event == PRESS) p->hand[act->hand] = (struct hand){.down = true};
  if (act->event == RELEASE) p->hand[act->hand].down = false;
  if (!acts) {
    p->ended = p->mover >= 0 ? 0 : p->ended + (p->ended < 9);
    p->mover = -1;
    return NULL;
  }
  if (p->mover < 0) {
    const struct hand *other = &p->hand[1 - act->hand];
    if (act->event != PRESS) return "a jog begins without a press";
    if (other->down && other->since <= TIMEOUT) return "a jog begins while another hand presses";
    if (p->ended < TIMEOUT) return "a jog begins right after another one";
    p->mover = act->hand;
  }
  const struct hand *mine = &p->hand[p->mover];
  return mine->down && mine->since <= TIMEOUT ? NULL : "a jog goes on although its hand has let go";
}

/* Returns the broken promise, or NULL. */
static const char *judge(const struct act *act)
{
  struct promise *p = &w.promise;
  const struct machine *m = &w.cycle.machine;
  const bool goes = m->state == STATE_READY || m->state == STATE_RUNNING;
  p->words = (p->words << 1 | (act->word >= 0 && (act->word & 3) == 3)) & ((1u << WORD_CYCLES) - 1);
  if (act->event == INJECT || act->event == CLEAR_INJECTION) p->injects = act->event == INJECT;
  if (act->word >= 0) p->sent |= 1u << act->word;
  const char *wrong = judge_answers(p, act), *wrong_jog = judge_jog(p, act);
  judge_stop(p);
  for (struct cycle_event e; outbox_next_event(&w.cycle.outbox, &e);) continue;
  for (struct miss e; outbox_next_miss(&w.cycle.outbox, &e);) continue;
  for (struct ride e; ring_pop(&w.cycle.outbox.rides, &e);) continue;
  const bool driven = w.cycle.drive.jog.acts != 0.0 || (goes && platform_drive_moves(&w.cycle.drive));
  if (wrong) return wrong;
  if (wrong_jog) return wrong_jog;
  if (driven && p->phase != FREE) return "the platform is driven without an arm";
  if (driven && p->words == 0) return "the platform is driven without permissives that the rig sent";
  const double word = w.cycle.inputs.value[settings->signals->input[1].first];
  if (!(word >= 0.0 && word < 32.0 && word == (int)word && ((p->sent | 1) >> (int)word & 1)))
    return "a word is used that the rig never sent";
  if (act->event == SUSPEND && !is_latched(m->state)) return "a suspension does not stop";
  if (w.cycle.drive.setup.spec.params.vel_max[2] > settings->platform.spec.params.vel_max[2])
    return "a command raises a limit of the file";
  return NULL;
}

/* --- the search --- */

struct key {
  struct promise promise;
  uint32_t state, fault, rearm, stop, platform, silence, quiet, met, flags;
  uint32_t value, base, age, good, heard[HANDS];
  int32_t heave; /* with --poses */
};
static bool poses;

/* The heave in steps of 20 mm, and whether it rises or falls. */
static int32_t coarse_heave(void)
{
  static const double STEP = 0.02;
  const struct platform_output *o = platform_drive_output(&w.cycle.drive);
  if (!poses || platform_drive_withheld(&w.cycle.drive)) return 0;
  const int direction = (o->velocity[2] > 0.0) - (o->velocity[2] < 0.0);
  return 4 * (int32_t)lround(o->pose[2] / STEP) + direction;
}

static uint32_t tenths(uint64_t since_ns)
{
  const uint64_t n = (box.now_ns - since_ns) / TENTH;
  return n < 6 ? (uint32_t)n : 6;
}

static uint32_t bits_of(const bool *flag, int count)
{
  uint32_t bits = 0;
  for (int i = 0; i < count; i++) bits |= (uint32_t)flag[i] << i;
  return bits;
}

static void make_key(struct key *k)
{
  const struct cycle *c = &w.cycle;
  const struct machine *m = &c->machine;
  const struct jog *j = &c->drive.jog;
  const struct input_channel *ch = &c->inputs.channel[settings->signals->input[1].first];
  memset(k, 0, sizeof *k);
  memcpy(&k->promise, &w.promise, sizeof k->promise);
  k->promise.shown_ns = w.promise.shown ? tenths(w.promise.shown_ns) : 0;
  k->state = m->state;
  k->fault = m->fault;
  k->rearm = m->disarmed ? 1 + tenths(m->rearm.since_ns) : 0;
  k->stop = m->stop_shown ? 1 + tenths(m->stop_ns) : 0;
  k->platform = platform_drive_state(&c->drive);
  k->silence = (uint32_t)j->silence;
  k->quiet = j->quiet > j->steps ? (uint32_t)(j->quiet - j->steps) : 0;
  k->met = c->rig.rig.met;
  const bool flags[] = {m->disarmed && m->rearm.shown,
                        j->on,
                        j->moves,
                        j->wanted != 0.0,
                        c->rig.rig.held,
                        c->rig.rig.rides,
                        ch->lapsed,
                        ch->dead,
                        ch->blends,
                        ch->t_ns != 0,
                        platform_drive_moves(&c->drive),
                        c->inputs.injector.count > 0 && injector_acts(&c->inputs.injector, 0)};
  k->flags = bits_of(flags, (int)(sizeof flags / sizeof *flags));
  k->value = (uint32_t)(8.0 * c->inputs.value[settings->signals->input[1].first]);
  k->base = (uint32_t)(8.0 * ch->base);
  k->age = ch->t_ns ? tenths(ch->since_ns) + 8 * tenths(ch->base_ns) + 64 * tenths(ch->blend_ns) : 0;
  k->good = ch->good > 0;
  k->heave = coarse_heave();
  for (int h = 0; h < HANDS; h++) {
    const struct jog_hand *hand = &j->hand[h];
    const uint64_t ago = j->steps - hand->heard;
    k->heard[h] = hand->known ? 1 + hand->id * 32 + hand->up * 16 + (ago < 5 ? (uint32_t)ago : 5) : 0;
  }
}

struct node {
  struct node *next;
  char world[];
};
struct search {
  struct node *first, **last;
  struct key *table;
  bool *taken;
  size_t room, states, transitions, most, rides, jogs, released;
  size_t waiting; /* states that are not expanded yet */
  bool full;      /* some were left out */
  const char *broken;
};

static uint64_t hash_of(const struct key *k)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof *k; i++) h = (h ^ ((const unsigned char *)k)[i]) * UINT64_C(1099511628211);
  return h ^ h >> 32;
}

static void keep_state(struct search *s)
{
  struct key k;
  make_key(&k);
  size_t at = hash_of(&k) % s->room;
  for (; s->taken[at]; at = (at + 1) % s->room)
    if (memcmp(&s->table[at], &k, sizeof k) == 0) return;
  if (s->states >= s->room / 2 || s->waiting == WAITING) {
    s->full = true;
    return;
  }
  s->table[at] = k;
  s->taken[at] = true;
  s->states++;
  s->waiting++;
  s->rides += k.state == STATE_RUNNING && k.platform == PLATFORM_RUN;
  s->jogs += w.promise.mover >= 0;
  struct node *n = malloc(sizeof *n + sizeof w + box.used);
  box_require(n, "out of memory");
  n->next = NULL;
  for (int p = 0; p < PORTS; p++) memcpy(w.port[p], &port[p], PORT_SAVED);
  w.box = box;
  memcpy(n->world, &w, sizeof w);
  memcpy(n->world + sizeof w, box_arena, box.used);
  *s->last = n;
  s->last = &n->next;
}

static void load_state(const struct node *n)
{
  memcpy(&w, n->world, sizeof w);
  box = w.box;
  for (int p = 0; p < PORTS; p++) memcpy(&port[p], w.port[p], PORT_SAVED);
  memcpy(box_arena, n->world + sizeof w, box.used);
}

static void try_act(struct search *s, const struct node *from, const struct act *act)
{
  if (s->broken || s->transitions >= s->most) return;
  load_state(from);
  const enum bond before = w.promise.phase;
  const uint32_t stands = platform_drive_state(&w.cycle.drive);
  /* WAIT: until the platform has arrived somewhere. */
  for (int i = 0; i < (act->event == WAIT ? PATIENCE : 1) && !s->broken; i++) {
    cycle(act);
    s->broken = judge(act);
    if (act->event == WAIT && platform_drive_state(&w.cycle.drive) != stands) break;
  }
  s->transitions++;
  if (s->broken && fault == SOUND)
    fprintf(stderr, "  word %d, event %d, command %s, hand %d: to %s, platform %s, jog %g\n", act->word,
            (int)act->event, command_name(act->code), act->hand, run_state_name(w.cycle.machine.state),
            platform_state_name(platform_drive_state(&w.cycle.drive)), w.cycle.drive.jog.acts);
  s->released += before == RESET && w.promise.phase == FREE;
  if (!s->broken) keep_state(s);
}

/* The acts of a search. */
struct menu {
  const char *name;
  int words, word[4]; /* -1: silence */
  int events;
  enum event event[5];
  int codes;
  uint32_t code[6];
  bool jogs;
};
enum { WORDS, SIGNS, STOPS, JOGS, MENUS };
/* A blend from 0 to 5 passes 3, a word that the rig did not send. */
static const struct menu menus[MENUS] = {
    [WORDS] =
        {"words without permissives", 3, {0, 5, -1}, 1, {NOTHING}, 2, {COMMAND_ARM, COMMAND_RUN}, false},
    [SIGNS] = {"signs of the rig",
               4,
               {3, 0, 5, -1},
               3,
               {NOTHING, INJECT, CLEAR_INJECTION},
               2,
               {COMMAND_ARM, COMMAND_RUN},
               false},
    [STOPS] = {"stops",
               2,
               {3, -1},
               3,
               {NOTHING, SUSPEND, RAISE},
               6,
               {COMMAND_ARM, COMMAND_RUN, COMMAND_RESET, COMMAND_ESTOP, COMMAND_PARK, COMMAND_PAUSE},
               false},
    [JOGS] = {"a jog with two hands",
              2,
              {3, -1},
              2,
              {NOTHING, SUSPEND},
              3,
              {COMMAND_ARM, COMMAND_RESET, COMMAND_ESTOP},
              true},
};

static void expand(struct search *s, const struct node *from, const struct menu *menu)
{
  for (int i = 0; i < menu->words; i++) {
    struct act act = {.word = menu->word[i]};
    for (int e = 0; e < menu->events; e++) {
      act.event = menu->event[e];
      try_act(s, from, &act);
    }
    for (act.hand = 0; menu->jogs && act.hand < HANDS; act.hand++)
      for (act.event = PRESS; act.event <= LATE; act.event++) try_act(s, from, &act);
    act.hand = 0;
    act.event = COMMAND;
    for (int c = 0; c < menu->codes; c++) {
      act.code = menu->code[c];
      act.age_ns = 0;
      try_act(s, from, &act);
      act.age_ns = 3 * TENTH; /* it waited in a network or a queue */
      if (act.code == COMMAND_RESET) try_act(s, from, &act);
    }
  }
  try_act(s, from, &(struct act){.word = menu->word[0], .event = WAIT});
}

/* Returns the broken promise, or NULL. */
static const char *search(const char *file, const struct menu *menu, enum fault f, size_t most,
                          const char *name)
{
  struct search s = {.room = 1 << 20, .most = most};
  s.last = &s.first;
  s.table = calloc(s.room, sizeof *s.table);
  s.taken = calloc(s.room, sizeof *s.taken);
  box_require(s.table && s.taken, "out of memory");
  open_world(file, f);
  for (int i = 0; i < WARM_UP + 2; i++) cycle(&(struct act){.word = -1});
  keep_state(&s);
  while (s.first) {
    struct node *from = s.first;
    expand(&s, from, menu);
    s.waiting--;
    s.first = from->next;
    if (!s.first) s.last = &s.first;
    free(from);
  }
  close_world();
  free(s.table);
  free(s.taken);
  const bool moves = menu->jogs ? s.jogs > 0 : s.rides > 0;
  if (!s.broken && f == SOUND && moves == (menu == &menus[WORDS]))
    s.broken = moves ? "the platform moves without permissives" : "nothing ever moves";
  if (!s.broken && f == SOUND && menu->codes > 2 && s.released == 0)
    s.broken = "no way leads from a stop to motion";
  printf("%-52s %8zu states %9zu transitions%s%s%s\n", name, s.states, s.transitions,
         s.full || s.transitions >= s.most ? ", and no further" : "", s.broken ? ": " : "",
         s.broken ? s.broken : "");
  fflush(stdout);
  return s.broken;
}

int main(int argc, char **argv)
{
  static const struct {
    int menu;
    const char *name;
  } faults[FAULTS] = {
      [BLENDED] = {WORDS, "broken on purpose: a word is blended (A1)"},
      [RAISED] = {STOPS, "broken on purpose: a command raises a limit (A2)"},
      [SHARED_HAND] = {JOGS, "broken on purpose: two hands are one (A3)"},
      [NUMBERLESS] = {JOGS, "broken on purpose: an old press has a new number (A4)"},
      [SLEEPLESS] = {STOPS, "broken on purpose: no suspension is seen (A5)"},
      [MADE_UP] = {SIGNS, "broken on purpose: an injection adds bits (A6)"},
      [UNSEEN] = {STOPS, "broken on purpose: any reset lifts any stop (C1)"},
  };
  const bool quick = argc == 3 && strcmp(argv[2], "--quick") == 0;
  poses = argc == 3 && strcmp(argv[2], "--poses") == 0;
  if (argc < 2 || (argc > 2 && !quick && !poses)) {
    fputs("usage: prove_motion FILE [--quick | --poses]\n", stderr);
    return 2;
  }
  bool sound = true, found = true;
  for (int m = 0; m < MENUS; m++)
    sound &= search(argv[1], &menus[m], SOUND, quick ? 20000 : 20000000, menus[m].name) == NULL;
  for (enum fault f = SOUND + 1; f < FAULTS; f++)
    found &= search(argv[1], &menus[faults[f].menu], f, 200000, faults[f].name) != NULL;
  if (!sound) fputs("prove_motion: a promise does not hold\n", stderr);
  if (!found) fputs("prove_motion: a daemon that is broken on purpose was not found out\n", stderr);
  return sound && found ? 0 : 1;
}
