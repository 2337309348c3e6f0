/* SPDX-License-Identifier: MIT
 * A run that is saved at random cycles and loaded into another model and a block of NaN goes on with equal bits of all signals:
 * every model of the repository, and mechanisms in contact, sticking, rolling, driven, without mass. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"
#include "config/setup.h"
#include "kernels/data.h"
#include "signals/signals.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 300, SAVES = 50, STEPS = 25, ROWS = CYCLES + STEPS + 1 };

/* When a cycle saves: before or after its values are set. */
enum save_at { BEFORE_VALUES, AFTER_VALUES, SAVE_ATS };

/* A run without a break: signals and status of every cycle, and the states. */
struct course {
  const char *name;
  const ali3_model *m;
  struct signals *signals;
  double *row; /* (ROWS, signals->count) */
  int status[ROWS], cycles, at[SAVES];
  double *target;       /* (forces) of external drives at the start */
  unsigned char *saved; /* (SAVES, size) */
  size_t size;
};

/* Values from outside change in every cycle. */
static void set_values(const ali3_model *m, ali3_data *d, int cycle, const double *target)
{
  const double wave = sin(0.21 * cycle);
  const int body = cycle % ali3_model_bodies(m);
  const double push = 1e-2 * wave * m->body[body].spec.mass;
  if (cycle % 7 < 5)
    ali3_set_wrench(m, d, body, (const double[]){push, -push, 0.5 * push},
                    (const double[]){0.0, 0.0, 0.01 * push});
  for (int i = 0; i < ali3_model_forces(m); i++)
    if (ali3_model_force_takes_command(m, i)) ali3_set_command(m, d, i, target[i] + 2e-3 * wave);
}

static void save_state(struct course *c, const ali3_data *d, enum save_at when)
{
  for (int i = 0; i < SAVES; i++)
    if (c->at[i] == c->cycles && i % SAVE_ATS == (int)when)
      assert_int_equal(ali3_state_save(c->m, d, c->saved + (size_t)i * c->size), ALI3_OK);
}

/* Fills rows, statuses and states; `cycles` is the number of good ones. */
static void run_course(struct course *c, ali3_data *d)
{
  struct random r = {17};
  for (int i = 0; i < SAVES; i++) c->at[i] = i < SAVE_ATS ? 0 : random_below(&r, CYCLES);
  assert_true(ali3_reset(c->m, d) >= 0);
  for (int i = 0; i < ali3_model_forces(c->m); i++) {
    ali3_force_state f;
    ali3_force_get(c->m, d, i, &f);
    c->target[i] = f.target;
  }
  for (c->cycles = 0; c->cycles < ROWS; c->cycles++) {
    signals_observe(c->signals, c->m, d, NULL, c->row + c->cycles * c->signals->count);
    save_state(c, d, BEFORE_VALUES);
    set_values(c->m, d, c->cycles, c->target);
    save_state(c, d, AFTER_VALUES);
    if ((c->status[c->cycles] = ali3_step(c->m, d)) < 0) break;
  }
}

/* All of the block but the pointers. */
static void fill_with_nan(const ali3_model *m, ali3_data *d)
{
  const ali3_data *kept[3] = {d, d->coarse[0], d->coarse[1]};
  unsigned char *block = (unsigned char *)d, *end = block + ali3_data_size(m);
  for (unsigned char *at = block; at < end; at++) {
    bool keep = false;
    for (int i = 0; i < 3 && kept[i] && !keep; i++)
      keep = at >= (const unsigned char *)kept[i] && at < (const unsigned char *)(kept[i] + 1);
    if (!keep) *at = 0xff;
  }
}

/* From save i on, in `d` of another model. */
static void check_detour(const struct course *c, const ali3_model *m, ali3_data *d, int i)
{
  double *found = calloc((size_t)c->signals->count, sizeof *found);
  assert_non_null(found);
  fill_with_nan(m, d);
  assert_int_equal(ali3_state_load(m, d, c->saved + (size_t)i * c->size, c->size), ALI3_OK);
  for (int k = c->at[i]; k < c->at[i] + STEPS && k < c->cycles; k++) {
    const double *expected = c->row + k * c->signals->count;
    /* A prepare that is taken back changes nothing. */
    if (i % 3 == 0 && ali3_prepare(m, d) == ALI3_OK) ali3_unprepare(m, d);
    signals_observe(c->signals, m, d, NULL, found);
    for (int s = 0; s < c->signals->count; s++)
      if (memcmp(&found[s], &expected[s], sizeof *found) != 0)
        fail_msg("%s: saved at cycle %d (%d), cycle %d, signal %s: expected %.17g, found %.17g", c->name,
                 c->at[i], i % SAVE_ATS, k, c->signals->signal[s].name, expected[s], found[s]);
    if (k > c->at[i] || i % SAVE_ATS == BEFORE_VALUES) set_values(m, d, k, c->target);
    const int status = ali3_step(m, d);
    if (status != c->status[k])
      fail_msg("%s: saved at cycle %d, cycle %d: expected status %d, found %d", c->name, c->at[i], k,
               c->status[k], status);
  }
  free(found);
}

static ali3_model *copy_of(const ali3_model *m)
{
  const size_t size = ali3_model_flat_size(m);
  void *flat = malloc(size);
  ali3_model *copy = ali3_model_new();
  assert_true(flat && copy && ali3_model_flat_write(m, flat, size) == ALI3_OK);
  assert_int_equal(ali3_model_flat_read(copy, flat, size), ALI3_OK);
  assert_int_equal(ali3_model_freeze(copy, ali3_model_options(copy)), ALI3_OK);
  free(flat);
  return copy;
}

static int check_model(const ali3_model *m, const char *name)
{
  struct course c = {.name = name, .m = m, .signals = signals_new(m, NULL, 0), .size = ali3_state_size(m)};
  assert_non_null(c.signals);
  c.row = calloc((size_t)ROWS * (size_t)c.signals->count, sizeof *c.row);
  c.saved = malloc(SAVES * c.size);
  c.target = calloc((size_t)ali3_model_forces(m) + 1, sizeof *c.target);
  ali3_model *copy = copy_of(m);
  ali3_data *d = ali3_data_new(m), *e = ali3_data_new(copy);
  assert_true(c.row && c.saved && c.target && d && e);
  run_course(&c, d);
  print_message("%s: %d cycles, %zu bytes\n", name, c.cycles, c.size);
  int checked = 0;
  for (int i = 0; i < SAVES; i++) {
    if (c.at[i] >= c.cycles) continue;
    check_detour(&c, copy, e, i);
    checked++;
  }
  /* The block of the run itself, too: it goes back to its start. */
  check_detour(&c, m, d, 0);
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(copy);
  signals_free(c.signals);
  free(c.row);
  free(c.saved);
  free(c.target);
  return checked;
}

static int check_files(const char *pattern, const struct settings_overrides *over)
{
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct settings *s = setup_load(found.gl_pathv[i], over, stderr);
    if (!s) fail_msg("%s", found.gl_pathv[i]);
    assert_int_equal(check_model(s->model, found.gl_pathv[i]), SAVES);
    settings_free(s);
  }
  const int files = (int)found.gl_pathc;
  globfree(&found);
  return files;
}

TEST(every_model_goes_on)
{
  assert_in_range(check_files(TEST_DATA "/../config/models/*.yaml", NULL), 9, 1000);
  assert_in_range(check_files(TEST_DATA "/../config/models/lab/*.yaml", NULL), 9, 1000);
}

TEST(every_model_goes_on_in_extrapolated_steps)
{
  const struct settings_overrides over = {.extrapolate = true};
  assert_in_range(check_files(TEST_DATA "/../config/models/*.yaml", &over), 9, 1000);
}

TEST(every_model_goes_on_in_substeps)
{
  const struct settings_overrides over = {.substeps = 3};
  assert_in_range(check_files(TEST_DATA "/../config/models/*.yaml", &over), 9, 1000);
}

TEST(every_model_goes_on_with_explicit_methods)
{
  static const char *const method[] = {"rk4", "dp5", "ab4", "abm8"};
  for (int i = 0; i < 4; i++) {
    const struct settings_overrides over = {.method = method[i], .substeps = 1 + i};
    check_files(TEST_DATA "/../config/models/double_pendulum.yaml", &over);
    check_files(TEST_DATA "/../config/models/four_bar.yaml", &over);
    check_files(TEST_DATA "/../config/models/sprung_pendulum.yaml", &over);
    check_files(TEST_DATA "/../config/models/hexapod.yaml", &over);
  }
}

/* Index of a ball of 1 kg and 0.1 m. */
static int add_ball(ali3_model *m, const char *name, double x, double y, double speed)
{
  ali3_body_spec s = toy_body(name, (const double[]){x, y, 0}, 1, 4e-3);
  s.velocity[0] = speed;
  s.angular_velocity[1] = 10 * speed;
  return toy_added(m, ali3_model_add_body(m, &s));
}

static void add_contact(ali3_model *m, const char *name, ali3_force_type type, int a, int b)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name;
  s.body_a = a;
  s.body_b = b;
  s.normal[1] = type == ALI3_FORCE_SPHERE_PLANE;
  s.radius_a = type == ALI3_FORCE_SPHERE_PLANE ? s.radius_a : 0.1;
  s.radius_b = 0.1;
  s.stiffness[0] = 1e4;
  s.friction = 0.5;
  toy_added(m, ali3_model_add_force(m, &s));
}

static int add_link(ali3_model *m, const char *name, ali3_joint_type type, int body, double x)
{
  ali3_joint_spec s = {.name = name,
                       .type = type,
                       .body_a = ALI3_GROUND,
                       .body_b = body,
                       .point_a = {x, 0, 0},
                       .axis_a = {0, 0, 1},
                       .axis_b = {0, 0, 1}};
  return toy_added(m, ali3_model_add_joint(m, &s));
}

/* A hinged wheel whose drive follows a spline, or values from outside. */
static void add_wheel(ali3_model *m, const char *name, double x, bool external)
{
  static const double motion[][2] = {{0, 0}, {0.7, 1}, {1.1, 0.5}, {4, 9}};
  const ali3_body_spec body = toy_body(name, (const double[]){x, 0, 0}, 1, 0.1);
  const int joint = add_link(m, name, ALI3_JOINT_REVOLUTE, toy_added(m, ali3_model_add_body(m, &body)), x);
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  s.name = name;
  s.joint = joint;
  s.external = external;
  if (external) s.max_rate = 0.5;
  if (external) s.max_acceleration = 5;
  if (!external) s.motion = (ali3_table){.n = 4, .point = motion};
  toy_added(m, ali3_model_add_force(m, &s));
}

/* A slide that friction holds, and a rod on a massless link. */
static void add_slide_and_rod(ali3_model *m)
{
  const ali3_body_spec block = toy_body("block", (const double[]){20, 0, 0}, 2, 0.1);
  const ali3_body_spec light = toy_body("light", (const double[]){30, 0, 0}, 0, 0);
  const ali3_body_spec rod = toy_body("rod", (const double[]){31, 0, 0}, 1, 0.2);
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = toy_added(m, ali3_model_add_body(m, &block)),
                           .point_a = {20, 0, 0},
                           .axis_a = {1, 0.1, 0},
                           .axis_b = {1, 0.1, 0}};
  ali3_force_spec friction = ali3_force_spec_default(ALI3_FORCE_FRICTION);
  friction.name = "friction";
  friction.joint = toy_added(m, ali3_model_add_joint(m, &slide));
  friction.friction = 5;
  toy_added(m, ali3_model_add_force(m, &friction));
  const int a = toy_added(m, ali3_model_add_body(m, &light)), b = toy_added(m, ali3_model_add_body(m, &rod));
  add_link(m, "hinge", ALI3_JOINT_REVOLUTE, a, 30);
  toy_spherical(m, "elbow", a, (const double[]){0.5, 0, 0}, b, (const double[]){-0.5, 0, 0});
}

static void check_yard(const char *name, int substeps, bool interpolate, bool extrapolate)
{
  ali3_model *m = ali3_model_new();
  ali3_options o = ali3_options_default();
  assert_non_null(m);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  add_contact(m, "floor", ALI3_FORCE_SPHERE_PLANE, ALI3_GROUND, add_ball(m, "bouncer", 0, 0.15, 1));
  const int lower = add_ball(m, "lower", 5, 0.1, 0), upper = add_ball(m, "upper", 5.02, 0.29, 0.3);
  add_contact(m, "under", ALI3_FORCE_SPHERE_PLANE, ALI3_GROUND, lower);
  add_contact(m, "rolling", ALI3_FORCE_SPHERE_SPHERE, lower, upper);
  add_wheel(m, "spline", 10, false);
  add_wheel(m, "outside", 15, true);
  add_slide_and_rod(m);
  o.dt = 2e-3;
  o.substeps = substeps;
  o.interpolate = interpolate;
  o.extrapolate = extrapolate;
  toy_freeze_with(m, &o);
  assert_int_equal(check_model(m, name), SAVES);
  ali3_model_free(m);
}

/* Wheels with drives, and a chain: values from outside jump. */
TEST(drives_go_on_with_explicit_methods)
{
  static const ali3_method method[] = {ALI3_METHOD_RK4, ALI3_METHOD_DP5, ALI3_METHOD_AB4, ALI3_METHOD_ABM8,
                                       ALI3_METHOD_DP8};
  for (int i = 0; i < 10; i++) {
    ali3_model *m = ali3_model_new();
    ali3_options o = ali3_options_default();
    assert_non_null(m);
    add_wheel(m, "spline", 10, false);
    add_wheel(m, "outside", 15, true);
    o.method = method[i % 5];
    o.coordinates = i < 5 ? ALI3_COORDINATES_BODY : ALI3_COORDINATES_JOINT;
    o.substeps = 2;
    o.interpolate = i % 5 == 1;
    toy_freeze_with(m, &o);
    assert_int_equal(check_model(m, ali3_method_name(o.method)), SAVES);
    ali3_model_free(m);
  }
}

TEST(contacts_friction_and_drives_go_on)
{
  check_yard("plain", 1, false, false);
  check_yard("interpolated", 4, true, false);
  check_yard("extrapolated", 1, false, true);
  check_yard("extrapolated and interpolated", 2, true, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_goes_on),
                                     cmocka_unit_test(every_model_goes_on_in_extrapolated_steps),
                                     cmocka_unit_test(every_model_goes_on_in_substeps),
                                     cmocka_unit_test(every_model_goes_on_with_explicit_methods),
                                     cmocka_unit_test(drives_go_on_with_explicit_methods),
                                     cmocka_unit_test(contacts_friction_and_drives_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
