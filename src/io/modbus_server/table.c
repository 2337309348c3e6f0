/* SPDX-License-Identifier: MIT
 * Set-up, except modbus_table_range(). */
#include "modbus_server/table.h"

#include "platform/platform.h"
#include "signals/states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#define CODE_TEXT(id, code, text)         " " #code " " text
#define FAULT_TEXT(id, code, state, text) ", " #code " " text
#define STATES                            "by code:" RUN_STATE_LIST(CODE_TEXT)
#define COMMANDS                          "by code:" COMMAND_LIST(CODE_TEXT)
#define PLATFORM_STATES                   "by code:" PLATFORM_STATE_LIST(CODE_TEXT)
#define RECORDERS                         "by code:" RECORDER_STATE_LIST(CODE_TEXT)
#define FAULTS                            "cause of FAULT or SAFE, by code" FAULT_LIST(FAULT_TEXT)
#define RESULTS                                                                                              \
  "result of the last command: 0 done, 1 wrong state, 2 not allowed, 3 bad argument, 4 not ready, 6 too "    \
  "soon"

enum { PLATFORM_STATE_AT = offsetof(struct platform_output, state) / sizeof(double) };

/* Entries of the daemon, present in every map. */
static const struct fixed {
  enum wire_table table;
  int address;
  enum wire_type type;
  const char *name, *unit, *text;
} fixed[] = {
    {TABLE_INPUT, MAP_IDENTIFICATION, WIRE_U16, "magic", "", "0x4133, the letters A3"},
    {TABLE_INPUT, MAP_MAP_VERSION, WIRE_U16, "map version", "", "0x0205"},
    {TABLE_INPUT, MAP_STATE, WIRE_U16, "state", "", STATES},
    {TABLE_INPUT, MAP_STATUS_BITS, WIRE_U16, "status", "", "bits 0 to 15 are discrete inputs 0 to 15"},
    {TABLE_INPUT, MAP_FAULT, WIRE_U16, "fault", "", FAULTS},
    {TABLE_INPUT, MAP_WARNINGS, WIRE_U16, "warnings", "",
     "the status bits that report trouble and are no state"},
    {TABLE_INPUT, MAP_HEARTBEAT, WIRE_U16, "heartbeat", "", "+1 per cycle of the loop"},
    {TABLE_INPUT, MAP_FRAME_START, WIRE_U16, "frame", "",
     "number of the frame; if it differs from register 31, read again"},
    {TABLE_INPUT, MAP_CYCLE, WIRE_U32, "cycle", "", "cycles of the loop"},
    {TABLE_INPUT, MAP_TIME, WIRE_F32, "time", "s",
     "simulated time; resolution 1/64 s after 36 hours, register 21 is exact"},
    {TABLE_INPUT, MAP_PERIOD, WIRE_U16, "period", "us", "65535: 65535 or more"},
    {TABLE_INPUT, MAP_LAST_CYCLE, WIRE_U16, "last cycle", "us", "duration; 65535: 65535 or more"},
    {TABLE_INPUT, MAP_MAX_CYCLE, WIRE_U16, "longest cycle", "us", "duration; 65535: 65535 or more"},
    {TABLE_INPUT, MAP_OVERRUNS, WIRE_U16, "misses", "", "missed deadlines; 65535: 65535 or more"},
    {TABLE_INPUT, MAP_INPUT_AGE, WIRE_U16, "input age", "ms",
     "age of the oldest input; 65534: 65534 or more; 65535: no value has come"},
    {TABLE_INPUT, MAP_STALE_MASK, WIRE_U16, "stale inputs", "",
     "bit i: input i of the file is stale; the first 16 inputs"},
    {TABLE_INPUT, MAP_LAST_COMMAND, WIRE_U16, "last command", "", "code, see holding register 0"},
    {TABLE_INPUT, MAP_LAST_SEQUENCE, WIRE_U16, "last sequence", "", "sequence number of the last command"},
    {TABLE_INPUT, MAP_LAST_RESULT, WIRE_U16, "last result", "", RESULTS},
    {TABLE_INPUT, MAP_EXACT_TIME, WIRE_F64, "exact time", "s", "simulated time"},
    {TABLE_INPUT, MAP_RECORDER, WIRE_U16, "recorder", "", RECORDERS},
    {TABLE_INPUT, MAP_RECORD_LOST, WIRE_U16, "recorder lost", "",
     "cycles that the recorder lost; 65535: 65535 or more"},
    {TABLE_INPUT, MAP_QUALITY, WIRE_U16, "quality", "",
     "bit 0: the step did not determine forces and torques of joints; joint.NAME.quality is 0"},
    {TABLE_INPUT, MAP_RESERVED, WIRE_U16, "reserved", "", "registers 29 and 30 read 0xFFFF"},
    {TABLE_INPUT, MAP_FRAME_END, WIRE_U16, "frame", "", "number of the frame, repeated"},

    {TABLE_HOLDING, MAP_COMMAND, WIRE_U16, "command", "", COMMANDS},
    {TABLE_HOLDING, MAP_ARGUMENT, WIRE_U16, "argument", "",
     "step: number of cycles; inject, stimulus: twice its index in the file, plus 1 for on; save, load: slot "
     "0 to 9; record: 0 stop, 1 start, 2 split, 3 mark"},
    {TABLE_HOLDING, MAP_SEQUENCE, WIRE_U16, "sequence", "",
     "the command acts when this number changes; code 8 always acts"},
    {TABLE_HOLDING, MAP_CLIENT_HEARTBEAT, WIRE_U16, "client heartbeat", "",
     "any write keeps its client the owner of the inputs, and begins their watchdogs anew"},
    {TABLE_HOLDING, MAP_OWNER_TIMEOUT, WIRE_U16, "owner timeout", "ms",
     "silence of the owner after which others may write the inputs: 50 to 60000; 0: modbus.owner_timeout"},
    {TABLE_HOLDING, MAP_OWNER_ACTION, WIRE_U16, "owner action", "",
     "0: the inputs age by their own policy; no other value is allowed"},

    {TABLE_COIL, MAP_ENABLE, WIRE_BIT, "enable", "", "0 to 1: arm; 1 to 0: stop"},
    {TABLE_COIL, MAP_RUN, WIRE_BIT, "run", "", "acts on 0 to 1"},
    {TABLE_COIL, MAP_PAUSE, WIRE_BIT, "pause", "", "acts on 0 to 1"},
    {TABLE_COIL, MAP_ESTOP, WIRE_BIT, "e-stop", "",
     "acts on every 1; reads 1 from then on while it is latched"},
    {TABLE_COIL, MAP_RESET, WIRE_BIT, "reset", "", "acts on 0 to 1"},
    {TABLE_COIL, MAP_PARK, WIRE_BIT, "park", "", "acts on 0 to 1"},
    {TABLE_COIL, MAP_RECORD, WIRE_BIT, "record", "",
     "0 to 1: ali3-record begins a file; 1 to 0: it closes the file"},

    {TABLE_DISCRETE, 0, WIRE_BIT, "ready", "", "state READY"},
    {TABLE_DISCRETE, 1, WIRE_BIT, "running", "", "state RUNNING"},
    {TABLE_DISCRETE, 2, WIRE_BIT, "paused", "", "state PAUSED"},
    {TABLE_DISCRETE, 3, WIRE_BIT, "fault", "", "state FAULT"},
    {TABLE_DISCRETE, 4, WIRE_BIT, "safe", "", "state SAFE"},
    {TABLE_DISCRETE, 5, WIRE_BIT, "e-stop", "", "it is latched"},
    {TABLE_DISCRETE, 6, WIRE_BIT, "input stale", "", "an input is older than its hold time"},
    {TABLE_DISCRETE, 7, WIRE_BIT, "deadline missed", "", "by the last cycle"},
    {TABLE_DISCRETE, 8, WIRE_BIT, "limit", "",
     "an input is clamped or its rate is limited, or the platform is at a limit"},
    {TABLE_DISCRETE, 9, WIRE_BIT, "parked", "", "the platform is at rest in its park pose"},
    {TABLE_DISCRETE, 10, WIRE_BIT, "engaged", "",
     "the platform has reached neutral since it left its park pose"},
    {TABLE_DISCRETE, 11, WIRE_BIT, "lockstep", "", "the loop steps on command only"},
    {TABLE_DISCRETE, 12, WIRE_BIT, "not real time", "", "the host refused real-time scheduling"},
    {TABLE_DISCRETE, 13, WIRE_BIT, "fault injection", "", "an injected fault acts"},
    {TABLE_DISCRETE, 14, WIRE_BIT, "platform withheld", "",
     "the platform is not armed yet; reads of its motion get exception 6"},
    {TABLE_DISCRETE, 15, WIRE_BIT, "violated", "",
     "after the last step a joint, drive or gear was open by more than the tolerance"},
};

/* Entries that a motion platform adds. */
static const struct fixed of_platform[] = {
    {TABLE_HOLDING, MAP_JOG_PART, WIRE_U16, "jog part", "",
     "1 surge 2 sway 3 heave 4 roll 5 pitch 6 yaw, 7 to 12 leg or crank 1 to 6"},
    {TABLE_HOLDING, MAP_JOG_SPEED, WIRE_I16, "jog speed", "",
     "-1000 to 1000 thousandths of the speed of platform.jog; each write is a command, which holds for its "
     "timeout; 0 stops; needs access: jog"},
};

static int bodies_shown(const struct signals *s)
{
  return s->bodies < MAP_BODIES_MAX ? s->bodies : MAP_BODIES_MAX;
}

static int channels_shown(const struct signals *s)
{
  return s->channels < MAP_CHANNELS_MAX ? s->channels : MAP_CHANNELS_MAX;
}

static int conditions_shown(const struct signals *s)
{
  return s->inputs < MAP_CONDITIONS_MAX ? s->inputs : MAP_CONDITIONS_MAX;
}

/* Number of values of all sensors, which are consecutive in the signal table. */
static int sensor_values(const struct signals *s)
{
  int values = s->sensors > 0 ? s->sensor_first[s->sensors] - s->sensor_first[0] : 0;
  return values < MAP_SENSORS_MAX ? values : MAP_SENSORS_MAX;
}

static void add_entry(struct modbus_table *t, const struct entry *e)
{
  t->entry[t->count++] = *e;
}

static void add_fixed_entries(struct modbus_table *t, enum wire_order order, const struct fixed *first,
                              int count)
{
  for (const struct fixed *f = first; f < first + count; f++)
    add_entry(t,
              &(struct entry){.kind = f->table == TABLE_INPUT || f->table == TABLE_DISCRETE ? ENTRY_HEAD
                                                                                            : ENTRY_CONTROL,
                              .table = f->table,
                              .address = f->address,
                              .wire = {f->type, order, 1.0, 0.0},
                              .signal = -1,
                              .safe = NAN,
                              .name = f->name,
                              .unit = f->unit,
                              .text = f->text});
}

static void add_own_entries(struct modbus_table *t, enum wire_order order, const struct signals *s,
                            bool shown)
{
  const bool platform = s->platform_first >= 0;
  add_fixed_entries(t, order, fixed, COUNT(fixed));
  if (platform) add_fixed_entries(t, order, of_platform, COUNT(of_platform));
  /* The state of the platform is a signal. */
  const bool state = platform && shown;
  add_entry(t, &(struct entry){.kind = state ? ENTRY_SHOWN : ENTRY_HEAD,
                               .table = TABLE_INPUT,
                               .address = MAP_PLATFORM_STATE,
                               .wire = {WIRE_U16, order, 1.0, 0.0},
                               .signal = state ? s->platform_first + PLATFORM_STATE_AT : -1,
                               .safe = NAN,
                               .name = state ? NULL : "no platform",
                               .unit = "",
                               .text = state ? PLATFORM_STATES : "reads 0xFFFF"});
  /* Reserved registers can be read. */
  for (int i = MAP_RESERVED + 1; i < MAP_FRAME_END; i++)
    add_entry(t, &(struct entry){.kind = ENTRY_HEAD,
                                 .table = TABLE_INPUT,
                                 .address = i,
                                 .wire = {WIRE_U16, WIRE_ABCD, 1.0, 0.0},
                                 .signal = -1,
                                 .safe = NAN});
}

/* Adds `values` consecutive signals as f32. */
static void add_shown(struct modbus_table *t, enum wire_order order, int address, int signal, int values,
                      const char *text)
{
  for (int i = 0; i < values; i++)
    add_entry(t, &(struct entry){.kind = ENTRY_SHOWN,
                                 .table = TABLE_INPUT,
                                 .address = address + 2 * i,
                                 .wire = {WIRE_F32, order, 1.0, 0.0},
                                 .signal = signal + i,
                                 .safe = NAN,
                                 .text = text});
}

static void add_block(struct modbus_table *t, enum wire_order order, const struct signals *s)
{
  struct entry e = {
      .kind = ENTRY_BLOCK, .table = TABLE_HOLDING, .wire = {WIRE_F32, order, 1.0, 0.0}, .safe = NAN};
  /* The channels, then the registers that make them act. */
  for (int i = 0; i < MAP_INPUTS_MAX; i++) {
    const bool channel = i < s->channels;
    e.address = MAP_INPUTS + 2 * i;
    e.signal = channel ? s->input_first + i : -1;
    e.name = !channel && i == s->channels ? "unused" : NULL;
    e.unit = "";
    e.text = channel ? "acts when register 164 changes" : "registers up to 163: stored, no effect";
    add_entry(t, &e);
  }
  e.signal = -1;
  e.wire.type = WIRE_U16;
  e.address = MAP_INPUT_SEQUENCE;
  e.name = "input sequence";
  e.text = "the inputs in 100 to 163 act together when this number changes";
  add_entry(t, &e);
  e.address = MAP_INPUT_CRC;
  e.name = "input CRC";
  e.text = "CRC-16/MODBUS of 100 to 164, high byte of each first; 0: unused";
  add_entry(t, &e);
}

/* signal: index of the input. */
static void add_condition(struct modbus_table *t, enum wire_order order, int input)
{
  for (int i = 0; i < MAP_CONDITION_REGISTERS; i++)
    add_entry(t, &(struct entry){.kind = ENTRY_CONDITION,
                                 .table = TABLE_INPUT,
                                 .address = MAP_CONDITION + MAP_CONDITION_REGISTERS * input + i,
                                 .wire = {WIRE_U16, order, 1.0, 0.0},
                                 .signal = -1,
                                 .input = input,
                                 .safe = NAN});
}

static void add_platform(struct modbus_table *t, enum wire_order order, const struct signals *s)
{
  enum {
    LEGS = offsetof(struct platform_output, legs) / sizeof(double),
    LEGS_AT = MAP_PLATFORM_END - 2 * PLATFORM_LEGS,
    MOTION = (LEGS_AT - MAP_PLATFORM) / 2,
  };
  _Static_assert(offsetof(struct platform_output, target) / sizeof(double) == MOTION,
                 "pose, velocity and acceleration come first");
  /* Motion, legs, and the number of the frame after them. */
  add_shown(t, order, MAP_PLATFORM, s->platform_first, MOTION, "motion platform");
  add_shown(t, order, LEGS_AT, s->platform_first + LEGS, PLATFORM_LEGS, "leg or crank");
  add_entry(t, &(struct entry){.kind = ENTRY_HEAD,
                               .table = TABLE_INPUT,
                               .address = MAP_PLATFORM_END,
                               .wire = {WIRE_U16, order, 1.0, 0.0},
                               .signal = -1,
                               .safe = NAN,
                               .name = "frame",
                               .unit = "",
                               .text = "number of the frame; if it differs from register 7, read again"});
}

static void add_default(struct modbus_table *t, enum wire_order order, const struct signals *s)
{
  enum { POSITION = 3, ORIENTATION = MAP_BODY_REGISTERS / 2 - POSITION };
  add_block(t, order, s);
  for (int k = 0; k < bodies_shown(s); k++) {
    const int address = MAP_BODY + MAP_BODY_REGISTERS * k, signal = s->body_first + SIGNALS_BODY * k;
    add_shown(t, order, address, signal, POSITION, "centre of mass, world axes");
    add_shown(t, order, address + 2 * POSITION, signal + POSITION, ORIENTATION,
              "Euler parameter, body to world");
  }
  if (s->platform_first >= 0) add_platform(t, order, s);
  add_shown(t, order, MAP_ACTING, s->input_first, channels_shown(s), "acting value of the input");
  for (int i = 0; i < conditions_shown(s); i++) add_condition(t, order, i);
  if (s->sensors > 0) add_shown(t, order, MAP_SENSOR, s->sensor_first[0], sensor_values(s), "sensor");
}

static void add_wired(struct modbus_table *t, const struct wired *w)
{
  add_entry(t, &(struct entry){.kind = w->input ? ENTRY_INPUT : ENTRY_SHOWN,
                               .table = w->table,
                               .address = w->address,
                               .wire = w->wire,
                               .signal = w->signal,
                               .safe = w->safe,
                               .text = w->input ? "acts on every write" : ""});
}

static void add_parameter(struct modbus_table *t, const struct modbus_parameter *p)
{
  add_entry(t, &(struct entry){.kind = ENTRY_PARAMETER,
                               .table = TABLE_HOLDING,
                               .address = p->address,
                               .wire = p->wire,
                               .signal = -1,
                               .value = p->value,
                               .safe = NAN,
                               .name = p->name,
                               .unit = p->unit,
                               .text = "parameter; all that one write covers act as one"});
}

/* A copy of every input register among the holding registers. */
static void add_mirror(struct modbus_table *t, int mirror)
{
  const int count = t->count;
  for (int i = 0; i < count; i++) {
    struct entry e = t->entry[i];
    if (e.table != TABLE_INPUT) continue;
    e.table = TABLE_HOLDING;
    e.address += mirror;
    e.mirror = mirror;
    add_entry(t, &e);
  }
}

static int compare_entries(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->table != y->table) return x->table < y->table ? -1 : 1;
  return x->address < y->address ? -1 : x->address > y->address;
}

bool modbus_table_init(struct modbus_table *t, const struct modbus_config *config,
                       const struct signals *signals)
{
  *t = (struct modbus_table){0};
  const int wired = config->map.count;
  const int room = COUNT(fixed) + COUNT(of_platform) + 1 + MAP_FRAME_END - MAP_RESERVED + MAP_INPUTS_MAX + 2 +
                   MAP_PLATFORM_END - MAP_PLATFORM + 1 + MAP_BODY_REGISTERS / 2 * bodies_shown(signals) +
                   sensor_values(signals) + channels_shown(signals) +
                   MAP_CONDITION_REGISTERS * conditions_shown(signals) + wired + config->parameters;
  t->entry = calloc((size_t)room * (config->mirror > 0 ? 2 : 1), sizeof *t->entry);
  if (!t->entry) return false;
  add_own_entries(t, config->order, signals, config->default_map);
  if (config->default_map) add_default(t, config->order, signals);
  for (int i = 0; i < wired; i++) add_wired(t, &config->map.item[i]);
  for (int i = 0; i < config->parameters; i++) add_parameter(t, &config->parameter[i]);
  if (config->mirror > 0) add_mirror(t, config->mirror);
  qsort(t->entry, (size_t)t->count, sizeof *t->entry, compare_entries);
  for (int i = 0; i < t->count; i++) t->first[t->entry[i].table + 1] = i + 1; /* every table has an entry */
  return true;
}

void modbus_table_free(struct modbus_table *t)
{
  free(t->entry);
  *t = (struct modbus_table){0};
}

int modbus_table_end(const struct modbus_table *t, enum wire_table table)
{
  const struct entry *last = &t->entry[t->first[table + 1] - 1];
  return last->address + wire_registers(last->wire.type);
}

/* The first entry of the table at or after `address`; its end if there is none. */
static const struct entry *first_entry_from(const struct modbus_table *t, enum wire_table table, int address)
{
  const struct entry *low = t->entry + t->first[table], *high = t->entry + t->first[table + 1];
  while (low < high) {
    const struct entry *middle = low + (high - low) / 2;
    if (middle->address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void modbus_table_touched(const struct modbus_table *t, enum wire_table table, int address, int count,
                          struct entry_range *range)
{
  const struct entry *low = first_entry_from(t, table, address);
  const struct entry *before = low > t->entry + t->first[table] ? low - 1 : NULL;
  if (before && before->address + wire_registers(before->wire.type) > address) low = before;
  *range = (struct entry_range){low, first_entry_from(t, table, address + count)};
}

bool modbus_table_range(const struct modbus_table *t, enum wire_table table, int address, int count,
                        struct entry_range *range)
{
  const struct entry *low = first_entry_from(t, table, address), *end = t->entry + t->first[table + 1];
  *range = (struct entry_range){low, low};
  for (int at = address; at < address + count; range->end++) {
    if (range->end == end || range->end->address != at) return false;
    at += wire_registers(range->end->wire.type);
    if (at > address + count) return false;
  }
  return true;
}

/* --- the map for people --- */

#define STATE_CODE(id, text) [id] = (text),
static const char *const input_state_code[] = {INPUT_STATE_LIST(STATE_CODE)};

/* One row for each of the first registers of a condition; the first one of the name stands for all of them. */
static void map_condition(struct io_map *map, const struct entry *e, const struct signals *signals)
{
  static const struct {
    const char *name, *unit, *text;
  } part[] = {
      [MAP_INPUT_STATE] = {"state", "", NULL},
      [MAP_INPUT_LIMITS] = {"limits", "", "bit 0: clamped to its range, bit 1: its rate is limited"},
      [MAP_INPUT_AGE_MS] = {"age", "ms", "age of its oldest channel; 65534: 65534 or more; 65535: never set"},
      [MAP_INPUT_OWNER] = {"owner", "", "0 nobody 1 OSC 2 Modbus 3 device 4 packet 5 stimulus"},
      [MAP_OWNER_NAME] = {"owner name", "", "16 registers of two characters, the first one in the high byte"},
  };
  /* The codes of the states, then the row. */
  const int k = (e->address - e->mirror - MAP_CONDITION) % MAP_CONDITION_REGISTERS;
  char name[96], states[96];
  size_t used = 0;
  if (k >= COUNT(part)) return;
  for (int i = 0; i < COUNT(input_state_code) && used < sizeof states; i++)
    used += (size_t)snprintf(states + used, sizeof states - used, "%s%d %s", i ? " " : "", i,
                             input_state_code[i]);
  snprintf(name, sizeof name, "%s of input %.64s", part[k].name, signals->input[e->input].name);
  io_map_add_modbus(map, &(struct io_map_modbus){.table = e->table,
                                                 .address = e->address,
                                                 .wire = e->wire,
                                                 .name = name,
                                                 .unit = part[k].unit,
                                                 .count = k == MAP_OWNER_NAME ? MAP_OWNER_LETTERS / 2 : 0,
                                                 .text = part[k].text ? part[k].text : states});
}

static void map_entry(struct io_map *map, const struct entry *e, const struct signals *signals)
{
  char text[128];
  const struct signal *s = e->signal >= 0 ? &signals->signal[e->signal] : NULL;
  struct io_map_modbus row = {.table = e->table,
                              .address = e->address,
                              .wire = e->wire,
                              .writable = !e->mirror && (e->table == TABLE_COIL || e->table == TABLE_HOLDING),
                              .unused = e->kind == ENTRY_BLOCK && !s && e->address < MAP_INPUT_SEQUENCE,
                              .name = s ? s->name : e->name,
                              .unit = s ? s->unit : e->unit,
                              .text = e->text};
  if (e->kind == ENTRY_CONDITION) map_condition(map, e, signals);
  if (!row.name) return;
  row.unused |= e->kind == ENTRY_HEAD && e->table == TABLE_INPUT &&
                (e->address - e->mirror == MAP_RESERVED || e->address - e->mirror == MAP_PLATFORM_STATE);
  /* Limits of an input, the safe value of a shown signal. */
  const struct input_range *range = e->kind == ENTRY_SHOWN || !s ? NULL : signals_range(signals, e->signal);
  if (range) {
    row.limited = true;
    row.lower = range->lower;
    row.upper = range->upper;
    row.rate = range->rate;
  }
  if (!isnan(e->safe)) {
    snprintf(text, sizeof text, "%g while the state is not READY, RUNNING or PAUSED", e->safe);
    row.text = text;
  }
  io_map_add_modbus(map, &row);
}

bool modbus_io_map(const struct modbus_config *config, const struct signals *signals, struct io_map *map)
{
  struct modbus_table t;
  if (!modbus_table_init(&t, config, signals)) return false;
  for (const struct entry *e = t.entry; e < t.entry + t.count; e++) map_entry(map, e, signals);
  modbus_table_free(&t);
  /* Add the network and the serial line. */
  if (config->tcp)
    io_map_add_connection(map, &(struct io_map_connection){.listens = true,
                                                           .protocol = "Modbus TCP",
                                                           .host = config->bind,
                                                           .port = config->port,
                                                           .unit = -1,
                                                           .text = "answers to any unit number"});
  if (config->serial.path) {
    char line[300];
    serial_config_text(&config->serial, line, sizeof line);
    io_map_add_connection(map,
                          &(struct io_map_connection){
                              .listens = true, .protocol = "Modbus RTU", .line = line, .unit = config->unit});
  }
  return io_map_complete(map);
}
