/* SPDX-License-Identifier: MIT
 * Where bodies and links lie in tiles, and that nothing is found elsewhere: on random trees with loops. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"
#include "stepper/kernels.h"
#include "stepper/storage.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MODELS = 20 };

static ali3_model *model_of(int seed)
{
  return toy_random((uint64_t)seed, 5 + 4 * seed, seed % 5);
}

static bool same(struct tree_body a, struct tree_body b)
{
  return a.first == b.first && a.width == b.width && a.lane == b.lane;
}

/* What is shuffled comes from where it would be picked. zero: a place to be found as one for all lanes. */
static void check_mix(const struct lane_mix *mix, const struct lane_at *from, int width, size_t zero)
{
  for (int l = 0; l < width; l++) {
    int k = (int)(mix->lane[l] / width), within = (int)(mix->lane[l] % width);
    bool tile = k < mix->tiles;
    assert_in_range(k, 0, mix->places - 1);
    assert_true(from[l].stride == (tile ? (size_t)width : from[l].at == zero ? 0 : 1));
    assert_true(from[l].at == mix->at[k] + (size_t)(tile ? within : 0));
  }
}

TEST(what_is_shuffled_is_what_is_picked)
{
  int sides = 0, ends = 0;
  for (int seed = 1; seed <= 2 * MODELS; seed++) {
    ali3_model *m = seed > MODELS ? toy_chain(8 * seed, true, 0.01) : model_of(seed);
    const struct frozen *f = m->frozen;
    for (int i = 0; i < f->tree->joint_tiles; i++) {
      const struct tree_tile *t = &f->tree->tile[f->tree->joint_tile[i]];
      const struct link_tile *own = &f->link_tile[f->tree->joint_tile[i]];
      for (int side = 0; side < t->sides; side++) {
        struct lane_at from[ISA_LANES_MAX];
        for (int lane = 0; lane < t->width; lane++) {
          const struct tree_body *b = &own->body[t->width * side + lane];
          from[lane] = (struct lane_at){(size_t)(b->first + b->lane), (size_t)b->width};
        }
        if (own->side[side].how != SIDE_MIXED) continue;
        check_mix(own->side[side].mix, from, t->width, (size_t)-1);
        sides++;
      }
    }
    for (int i = 0; i < f->tree->body_tiles; i++) {
      const struct body_tile *own = &f->body_tile[f->tree->body_tile[i]];
      for (int e = 0; e < own->ends; e++) {
        if (!own->end[e].mix) continue;
        check_mix(own->end[e].mix, own->end[e].push, f->tree->tile[f->tree->body_tile[i]].width,
                  f->tree->load);
        ends++;
      }
    }
    ali3_model_free(m);
  }
  assert_true(sides > MODELS && ends > MODELS);
}

TEST(every_side_is_the_body_of_its_lane)
{
  for (int seed = 1; seed <= MODELS; seed++) {
    ali3_model *m = model_of(seed);
    const struct frozen *f = m->frozen;
    for (int i = 0; i < f->tree->joint_tiles; i++) {
      const struct tree_tile *t = &f->tree->tile[f->tree->joint_tile[i]];
      const struct link_tile *own = &f->link_tile[f->tree->joint_tile[i]];
      for (int side = 0; side < t->sides; side++)
        for (int lane = 0; lane < t->width; lane++) {
          const struct tree_body *all = own->body + side * t->width, b = all[lane];
          int link = stored_item(f->tree, t, lane);
          if (link >= 0) assert_true(same(b, *stored_body(m, f->link[link].body[side])));
          if (own->side[side].how == SIDE_BESIDE)
            assert_true(same(b, (struct tree_body){all->first, t->width, lane}));
          if (own->side[side].how == SIDE_SAME) assert_true(same(b, *all));
          if (own->side[side].how == SIDE_WIDE) assert_int_equal(b.width, t->width);
          assert_true(!own->beside || own->side[side].how == SIDE_BESIDE);
        }
    }
    ali3_model_free(m);
  }
}

/* J'lambda of every body, summed over the links, is what its ends find. */
TEST(every_end_is_found_once)
{
  for (int seed = 1; seed <= MODELS; seed++) {
    ali3_model *m = model_of(seed);
    ali3_data *d = toy_start(m, ALI3_OK);
    const struct frozen *f = m->frozen;
    struct random random = {(uint64_t)seed};
    random_vector(&random, d->now.lambda, f->rows);
    STAGE_LINKS(m, d, link_push_lambda, 0.0);
    for (int b = 0; b < m->bodies; b++) {
      double wanted[BODY_Y] = {0}, got[BODY_Y], room[STORED_J];
      for (int i = 0; i < f->links; i++)
        for (int side = 0; side < 2; side++) {
          const struct joint_rows *j = &f->link[i];
          const double *J = stored_jacobian(j, d->J, room) + BODY_Y * side;
          for (int k = 0; j->body[side] == b && k < j->count; k++)
            for (int y = 0; y < BODY_Y; y++)
              wanted[y] += J[BODY_Y * j->sides * k + y] * d->now.lambda[stored_row(j, k)];
        }
      stage_pushed(m, d, b, got);
      for (int y = 0; y < BODY_Y; y++) assert_true(fabs(got[y] - wanted[y]) < 1e-13);
    }
    for (int i = 0; i < f->tree->body_tiles; i++) {
      const struct tree_tile *t = &f->tree->tile[f->tree->body_tile[i]];
      const struct body_tile *own = &f->body_tile[f->tree->body_tile[i]];
      for (int e = 0; e < own->ends; e++)
        for (int lane = 0; own->end[e].aligned && lane < t->width; lane++) {
          assert_true(own->end[e].push[lane].at == own->end[e].push[0].at + (size_t)lane);
          assert_true(own->end[e].push[lane].stride == (size_t)t->width);
        }
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Whether a tile's bodies all lie along their principal axes. */
static bool diagonal(const ali3_model *m, const struct tree_tile *t)
{
  bool found = true;
  for (int lane = 0; lane < t->width; lane++) {
    int body = stored_item(m->frozen->tree, t, lane);
    for (int i = 0; body >= 0 && i < 9; i++) found &= i % 4 == 0 || m->body[body].inertia[i] == 0.0;
  }
  return found;
}

TEST(what_a_tile_of_bodies_knows_is_so)
{
  int aligned = 0, along = 0, tiles = 0;
  for (int seed = 0; seed <= MODELS; seed++) {
    ali3_model *m = seed ? model_of(seed) : toy_chain(40, true, 1e-3);
    const struct frozen *f = m->frozen;
    for (int i = 0; i < f->tree->body_tiles; i++) {
      const struct tree_tile *t = &f->tree->tile[f->tree->body_tile[i]];
      const struct body_tile *own = &f->body_tile[f->tree->body_tile[i]];
      bool beside = own->ends > 0;
      for (int e = 0; e < own->ends; e++) {
        beside &= own->end[e].aligned;
        if (e < 2) assert_true(own->push[e] == own->end[e].push->at);
      }
      assert_true(own->aligned == beside && own->diagonal == diagonal(m, t));
      assert_true(own->slot == t->slot && own->at == t->at && own->carried == t->carried);
      assert_true(own->y == sizeof(double) * BODY_Y * (size_t)t->slot);
      assert_true(own->frame == sizeof(double) * FRAME_NUMBERS * (size_t)t->slot);
      assert_true(own->delta == sizeof(double) * DELTA_NUMBERS * (size_t)t->slot);
      aligned += own->aligned;
      along += own->diagonal;
      tiles++;
    }
    ali3_model_free(m);
  }
  assert_true(0 < aligned && aligned < tiles && 0 < along && along < tiles); /* all of it has been seen */
}

TEST(what_is_not_in_use_rests)
{
  int unused = 0;
  for (int seed = 1; seed <= MODELS; seed++) {
    ali3_model *m = model_of(seed);
    ali3_data *d = toy_start(m, ALI3_OK);
    const struct tree *t = m->frozen->tree;
    toy_run(m, d, 10);
    for (int i = 0; i < t->body_tiles; i++) {
      const struct tree_tile *tile = &t->tile[t->body_tile[i]];
      for (int lane = 0; lane < tile->width; lane++) {
        const double *ground = (const double *)&body_ground, *x = d->now.x + X_NUMBERS * tile->slot + lane;
        if (stored_item(t, tile, lane) >= 0) continue;
        unused++;
        for (int k = 0; k < X_NUMBERS; k++) assert_true(x[k * tile->width] == ground[k]);
      }
    }
    for (int i = 0; i < t->joint_tiles; i++) {
      const struct tree_tile *tile = &t->tile[t->joint_tile[i]];
      for (int lane = 0; lane < tile->width; lane++)
        for (int k = 0; k < tile->rows && stored_item(t, tile, lane) < 0; k++) {
          int row = tile->at + k * tile->width + lane;
          assert_true(d->Phi[row] == 0.0 && d->now.lambda[row] == 0.0 && d->c[row] == 1.0);
        }
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
  print_message("%d lanes of bodies not in use\n", unused);
}

TEST(instruction_sets_agree_to_rounding)
{
  ali3_body_state x[ISA_COUNT];
  for (int i = 0; i < ISA_COUNT; i++) {
    ali3_options o = ali3_options_default();
    if (!isa_supported((enum isa)i)) continue;
    strcpy(o.isa, isa_name((enum isa)i));
    ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    assert_string_equal(ali3_model_isa(m), o.isa);
    toy_run(m, d, 50);
    ali3_body_get(m, d, 1, &x[i]);
    for (int k = 0; k < 3; k++) assert_true(fabs(x[i].position[k] - x[0].position[k]) < 1e-11);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_shuffled_is_what_is_picked),
      cmocka_unit_test(every_side_is_the_body_of_its_lane),
      cmocka_unit_test(every_end_is_found_once),
      cmocka_unit_test(what_a_tile_of_bodies_knows_is_so),
      cmocka_unit_test(what_is_not_in_use_rests),
      cmocka_unit_test(instruction_sets_agree_to_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
