/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a state. As they are they are hardly ever accepted; with the head and the CRC-32 of a good state every
 * number is taken, and neither the steps nor the texts after it may stumble. */
#include "base/crc.h"
#include "state/state.h"

#include <ali3/ali3.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { CRC_FROM = offsetof(struct state_head, version), STEPS = 3 };

static int must(int status)
{
  if (status < 0) abort();
  return status;
}

/* A ball on a rod, in contact with the ground, and a driven hinge: rows of every kind. */
static ali3_model *make_model(ali3_method method, ali3_coordinates coordinates)
{
  static const double motion[][2] = {{0, 0}, {1, 1}, {2, 0}};
  ali3_model *m = ali3_model_new();
  if (!m) abort();
  ali3_body_spec ball = {
      .name = "ball", .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  ali3_joint_spec hinge = {.name = "hinge",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  ali3_force_spec contact = ali3_force_spec_default(ALI3_FORCE_SPHERE_SPHERE);
  hinge.body_b = must(ali3_model_add_body(m, &ball));
  drive.name = "drive";
  drive.joint = must(ali3_model_add_joint(m, &hinge));
  drive.motion = (ali3_table){.n = 3, .point = motion};
  must(ali3_model_add_force(m, &drive));
  ball.name = "second";
  ball.position[0] = 0.19;
  contact.name = "contact";
  contact.body_a = hinge.body_b;
  contact.body_b = must(ali3_model_add_body(m, &ball));
  contact.radius_a = contact.radius_b = 0.1;
  contact.stiffness[0] = 100; /* within the region of every method */
  contact.friction = 0.5;
  must(ali3_model_add_force(m, &contact));
  ali3_options o = ali3_options_default();
  o.method = method;
  o.coordinates = coordinates;
  must(ali3_model_freeze(m, &o));
  return m;
}

struct subject {
  ali3_model *m;
  ali3_data *d;
  unsigned char *saved; /* a good state */
};

static struct subject make_subject(ali3_method method, ali3_coordinates coordinates)
{
  struct subject s = {.m = make_model(method, coordinates)};
  s.d = ali3_data_new(s.m);
  s.saved = malloc(ali3_state_size(s.m));
  if (!s.d || !s.saved) abort();
  must(ali3_reset(s.m, s.d));
  must(ali3_state_save(s.m, s.d, s.saved));
  return s;
}

/* The bytes with a good head and CRC-32, and where they are too short the rest of a good state. */
static void run_signed(const struct subject *s, const uint8_t *bytes, size_t n)
{
  const ali3_model *m = s->m;
  ali3_data *d = s->d;
  char text[2400];
  const size_t size = ali3_state_size(m), head = sizeof(struct state_head);
  unsigned char *state = malloc(size);
  if (!state) abort();
  memcpy(state, s->saved, size);
  if (n > head) memcpy(state + head, bytes + head, (n < size ? n : size) - head);
  const uint32_t crc = crc32_ieee(state + CRC_FROM, size - CRC_FROM);
  memcpy(state + offsetof(struct state_head, crc), &crc, sizeof crc);
  if (ali3_state_load(m, d, state, size) == ALI3_OK) {
    for (int i = 0; i < STEPS; i++) ali3_step(m, d);
    ali3_report_text(m, d, text, sizeof text);
    ali3_violation_text(m, ali3_data_violation(d), text, sizeof text);
    must(ali3_state_save(m, d, state));
  }
  free(state);
}

static void run_subject(const struct subject *s, const uint8_t *bytes, size_t n)
{
  char text[300];
  /* A refusal has a reason. */
  const bool good = ali3_state_load(s->m, s->d, bytes, n) == ALI3_OK;
  const int length = ali3_state_text(s->m, bytes, n, text, sizeof text);
  if (n > 0 && good != (length == 0)) abort();
  run_signed(s, bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  /* One method with iterations, and the explicit one that keeps most of the past, in both coordinates. */
  static struct subject iterated, explicit, jointed;
  if (!iterated.m) {
    iterated = make_subject(ALI3_METHOD_ALI3, ALI3_COORDINATES_BODY);
    explicit = make_subject(ALI3_METHOD_ABM8, ALI3_COORDINATES_BODY);
    jointed = make_subject(ALI3_METHOD_ABM8, ALI3_COORDINATES_JOINT);
  }
  run_subject(&iterated, bytes, n);
  run_subject(&explicit, bytes, n);
  run_subject(&jointed, bytes, n);
  return 0;
}
