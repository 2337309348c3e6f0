/* SPDX-License-Identifier: MIT
 * Linked with --wrap of ali3_step, ring_init and book_clear, and those of box.h. */
#include "world.h"

#include <ali3/ali3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 14 }; /* bytes; larger pieces of memory are not saved */
#define PERIOD UINT64_C(10000000)
#define AHEAD  UINT64_C(1000000000000000)

static struct telemetry telemetry;
static ali3_model *model;
static struct signals *signals;
static struct wakeup wakeup;
static struct world_kind kind;
static enum mutation mutation;
static size_t fresh; /* bytes of the arena that the ports use */
static bool diverges;
static struct port port[PORTS];
static struct value_run *values_of[PORTS];
static struct port *const ports[PORTS] = {&port[0], &port[1]};
/* Tables of STIMULUS_ROWS steps, for all channels of the input. */
enum { STIMULUS_ROWS = 2, STIMULI = 2 };
static double stimulus_time[STIMULUS_ROWS], stimulus_value[STIMULUS_ROWS * INPUT_WRENCH_CHANNELS];
static int stimulus_channel[INPUT_WRENCH_CHANNELS];
static struct stimulus stimuli[STIMULI];
enum { PORT_SAVED = offsetof(struct port, clients) }; /* names do not matter here */

/* The state that is saved besides the arena. */
static struct world {
  struct box box;
  struct cycle cycle;
  struct telemetry_live live;
  struct state_record file, before; /* the state file: now, and a cycle ago */
  char port[PORTS][PORT_SAVED];
} w, fresh_world;

/* The pieces of the world that are saved. Between them lie the platform and its rig: there are none, so they never change. */
static const struct piece {
  size_t first, end;
} piece[] = {
    {0, offsetof(struct world, cycle.drive.platform)},
    {offsetof(struct world, cycle.drive.jog), offsetof(struct world, cycle.rig.rig)},
    {offsetof(struct world, cycle.rig.last_trip), sizeof(struct world)},
};
enum { PIECES = sizeof piece / sizeof *piece };

int __real_ali3_step(const ali3_model *m, ali3_data *d);
int __wrap_ali3_step(const ali3_model *m, ali3_data *d);
int __wrap_ali3_step(const ali3_model *m, ali3_data *d)
{
  return diverges ? ALI3_E_DIVERGED : __real_ali3_step(m, d);
}

/* Records of rings are not saved: between two cycles every ring is empty. */
bool __real_ring_init(struct ring *r, size_t size, uint32_t capacity);
bool __wrap_ring_init(struct ring *r, size_t size, uint32_t capacity);
bool __wrap_ring_init(struct ring *r, size_t size, uint32_t capacity)
{
  box_use_scratch(true);
  const bool good = __real_ring_init(r, size, capacity);
  box_use_scratch(false);
  return good;
}

static void require_empty_rings(void)
{
  struct outbox *o = &w.cycle.outbox;
  bool empty = ring_empty(&o->events) && ring_empty(&o->misses) && ring_empty(&o->rides);
  for (int p = 0; p < PORTS; p++)
    empty &= ring_empty(&port[p].commands) && ring_empty(&port[p].answers) && ring_empty(&port[p].refusals) &&
             ring_empty(&port[p].strays);
  box_require(empty, "a ring is not empty between two cycles");
}

/* Nothing reads the distributions of times here. To empty them takes as long as the rest of a cycle. */
void __wrap_book_clear(struct histograms *b, uint64_t cycle);
void __wrap_book_clear(struct histograms *b, uint64_t cycle)
{
  (void)b;
  (void)cycle;
}

static void make_stimuli(void)
{
  for (int i = 0; i < STIMULUS_ROWS; i++) stimulus_time[i] = i * (double)PERIOD * 1e-9;
  for (int i = 0; i < STIMULUS_ROWS * INPUT_WRENCH_CHANNELS; i++) stimulus_value[i] = 0.5;
  for (int i = 0; i < INPUT_WRENCH_CHANNELS; i++) stimulus_channel[i] = i;
  for (int i = 0; i < STIMULI; i++)
    stimuli[i] = (struct stimulus){.name = "road",
                                   .held = true,
                                   .with_motion = i == 1,
                                   .rows = STIMULUS_ROWS,
                                   .columns = INPUT_WRENCH_CHANNELS,
                                   .time = stimulus_time,
                                   .value = stimulus_value,
                                   .channel = stimulus_channel};
}

static void start(const struct last_run *kept)
{
  box.used = fresh;
  const struct cycle_config config = {
      .model = model,
      .signals = signals,
      .port = ports,
      .ports = PORTS,
      .wakeup = &wakeup,
      .telemetry = &telemetry,
      .period_ns = PERIOD,
      .stimulus = stimuli,
      .stimuli = kind.stimuli ? STIMULI : 0,
      .port_of_stimuli = kind.stimuli ? &port[1] : NULL, /* clients send inputs through the other one */
      .last_run = mutation == NO_MEMORY ? (struct last_run){0} : *kept,
      .settings = {.warmup = WARM_UP,
                   .live.max_misses = 2,
                   .autostart = kind.autostart ? AUTOSTART_ON : AUTOSTART_OFF,
                   .publish = kind.publish_next ? PUBLISH_NEXT_CYCLE : PUBLISH_AT_ONCE,
                   .clock = kind.lockstep ? CLOCKING_LOCKSTEP : CLOCKING_TIMER}};
  box_require(cycle_setup(&w.cycle, &config) == ALI3_OK, "the loop cannot be set up");
  box_require(w.cycle.plant.size < LARGE, "the model is too large for the arena");
  cycle_freeze(&w.cycle, NULL, true);
  w.cycle.handover.state = w.cycle.plant.initial; /* which COMMAND_LOAD takes */
  w.cycle.handover.state_size = ali3_state_size(model);
  cycle_begin(&w.cycle, box.now_ns + AHEAD);
  fresh_world = w;
  box_require(telemetry_read(&telemetry, &w.live), "telemetry is torn");
  w.file = w.before = state_record_of(&w.live, false, NULL); /* as restart_begin() writes it */
}

static void open_ports(void)
{
  box.used = 0;
  box_clear_scratch();
  for (int p = 0; p < PORTS; p++)
    box_require(port_init(&port[p], p ? "modbus" : "osc", (uint32_t)signals->count,
                          (uint32_t)signals->channels, false),
                "no port");
  /* The list of values lies outside the arena, and saved states point to it: each port keeps its first one. */
  for (int p = 0; p < PORTS; p++) {
    if (values_of[p]) {
      free(port[p].run);
      port[p].run = values_of[p];
    }
    values_of[p] = port[p].run;
  }
  fresh = box.used;
}

void world_open(const struct world_kind *k, enum mutation m)
{
  memset(&w, 0, sizeof w);
  memset(&box, 0, sizeof box);
  kind = *k;
  mutation = m;
  model = ali3_model_new();
  const ali3_body_spec body = {
      .name = "A", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1, 0, 0, 0}};
  box_require(ali3_model_add_body(model, &body) == 0, "no body");
  struct input_spec input = {.name = "push",
                             .body = 0,
                             .policy = INPUT_SAFE,
                             .hold = 0.25,
                             .fault = 0.25,
                             .required = kind.required};
  for (int i = 0; i < INPUT_WRENCH_CHANNELS; i++)
    input.range[i] = (struct input_range){.lower = -1, .upper = 1};
  const int inputs = kind.required ? 1 : 0;
  if (inputs) box_require(input_add_loads(model, &input, (const double[3]){0}, false) == ALI3_OK, "no input");
  const ali3_options options = ali3_options_default();
  box_require(ali3_model_freeze(model, &options) == ALI3_OK, "no model");
  signals = signals_new(model, &input, inputs);
  box_require(signals, "no signals");
  box.now_ns = 1000 * TENTH;
  make_stimuli();
  box_open();
  open_ports();
  start(&(struct last_run){0});
}

void world_close(void)
{
  box_close();
  signals_free(signals);
  ali3_model_free(model);
}

static void set_input(struct port *p)
{
  struct input_sample *sample = snapshot_begin(&p->inputs);
  for (int i = 0; i < signals->channels; i++)
    sample[i] = (struct input_sample){.value = 0.5, .t_ns = box.now_ns};
  snapshot_publish(&p->inputs);
}

static void give_orders(const struct act *act)
{
  for (int i = 0; i < TUPLE; i++) {
    const struct order *o = &act->order[i];
    if (o->code == 0 || (mutation == DEAF && o->code == COMMAND_ESTOP && o->port == 1)) continue;
    const struct command c = {
        .code = o->code, .argument = !o->off, .id = (uint32_t)i, .t_ns = box.now_ns - o->age_ns};
    box_require(port_command(&port[o->port], &c), "no room for a command");
  }
  if (act->what == FLAG) atomic_store(&port[1].estop, PORT_ESTOP | 5);
  if (act->what == INPUT) set_input(&port[0]);
  if (act->what == STUCK) cycle_declare_stuck(&w.cycle);
  diverges = act->what == DIVERGE;
}

static void see(const struct act *act, struct seen *seen)
{
  struct answer a;
  struct cycle_event e;
  *seen = (struct seen){.state = w.cycle.machine.state,
                        .fault = w.cycle.machine.fault,
                        .moved = w.cycle.plant.stepped && w.cycle.times.number > WARM_UP,
                        .cycle = w.cycle.times.number};
  for (int p = 0; p < PORTS; p++)
    while (ring_pop(&port[p].answers, &a))
      seen->answer[seen->answers++] =
          (struct answered){a.code, a.result, box.now_ns - (a.id < TUPLE ? act->order[a.id].age_ns : 0)};
  while (outbox_next_event(&w.cycle.outbox, &e)) continue;
  for (struct miss m; outbox_next_miss(&w.cycle.outbox, &m);) continue;
  snapshot_take(&port[0].frames);
  const struct frame *f = snapshot_value(&port[0].frames);
  seen->frame_cycle = f->cycle;
  seen->frame_ns = f->t_ns;
  seen->frame_state = f->state;
}

void world_cycle(const struct act *act, struct seen *seen)
{
  box.now_ns += act->dt_ns;
  if (mutation == NO_DELAY) w.cycle.machine.rearm = (struct rearm){.shown = true};
  give_orders(act);
  w.cycle.schedule.start_ns = act->what == MISS ? box.now_ns - 3 * PERIOD / 2 : box.now_ns + AHEAD;
  cycle_once(&w.cycle);
  if (mutation == FORGETS_RESET && w.cycle.machine.state == STATE_SAFE && act->what == INPUT &&
      act->order[0].code == 0)
    w.cycle.machine.state = STATE_STOPPED;
  see(act, seen);
  box_require(telemetry_read(&telemetry, &w.live), "telemetry is torn");
  w.before = w.file;
  w.file = state_record_of(&w.live, false, NULL); /* as restart_tick() writes it, within 20 ms */
}

struct last_run world_restart(const struct ending *ending)
{
  struct state_copy file = {.found = ending->file, .record = ending->lags ? w.before : w.file},
                    block = {.found = COPY_MISSING};
  struct last_run kept;
  if (ending->on_purpose) {
    cycle_stop(&w.cycle);
    const uint32_t state = w.cycle.machine.state;
    cycle_end(&w.cycle);
    box_require(telemetry_read(&telemetry, &w.live), "telemetry is torn");
    file.record = state_record_of(&w.live, true, NULL); /* as restart_end() writes it */
    file.record.state = state;
  } else if (ending->block) {
    block = (struct state_copy){COPY_READ, state_record_of(&w.live, false, NULL)};
  }
  (void)state_record_decide(&file, &block, &kept);
  open_ports();
  start(&kept);
  return kept;
}

static uint32_t age(uint64_t t_ns)
{
  const uint64_t tenths = (box.now_ns - t_ns) / TENTH;
  return tenths < 10 ? (uint32_t)tenths : 10;
}

void world_key(struct world_key *key)
{
  const struct machine *m = &w.cycle.machine;
  const struct inputs *in = &w.cycle.inputs;
  memset(key, 0, sizeof *key);
  key->state = m->state;
  key->loaded = m->loaded;
  key->fault = m->fault;
  key->disarmed = m->disarmed;
  key->shown = m->disarmed && m->rearm.shown;
  key->stop_shown = machine_is_stopped(m) && m->stop_shown;
  key->stop_since = key->stop_shown ? age(m->stop_ns) : 0;
  key->since = m->disarmed ? age(m->rearm.since_ns) : 0;
  key->misses = (uint32_t)m->misses;
  key->missed = w.cycle.deadline.missed;
  key->frame_state = w.cycle.output.head->state;
  key->live_fault = w.live.fault;
  key->live_disarmed = w.live.disarmed;
  key->file_fault = w.file.fault;
  key->file_disarmed = w.file.disarmed;
  key->before_fault = w.before.fault;
  key->before_disarmed = w.before.disarmed;
  key->owed = (uint32_t)w.cycle.lockstep.owed;
  key->to_warm = w.cycle.times.number <= WARM_UP ? (uint32_t)(WARM_UP + 1 - w.cycle.times.number) : 0;
  key->input_age = kind.required ? 1 + age(in->channel[0].t_ns) : 0;
  key->input_state = kind.required ? (uint32_t)in->condition[0].state : 0;
  key->input_owner = kind.required ? (uint32_t)(in->condition[0].owner + 1) : 0;
  key->input_heard = kind.required ? age(in->condition[0].heard_ns) : 0;
  for (int i = 0; kind.stimuli && i < STIMULI; i++) {
    const struct player *p = &w.cycle.stimuli.player[i];
    key->stimulus[i] = (uint32_t)p->plays | (uint32_t)p->sent << 1 | (uint32_t)(p->plays ? p->steps : 0) << 2;
  }
  key->input_missing = kind.required ? age(in->condition[0].missing_ns) : 0;
}

uint64_t world_now(void)
{
  return box.now_ns;
}

size_t world_size(void)
{
  size_t size = box.used;
  for (int i = 0; i < PIECES; i++) size += piece[i].end - piece[i].first;
  return size;
}

void world_save(void *copy)
{
  const char *from = (const char *)&w, *idle = (const char *)&fresh_world;
  char *to = copy;
  require_empty_rings();
  for (int i = 1; i < PIECES; i++)
    box_require(memcmp(from + piece[i - 1].end, idle + piece[i - 1].end, piece[i].first - piece[i - 1].end) ==
                    0,
                "the platform that is not there has changed");
  for (int p = 0; p < PORTS; p++) memcpy(w.port[p], &port[p], PORT_SAVED);
  w.box = box;
  for (int i = 0; i < PIECES; to += piece[i].end - piece[i].first, i++)
    memcpy(to, from + piece[i].first, piece[i].end - piece[i].first);
  memcpy(to, box_arena, box.used);
}

void world_load(const void *copy)
{
  const char *from = copy;
  for (int i = 0; i < PIECES; from += piece[i].end - piece[i].first, i++)
    memcpy((char *)&w + piece[i].first, from, piece[i].end - piece[i].first);
  box = w.box;
  for (int p = 0; p < PORTS; p++) memcpy(&port[p], w.port[p], PORT_SAVED);
  memcpy(box_arena, from, box.used);
}
