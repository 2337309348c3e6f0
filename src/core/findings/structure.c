/* SPDX-License-Identifier: MIT
 * Freedoms, parts, redundancy and contradictions, as src/mechanics finds them, in words. */
#include "findings/findings_parts.h"

#include <ali3/mechanics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS_REPORTED = 8 };

/* The contents of one part. */
struct part {
  ali3_mechanics_part of;
  struct name_list bodies, redundant; /* names; joints with redundant rows */
  int first_body, first_joint, first_redundant;
  bool loaded; /* a load or an input acts on one of its bodies */
  bool mobile; /* it has a joint that is not fixed */
  int drive;   /* its first drive; -1: none */
};

static void begin_part(const ali3_mechanics *a, int index, struct part *p)
{
  *p = (struct part){.first_body = -1, .first_joint = -1, .first_redundant = -1, .drive = -1};
  ali3_mechanics_part_get(a, index, &p->of);
}

static void add_part_body(const struct inspection *in, struct part *p, int body)
{
  if (p->first_body < 0) p->first_body = body;
  name_list_add(&p->bodies, in->m->body[body].name);
}

static void add_part_joint(const struct inspection *in, struct part *p, int joint, bool redundant)
{
  if (p->first_joint < 0) p->first_joint = joint;
  p->mobile |= in->m->joint[joint].spec.type != ALI3_JOINT_FIXED;
  if (!redundant) return;
  if (p->first_redundant < 0) p->first_redundant = joint;
  name_list_add(&p->redundant, in->m->joint[joint].name);
}

/* part: (parts + 1); the last one is the whole mechanism. */
static void read_parts(const struct inspection *in, const ali3_mechanics *a, struct part *part)
{
  const ali3_model *m = in->m;
  const int parts = ali3_mechanics_parts(a);
  struct part *whole = &part[parts];
  /* Sort bodies and joints into their parts. */
  for (int i = 0; i < parts; i++) begin_part(a, i, &part[i]);
  begin_part(a, -1, whole);
  for (int b = 0; b < m->bodies; b++) add_part_body(in, &part[ali3_mechanics_part_of_body(a, b)], b);
  for (int i = 0; i < m->joints; i++) {
    const int of = ali3_mechanics_part_of_joint(a, i);
    const bool redundant = ali3_mechanics_joint_is_redundant(a, i);
    if (of >= 0) add_part_joint(in, &part[of], i, redundant);
    add_part_joint(in, whole, i, redundant);
  }
  /* Mark the parts that loads or drives act on. */
  for (int i = 0; i < m->loads; i++) part[ali3_mechanics_part_of_body(a, m->load[i].spec.body)].loaded = true;
  for (int i = m->forces - 1; i >= 0; i--) {
    const int of = ali3_mechanics_part_of_force(a, i);
    if (m->force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    if (of >= 0) part[of].drive = i;
    whole->drive = i;
  }
}

static void part_numbers(struct finding *f, const ali3_mechanics_part *p)
{
  finding_add_number(f, "bodies", p->bodies, "");
  finding_add_number(f, "rows", p->rows, "");
  finding_add_number(f, "freedoms", p->freedoms, "");
  finding_add_number(f, "freedoms_without_drives", p->freedoms_undriven, "");
  finding_add_number(f, "redundant", p->redundant, "");
  finding_add_number(f, "singular", p->singular, "");
}

static void report_whole(struct inspection *in, int parts, struct part *p)
{
  char without[80] = "", divided[40] = "";
  /* Report the freedoms of the whole mechanism. */
  in->to->freedoms = p->of.freedoms;
  in->to->redundant = p->of.redundant;
  if (p->drive >= 0)
    snprintf(without, sizeof without, " with the drives, %d without them", p->of.freedoms_undriven);
  if (parts > 1) snprintf(divided, sizeof divided, ", in %d parts", parts);
  part_numbers(
      finding_add(in, FINDING_INFO, FINDING_FREEDOMS, FINDING_OF_MODEL, -1, "%d freedom%s%s%s%s",
                  p->of.freedoms, p->of.freedoms == 1 ? "" : "s", without, divided,
                  p->of.doubtful ? "; the position is nearly singular, so each count may be off by one" : ""),
      &p->of);
  /* Report its redundant rows. */
  if (p->first_redundant >= 0)
    finding_add_number(
        finding_add(
            in, FINDING_INFO, FINDING_REDUNDANT, FINDING_OF_JOINT, p->first_redundant,
            "%d redundant row%s, among joints %s: the motion is right, and the reactions of these joints "
            "are the smallest ones that hold the bodies, which real joints share by their stiffness",
            p->of.redundant, p->of.redundant == 1 ? "" : "s", name_list_text(&p->redundant)),
        "redundant", p->of.redundant, "");
}

static void report_part(struct inspection *in, int index, struct part *p)
{
  char without[60] = "";
  if (p->drive >= 0) snprintf(without, sizeof without, " with drives, %d without", p->of.freedoms_undriven);
  part_numbers(finding_add(in, FINDING_INFO, FINDING_PART, FINDING_OF_BODY, p->first_body,
                           "part %d: %s %s: %d freedom%s%s, %d redundant, %s", index + 1,
                           p->of.bodies > 1 ? "bodies" : "body", name_list_text(&p->bodies), p->of.freedoms,
                           p->of.freedoms == 1 ? "" : "s", without, p->of.redundant,
                           p->of.grounded ? "on the ground"
                           : p->of.sprung ? "held by springs or contacts"
                                          : "held by nothing"),
               &p->of);
}

/* A part that floats without gravity, or that the bench pushes, is intended. */
static void inspect_unheld(struct inspection *in, struct part *p)
{
  if (p->of.grounded || p->of.sprung) return;
  const double *g = in->m->gravity;
  const bool meant = p->loaded || (p->of.joints > 0 && g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0);
  struct finding *f = finding_add(
      in, meant ? FINDING_INFO : FINDING_WARNING, FINDING_UNHELD, FINDING_OF_BODY, p->first_body,
      "%s %s: nothing holds %s%s", p->of.bodies > 1 ? "bodies" : "body", name_list_text(&p->bodies),
      p->of.bodies > 1 ? "them" : "it",
      meant ? " except loads"
            : ": no joint or force leads to the ground or to another body; add the missing joint");
  finding_add_number(f, "bodies", p->of.bodies, "");
}

/* A part of welds only is locked by intention. */
static void inspect_locked(struct inspection *in, struct part *p)
{
  if (p->of.freedoms_undriven > 0 || !p->mobile) return;
  const int joint = p->first_redundant >= 0 ? p->first_redundant : p->first_joint;
  char among[200] = "";
  if (p->redundant.all) snprintf(among, sizeof among, " (among %s)", name_list_text(&p->redundant));
  if (p->drive >= 0)
    finding_add(in, FINDING_ERROR, FINDING_DRIVE_LOCKED, FINDING_OF_FORCE, p->drive,
                "drive \"%s\" acts on a mechanism that is locked: bodies %s cannot move even without drives; "
                "replace a "
                "joint that holds too much%s, such as a pin in place of a roller or slide",
                inspection_force(in, p->drive), name_list_text(&p->bodies), among);
  else
    finding_add(in, FINDING_WARNING, FINDING_LOCKED, FINDING_OF_JOINT, joint,
                "the mechanism is locked: bodies %s have 0 freedoms; replace a joint that holds too much%s, "
                "such as a "
                "pin in place of a roller or slide",
                name_list_text(&p->bodies), among);
}

static void inspect_singular(struct inspection *in, struct part *p)
{
  if (p->of.singular == 0) return;
  finding_add_number(
      finding_add(
          in, FINDING_WARNING, FINDING_SINGULAR, FINDING_OF_JOINT, p->first_redundant,
          "the start is a singular position: %d row%s of joints %s depend%s on other rows here, and not "
          "nearby, so the motion from here is not determined: start at a position beside it",
          p->of.singular, p->of.singular == 1 ? "" : "s", name_list_text(&p->redundant),
          p->of.singular == 1 ? "s" : ""),
      "singular", p->of.singular, "");
}

static const char *force_kind(const struct inspection *in, int force)
{
  return in->m->force[force].spec.type == ALI3_FORCE_GEAR ? "gear" : "drive";
}

/* The mechanics report a conflict of two drives twice, once for each drive. The finding names the pair
 * once. */
static void inspect_conflict(struct inspection *in, const ali3_mechanics *a, const ali3_mechanics_conflict *c)
{
  const ali3_force_spec *spec = &in->m->force[c->force].spec;
  const bool turns = ali3_model_force_turns(in->m, c->force),
             agree = fabs(c->velocity) < 1e-6 * (turns ? 1.0 : in->length);
  const int other = c->other_force;
  if (other >= 0 && other < c->force) return;
  /* Describe the conflict: a drive against the joints, or two drives, even if they agree at the start. */
  struct finding *f;
  if (other < 0) {
    ali3_mechanics_part part;
    ali3_mechanics_part_get(a, ali3_mechanics_part_of_force(a, c->force), &part);
    if (part.freedoms_undriven == 0) return; /* inspect_locked() reports the part */
    f = finding_add(in, agree ? FINDING_WARNING : FINDING_ERROR, FINDING_DRIVE_LOCKED, FINDING_OF_FORCE,
                    c->force,
                    "%s \"%s\" acts on joint \"%s\", which the other joints lock: replace a joint that holds "
                    "too much, such as "
                    "a pin in place of a roller or slide, or remove the %s",
                    force_kind(in, c->force), inspection_force(in, c->force), in->m->joint[spec->joint].name,
                    force_kind(in, c->force));
  } else if (!agree) {
    f = finding_add(in, FINDING_ERROR, FINDING_DRIVES_FIGHT, FINDING_OF_FORCE, other,
                    "%s \"%s\" and %s \"%s\" prescribe one freedom and contradict each other by %.3g %s: "
                    "remove one of them",
                    force_kind(in, c->force), inspection_force(in, c->force), force_kind(in, other),
                    inspection_force(in, other), fabs(c->velocity), turns ? "rad/s" : "m/s");
  } else if (spec->type == ALI3_FORCE_GEAR && in->m->force[other].spec.type == ALI3_FORCE_GEAR) {
    f = finding_add(in, FINDING_INFO, FINDING_DRIVES_FIGHT, FINDING_OF_FORCE, other,
                    "gear \"%s\" repeats the condition of gear \"%s\" and others",
                    inspection_force(in, other), inspection_force(in, c->force));
  } else {
    f = finding_add(in, FINDING_WARNING, FINDING_DRIVES_FIGHT, FINDING_OF_FORCE, other,
                    "%s \"%s\" and %s \"%s\" prescribe one freedom; they agree at the start, and fight "
                    "when they no longer agree: remove one of them",
                    force_kind(in, c->force), inspection_force(in, c->force), force_kind(in, other),
                    inspection_force(in, other));
  }
  finding_add_number(f, "velocity", c->velocity, turns ? "rad/s" : "m/s");
}

static void inspect_parts(struct inspection *in, const ali3_mechanics *a)
{
  const int parts = ali3_mechanics_parts(a);
  struct part *part = malloc(((size_t)parts + 1) * sizeof *part);
  if (!part) {
    in->memory = false;
    return;
  }
  read_parts(in, a, part);
  report_whole(in, parts, &part[parts]);
  for (int i = 0; i < parts; i++) {
    if (parts > 1 && i < PARTS_REPORTED) report_part(in, i, &part[i]);
    inspect_unheld(in, &part[i]);
    inspect_locked(in, &part[i]);
    inspect_singular(in, &part[i]);
  }
  free(part);
}

static void list_grounded(struct inspection *in)
{
  const ali3_model *m = in->m;
  struct name_list names = {.all = 0};
  int first = -1, last = -1;
  for (int i = 0; i < m->joints; i++) {
    const struct joint *j = &m->joint[i];
    const int body = j->body[0] == ALI3_GROUND ? j->body[1] : j->body[1] == ALI3_GROUND ? j->body[0] : -1;
    if (body < 0 || body == last) continue;
    if (first < 0) first = body;
    last = body;
    name_list_add(&names, m->body[body].name);
  }
  if (first < 0) return;
  finding_add_number(finding_add(in, FINDING_INFO, FINDING_GROUNDED, FINDING_OF_BODY, first,
                                 "on the ground: %s %s", names.all > 1 ? "bodies" : "body",
                                 name_list_text(&names)),
                     "bodies", names.all, "");
}

void inspect_structure(struct inspection *in)
{
  ali3_mechanics *a = ali3_mechanics_new(in->m, in->d);
  if (!a) {
    in->memory = false;
    return;
  }
  inspect_parts(in, a);
  for (int i = 0; i < ali3_mechanics_conflicts(a); i++) {
    ali3_mechanics_conflict c;
    if (ali3_mechanics_conflict_get(a, i, &c) == ALI3_OK) inspect_conflict(in, a, &c);
  }
  list_grounded(in);
  ali3_mechanics_free(a);
}
