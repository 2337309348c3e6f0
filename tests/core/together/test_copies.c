/* SPDX-License-Identifier: MIT
 * Runs in the lanes of one model have the bits that they have alone: bodies, reactions, reports, verdicts. */
#include "check.h"
#include "common/toys.h"
#include "together/copies_parts.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = ISA_LANES_MAX, STEPS = 100 };
static uint64_t seed; /* of make_random() */

/* Runs of one structure, each twice: alone, and in lanes. */
struct pairs {
  ali3_model *model[MOST];
  ali3_data *alone[MOST], *lane[MOST];
  struct copies *copies;
  int count;
};

static ali3_options options_of(const char *isa)
{
  ali3_options o = ali3_options_default();
  o.dt = 1e-3;
  snprintf(o.isa, sizeof o.isa, "%s", isa);
  return o;
}

/* A chain of hinges in space, with a load; the numbers differ from copy to copy. */
static ali3_model *make_mechanism(int copy, const char *isa)
{
  const double x = 1.0 + 0.07 * copy, gravity[3] = {0, -9.81, 0};
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, gravity);
  for (int i = 0; i < 4; i++) {
    char name[20];
    snprintf(name, sizeof name, "body%d", i);
    ali3_body_spec body = toy_body(name, (const double[3]){0.5 + i, 0, 0}, x + i, 0.2 * x);
    toy_added(m, ali3_model_add_body(m, &body));
  }
  for (int i = 0; i < 4; i++) {
    const double along = i % 2;
    char name[20];
    snprintf(name, sizeof name, "hinge%d", i);
    const ali3_joint_spec hinge = {.name = name,
                                   .type = ALI3_JOINT_REVOLUTE,
                                   .body_a = i > 0 ? i - 1 : ALI3_GROUND,
                                   .body_b = i,
                                   .point_a = {i > 0 ? 0.5 : 0.0, 0, 0},
                                   .point_b = {-0.5, 0, 0},
                                   .axis_a = {0, along, 1},
                                   .axis_b = {0, along, 1}};
    toy_added(m, ali3_model_add_joint(m, &hinge));
  }
  const ali3_load_spec load = {.name = "push", .type = ALI3_LOAD_FORCE, .body = 2, .vector = {x, 0, 0.3}};
  toy_added(m, ali3_model_add_load(m, &load));
  const ali3_options o = options_of(isa);
  toy_freeze_with(m, &o);
  return m;
}

static bool open_pairs(struct pairs *p, int count, bool whole, ali3_model *(*make)(int copy, const char *isa),
                       const char *isa)
{
  char why[200];
  *p = (struct pairs){.count = count};
  for (int c = 0; c < count; c++) {
    p->model[c] = make(c, isa);
    p->alone[c] = toy_start(p->model[c], ALI3_OK);
    p->lane[c] = toy_start(p->model[c], ALI3_OK);
  }
  p->copies = copies_new((const ali3_model *const *)p->model, p->lane, count, whole, why, sizeof why);
  if (!p->copies) printf("%s: %s\n", isa, why);
  return p->copies != NULL;
}

static void close_pairs(struct pairs *p)
{
  copies_free(p->copies);
  for (int c = 0; c < p->count; c++) {
    ali3_data_free(p->alone[c]);
    ali3_data_free(p->lane[c]);
    ali3_model_free(p->model[c]);
  }
}

static bool are_equal(const struct pairs *p, int c, bool whole)
{
  const ali3_model *m = p->model[c];
  bool equal = true;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state a = {0}, z = {0};
    ali3_body_get(m, p->alone[c], b, &a);
    ali3_body_get(m, p->lane[c], b, &z);
    equal &= memcmp(&a, &z, sizeof a) == 0;
  }
  for (int j = 0; j < ali3_model_joints(m) && whole; j++) {
    ali3_joint_state a, z;
    ali3_joint_get(m, p->alone[c], j, &a);
    ali3_joint_get(m, p->lane[c], j, &z);
    equal &= memcmp(&a, &z, sizeof a) == 0;
  }
  for (int i = 0; i < ali3_model_forces(m) && whole; i++) {
    ali3_force_state a = {0}, z = {0};
    ali3_force_get(m, p->alone[c], i, &a);
    ali3_force_get(m, p->lane[c], i, &z);
    equal &= memcmp(&a, &z, sizeof a) == 0;
  }
  const ali3_report *a = ali3_data_report(p->alone[c]), *z = ali3_data_report(p->lane[c]);
  return equal && a->time == z->time && a->status == z->status && a->increment == z->increment &&
         a->position == z->position && a->velocity == z->velocity && a->acceleration == z->acceleration;
}

/* Inputs jump at different steps, and at the same step. Returns the steps in lanes. */
static int compare_steps(struct pairs *p, bool whole, bool pushed)
{
  int in_lanes = 0, different = 0;
  for (int s = 0; s < STEPS; s++) {
    int status[MOST];
    for (int c = 0; c < p->count && pushed; c++) {
      if (s != 20 && s != 40 + c) continue;
      const double push[3] = {3.0 + c + s, 10.0, -c};
      ali3_set_load(p->model[c], p->alone[c], 0, push);
      ali3_set_load(p->model[c], p->lane[c], 0, push);
    }
    const double before = p->copies->lone;
    assert_true(copies_step(p->copies, status));
    in_lanes += p->copies->lone <= before;
    for (int c = 0; c < p->count; c++) {
      assert_int_equal(ali3_step(p->model[c], p->alone[c]), status[c]);
      different += !are_equal(p, c, whole);
    }
  }
  if (different)
    fail_msg("%d states differ in %d runs of %s", different, p->count, ali3_model_isa(p->model[0]));
  return in_lanes;
}

static void runs_in_lanes_have_the_bits_of_runs_alone(void **state)
{
  (void)state;
  for (int isa = 0; isa < ISA_COUNT; isa++) {
    const int lanes = isa_lanes((enum isa)isa);
    for (int count = lanes; count >= 2 && isa_supported((enum isa)isa); count -= lanes / 2 + 1)
      for (int whole = 0; whole < 2; whole++) {
        struct pairs p;
        assert_true(open_pairs(&p, count, whole, make_mechanism, isa_name((enum isa)isa)));
        /* a step with inputs of one run alone is made by each run alone */
        assert_int_equal(compare_steps(&p, whole, true), STEPS - count);
        close_pairs(&p);
      }
  }
}

static ali3_model *make_random(int copy, const char *isa)
{
  (void)copy;
  const ali3_options o = options_of(isa);
  return toy_random_with(seed, 9, 3, &o);
}

/* Without fused products the order of all sums shows. The runs differ by their loads. */
static void random_mechanisms_keep_the_order_of_sums(void **state)
{
  (void)state;
  for (seed = 1; seed <= 12; seed++) {
    struct pairs p;
    assert_true(open_pairs(&p, 2, true, make_random, "baseline"));
    for (int c = 0; c < p.count; c++) {
      const double force[3] = {c, 2.0 - c, 1.0}, torque[3] = {0.0, 0.3 * c, 0.0};
      ali3_set_wrench(p.model[c], p.alone[c], 3, force, torque);
      ali3_set_wrench(p.model[c], p.lane[c], 3, force, torque);
    }
    compare_steps(&p, true, false);
    close_pairs(&p);
  }
}

/* A run that fails keeps its last good state; the others go on alone. */
static void a_run_that_fails_fails_alone(void **state)
{
  (void)state;
  struct pairs p;
  int status[MOST];
  assert_true(open_pairs(&p, isa_lanes(isa_best()), false, make_mechanism, ""));
  compare_steps(&p, false, true);
  const double nothing[3] = {NAN, 0, 0};
  ali3_set_load(p.model[1], p.alone[1], 0, nothing);
  ali3_set_load(p.model[1], p.lane[1], 0, nothing);
  assert_false(copies_step(p.copies, status));
  for (int s = 0; s < STEPS; s++)
    for (int c = 0; c < p.count; c++) {
      if (s > 0 && c == 1) continue;
      if (s > 0) status[c] = ali3_step(p.model[c], p.lane[c]);
      assert_int_equal(ali3_step(p.model[c], p.alone[c]), status[c]);
      assert_int_equal(status[c] < 0, c == 1);
      assert_true(are_equal(&p, c, true));
    }
  close_pairs(&p);
}

/* Models of other structures, options and methods. */
static void runs_that_differ_in_more_than_numbers_are_refused(void **state)
{
  (void)state;
  char why[200];
  ali3_options o = options_of("");
  ali3_model *chain = toy_random_with(1, 9, 3, &o), *other = toy_random_with(2, 9, 3, &o);
  o.method = ALI3_METHOD_RK4;
  ali3_model *explicit = toy_random_with(1, 9, 3, &o);
  ali3_data *a = toy_start(chain, ALI3_OK), *b = toy_start(other, ALI3_OK), *c = toy_start(explicit, ALI3_OK);
  assert_null(
      copies_new((const ali3_model *[]){chain, other}, (ali3_data *[]){a, b}, 2, false, why, sizeof why));
  assert_string_equal(why, "the runs differ in more than numbers");
  assert_null(copies_new((const ali3_model *[]){explicit, explicit}, (ali3_data *[]){c, c}, 2, false, why,
                         sizeof why));
  assert_string_equal(why, "lanes need the method ali3");
  ali3_data_free(a);
  ali3_data_free(b);
  ali3_data_free(c);
  ali3_model_free(chain);
  ali3_model_free(other);
  ali3_model_free(explicit);
}

/* Whether a run with options `o` may stand in a lane beside one with options `p`. */
static bool go_together(const ali3_options *o, const ali3_options *p)
{
  char why[200];
  ali3_model *a = toy_random_with(1, 9, 3, o), *b = toy_random_with(1, 9, 3, p);
  ali3_data *x = toy_start(a, ALI3_OK), *y = toy_start(b, ALI3_OK);
  struct copies *k =
      copies_new((const ali3_model *[]){a, b}, (ali3_data *[]){x, y}, 2, false, why, sizeof why);
  if (!k) assert_string_equal(why, "the runs differ in more than numbers");
  const bool together = k;
  copies_free(k);
  ali3_data_free(x);
  ali3_data_free(y);
  ali3_model_free(a);
  ali3_model_free(b);
  return together;
}

/* Each option that acts in a step is compared; bytes that no option has, and options of the assembly, are not. */
static void runs_go_together_by_the_options_that_act_in_a_step(void **state)
{
  (void)state;
  const ali3_options o = options_of("baseline");
  ali3_options other[] = {o, o, o, o, o, o, o, o, o, o};
  other[0].dt *= 2.0;
  other[1].iterations++;
  other[2].alpha += 1e6;
  other[3].compliance += 1e-9;
  other[4].interpolate = !o.interpolate;
  other[5].gamma += 0.01;
  other[6].beta += 0.3;
  other[7].violation += 1e-3;
  other[8].retry = 4;
  other[9].method = ALI3_METHOD_RK4;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (go_together(&o, &other[i])) fail_msg("case %zu: runs with other options go together", i);
  ali3_options same = o;
  memset((char *)&same + sizeof same.method, 0x5a, offsetof(ali3_options, dt) - sizeof same.method);
  memset(same.isa + sizeof "baseline", 0x5a, sizeof same.isa - sizeof "baseline");
  same.assembly_position *= 2.0;
  same.assembly_angle *= 2.0;
  assert_true(go_together(&o, &same));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_in_lanes_have_the_bits_of_runs_alone),
                                     cmocka_unit_test(random_mechanisms_keep_the_order_of_sums),
                                     cmocka_unit_test(a_run_that_fails_fails_alone),
                                     cmocka_unit_test(runs_that_differ_in_more_than_numbers_are_refused),
                                     cmocka_unit_test(runs_go_together_by_the_options_that_act_in_a_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
