/* SPDX-License-Identifier: MIT
 * LINK.yaml: its keys, and the participants of a link. */
#include "link.h"
#include "settings/keys.h"
#include "yaml/text_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- keys --- */

struct link_values {
  int order, steps;
  double patience;
  bool reset;
};
#define LINK(field) offsetof(struct link_values, field)
#define PART(field) offsetof(struct participant_keys, field)

static const char *const orders[] = {"jacobi", "gauss_seidel", NULL};

/* clang-format off */
static const struct key daemon_keys[] = {
  TEXT("osc", REQUIRED, AT_START, PART(osc), "HOST:PORT of an ali3d."),
  TEXT("config", REQUIRED, AT_START, PART(config), "The configuration file that this ali3d runs."),
};
static const struct key fmu_keys[] = {
  TEXT("fmu", REQUIRED, AT_START, PART(fmu), "An FMU for co-simulation."),
  NUMBER("step", "s", POSITIVE, NONE, AT_START, PART(step), "Length of its steps."),
  VARIABLES("start", "Parameters and start values."),
};
static const struct section daemon_section = SECTION("a participant with the key osc", daemon_keys);
static const struct section fmu_section = SECTION("a participant with the key fmu", fmu_keys);
static const struct key link_keys[] = {
  ELEMENT("participants", &daemon_section, REQUIRED, "Names and participants."),
  LIST("wires", &wire_section, REQUIRED, "Values that go from one participant to another."),
  CHOICE("order", orders, "jacobi", AT_START, LINK(order), "Who gets which values."),
  INTEGER("steps", "", BETWEEN(1, 1000000), "1", AT_START, LINK(steps), "Periods in a communication step."),
  NUMBER("patience", "s", BETWEEN(0.1, 86400), "2", AT_START, LINK(patience), "Silence after which the run ends."),
  FLAG("reset", "true", AT_START, LINK(reset), "Daemons begin at their initial state."),
};
/* clang-format on */
static const struct section link_section = SECTION("the link", link_keys);

/* --- small helpers --- */

struct slot *slots_add(struct slots *s, int signal, const char *name, const char *unit)
{
  if (s->count == s->room) {
    const int room = s->room ? 2 * s->room : 16;
    struct slot *grown = realloc(s->slot, (size_t)room * sizeof *grown);
    if (!grown) return NULL;
    s->slot = grown;
    s->room = room;
  }
  struct slot *added = &s->slot[s->count++];
  *added = (struct slot){.signal = signal, .unit = unit};
  if (unit) added->measure = unit_measure(unit);
  snprintf(added->name, sizeof added->name, "%s", name);
  return added;
}

bool participant_fail(struct participant *p, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->trouble, sizeof p->trouble, format, arguments);
  va_end(arguments);
  p->progress = FAILED;
  return false;
}

/* --- participants --- */

static bool read_participant(struct link *l, const struct node *n)
{
  struct participant *p = &l->participant[l->participants++];
  const bool fmu = node_find(n, "fmu") != NULL;
  *p = (struct participant){
      .name = n->key, .at = n->key_at, .fd = -1, .kind = fmu ? &fmu_kind : &osc_kind, .paced = l->paced};
  if (strchr(n->key, '.') || !*n->key) {
    report_error(&l->report, n->key_at, "expected a name without a dot, found \"%s\"", n->key);
    return false;
  }
  if (n->kind != NODE_MAP) {
    report_error(&l->report, n->at, "expected {osc: HOST:PORT, config: FILE} or {fmu: FILE}");
    return false;
  }
  /* Its keys, then what describes it. */
  if (!schema_read(fmu ? &fmu_section : &daemon_section, n, &p->keys, &l->report)) return false;
  p->start = node_find(n, "start");
  p->path = path_beside(l->tree.source.file, fmu ? p->keys.fmu : p->keys.config);
  if (!p->path) {
    report_error(&l->report, n->at, "out of memory");
    return false;
  }
  return p->kind->describe(p, &l->report);
}

/* The frames of one daemon are the clock, and FMUs follow. */
static bool check_paced(struct link *l, const struct node *list)
{
  int daemons = 0;
  for (int i = 0; i < l->participants; i++) daemons += l->participant[i].kind == &osc_kind;
  if (daemons == 1 && l->participants > 1) return true;
  report_error(&l->report, list->at,
               "--pace frames: expected one ali3d and at least one FMU, found %d and %d", daemons,
               l->participants - daemons);
  return false;
}

static bool read_participants(struct link *l, const struct node *list)
{
  l->participant = calloc((size_t)list->count + 1, sizeof *l->participant);
  if (!l->participant) {
    report_error(&l->report, list->at, "out of memory");
    return false;
  }
  bool good = true;
  for (const struct node *n = list->first; n; n = n->next) good &= read_participant(l, n);
  if (good && l->participants == 0) report_error(&l->report, list->at, "expected at least one participant");
  return good && l->participants > 0 && (!l->paced || check_paced(l, list));
}

/* The longest period; where all participants take steps of any length, the longest one that an FMU suggests. */
static double longest_period(const struct link *l)
{
  double longest = 0.0, usual = 0.0;
  for (int i = 0; i < l->participants; i++) {
    longest = fmax(longest, l->participant[i].period);
    usual = fmax(usual, l->participant[i].usual_period);
  }
  return longest > 0.0 ? longest : usual;
}

/* The communication step is a whole number of periods of every participant. */
static bool choose_communication_step(struct link *l)
{
  l->step = longest_period(l) * l->steps;
  if (!(l->step > 0.0)) {
    report_error(&l->report, l->participant[0].at,
                 "no participant has a period; add step: SECONDS to an FMU");
    return false;
  }
  /* An FMU without a period follows. */
  for (int i = 0; i < l->participants; i++) {
    struct participant *p = &l->participant[i];
    if (!(p->period > 0.0)) p->period = l->step;
    const double times = l->step / p->period;
    p->steps = times < 1e6 ? (int)lround(times) : 0;
    if (p->steps > 0 && fabs(times - p->steps) < 1e-9 * times) continue;
    report_error(
        &l->report, p->at,
        "the communication step of %g s is no whole number of periods of %s, %g s; change steps, or %s",
        l->step, p->name, p->period, p->kind == &fmu_kind ? "step of the FMU" : "cycle.period of one file");
    return false;
  }
  return true;
}

/* --- the file --- */

bool link_read(struct link *l, const char *file, bool paced)
{
  struct link_values v;
  *l = (struct link){.report = {.out = stderr}, .paced = paced};
  bool good =
      yaml_read_main(&l->tree, file, &l->report) && schema_read(&link_section, l->tree.root, &v, &l->report);
  if (good) {
    l->order = v.order;
    l->steps = v.steps;
    l->patience = v.patience;
    l->reset = v.reset;
    /* The participants, then what connects them. */
    good = read_participants(l, node_find(l->tree.root, "participants")) && choose_communication_step(l) &&
           link_wire(l, node_find(l->tree.root, "wires"));
  }
  report_end(&l->report);
  return good;
}

void link_close(struct link *l)
{
  for (int i = 0; i < l->participants; i++) {
    struct participant *p = &l->participant[i];
    p->kind->close(p);
    free(p->path);
    free(p->out.slot);
    free(p->in.slot);
  }
  free(l->participant);
  free(l->connection);
  yaml_free(&l->tree);
}
