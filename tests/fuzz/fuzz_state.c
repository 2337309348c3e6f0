/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a state. As they are they are hardly ever accepted; with the head and the CRC-32 of a good state every
 * number is taken, and neither the steps nor the texts after it may stumble. */
#include "base/crc.h"
#include "start/state.h"

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
static ali3_model *make_model(void)
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
  contact.stiffness[0] = 1e3;
  contact.friction = 0.5;
  must(ali3_model_add_force(m, &contact));
  must(ali3_model_freeze(m, NULL));
  return m;
}

/* The bytes with a good head and CRC-32, and where they are too short the rest of a good state. */
static void run_signed(const ali3_model *m, ali3_data *d, const unsigned char *saved, const uint8_t *bytes,
                       size_t n)
{
  char text[2400];
  const size_t size = ali3_state_size(m), head = sizeof(struct state_head);
  unsigned char *state = malloc(size);
  if (!state) abort();
  memcpy(state, saved, size);
  if (n > head) memcpy(state + head, bytes + head, (n < size ? n : size) - head);
  const uint32_t crc = crc32_ieee(state + CRC_FROM, size - CRC_FROM);
  memcpy(state + offsetof(struct state_head, crc), &crc, sizeof crc);
  if (ali3_state_load(m, d, state, size) == ALI3_OK) {
    for (int i = 0; i < STEPS; i++) ali3_step(m, d);
    ali3_report_text(m, d, text, sizeof text);
    ali3_violation_text(m, ali3_violation_get(d), text, sizeof text);
    must(ali3_state_save(m, d, state));
  }
  free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static ali3_model *m;
  static ali3_data *d;
  static unsigned char *saved;
  char text[300];
  /* The model, its data, and a good state. */
  if (!m) {
    m = make_model();
    d = ali3_data_new(m);
    saved = malloc(ali3_state_size(m));
    if (!d || !saved) abort();
    must(ali3_reset(m, d));
    must(ali3_state_save(m, d, saved));
  }
  /* A refusal has a reason. */
  const bool good = ali3_state_load(m, d, bytes, n) == ALI3_OK;
  const int length = ali3_state_text(m, bytes, n, text, sizeof text);
  if (n > 0 && good != (length == 0)) abort();
  run_signed(m, d, saved, bytes, n);
  return 0;
}
