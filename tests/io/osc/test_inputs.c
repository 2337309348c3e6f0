/* SPDX-License-Identifier: MIT
 * Access to inputs, numbering of frames, and the forms of an input. */
#include "base/crc.h"
#include "osc/osc_direct.h"

#include <math.h>
#include <unistd.h>

static void send_frame(int sequence, const struct inet_address *from)
{
  receive_from(wire_message(bytes, "/ali3/in/frame", "ihfffffffffffff", sequence, INT64_C(1), 0., 1., 2., 3.,
                            4., 5., 6., 7., 8., 9., 10., 11., 12.),
               from);
}

/* A blob of `count` floats, each its index plus a quarter; the bits of `spoil` falsify its checksum. */
static size_t put_blob(int sequence, int count, uint32_t spoil)
{
  uint8_t packed[256];
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    const float f = (float)i + 0.25f;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    used += wire_u32(packed + used, bits);
  }
  size_t n = wire_string(bytes, "/ali3/in/blob");
  n += wire_string(bytes + n, ",iib");
  n += wire_u32(bytes + n, (uint32_t)sequence);
  n += wire_u32(bytes + n, crc32_ieee(packed, used) ^ spoil);
  n += wire_u32(bytes + n, (uint32_t)used);
  memcpy(bytes + n, packed, used);
  return n + used;
}

TEST(the_checksum_is_the_common_one)
{
  assert_int_equal(crc32_ieee((const uint8_t *)"123456789", 9), 0xcbf43926);
  assert_int_equal(crc32_ieee((const uint8_t *)"", 0), 0);
  assert_int_equal(crc32_ieee((const uint8_t *)"The quick brown fox jumps over the lazy dog", 43),
                   0x414fa339);
}

TEST(a_blob_is_a_frame_with_a_checksum)
{
  receive(put_blob(5, CHANNELS, 0));
  const struct input_sample *s = taken();
  for (int i = 0; i < CHANNELS; i++)
    assert_true(s[i].value == i + 0.25 && s[i].t_ns == NOW && s[i].sequence == 5 && s[i].counted == 32);
  receive(put_blob(6, CHANNELS, 1));
  assert_counted(osc_checksum, 1);
  receive(put_blob(6, CHANNELS - 1, 0));
  receive(put_blob(6, CHANNELS + 1, 0));
  assert_counted(osc_type_errors, 2);
  receive(put_blob(5, CHANNELS, 0));
  assert_counted(osc_repeated, 1);
  assert_false(snapshot_take(&port.inputs));

  size_t n = put_blob(6, CHANNELS, 0);
  wire_u32(bytes + n - 4, 0x7f800000); /* infinity, with its checksum */
  wire_u32(bytes + 28, crc32_ieee(bytes + 36, 4 * CHANNELS));
  receive(n);
  assert_counted(osc_nonfinite, 1);
  receive(put_blob(6, CHANNELS, 0) - 4); /* shorter than it says */
  assert_counted(osc_malformed, 1);
  assert_counted(osc_received, 1);
}

TEST(frames_are_numbered)
{
  static const struct {
    int sequence;
    bool taken;
    int repeated, late;
  } cases[] = {{100, true, 0, 0},
               {101, true, 0, 0},
               {101, false, 1, 0},
               {100, false, 1, 1},
               {85, false, 1, 2},
               {103, true, 1, 2},
               {102, false, 1, 3},
               {86, true, 1, 3} /* far behind: a restart */,
               {87, true, 1, 3},
               {INT32_MAX, true, 1, 3},
               {INT32_MIN, true, 1, 3} /* the number wraps */,
               {INT32_MAX, false, 1, 4},
               {0, true, 1, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    send_frame(cases[i].sequence, &sender);
    assert_counted(osc_repeated, cases[i].repeated);
    assert_counted(osc_late, cases[i].late);
    if (!cases[i].taken)
      assert_false(snapshot_take(&port.inputs));
    else {
      const struct input_sample *s = taken();
      assert_int_equal(s[3].sequence, (uint32_t)cases[i].sequence);
      assert_int_equal(s[3].counted, 32);
    }
  }
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  const struct input_sample *s = taken();
  assert_int_equal(s[12].counted, 0); /* it came without a number */
  assert_int_equal(s[11].counted, 32);
}

TEST(switches_and_short_addresses)
{
  receive(wire_message(bytes, "/ali3/in/turn", "T"));
  assert_true(taken()[12].value == 1);
  receive(wire_message(bytes, "/ali3/input/turn/value", "F"));
  assert_true(taken()[12].value == 0);
  receive(wire_message(bytes, "/ali3/in/turn/value", "i", 1));
  assert_true(taken()[12].value == 1);
  receive(wire_message(bytes, "/ali3/in/push/torque", "fTi", 2.0, 3));
  const struct input_sample *s = taken();
  assert_true(s[3].value == 2 && s[4].value == 1 && s[5].value == 3);
  receive(wire_message(bytes, "/ali3/in/nobody", "f", 1.0));
  assert_counted(osc_unknown, 1);
  assert_counted(osc_received, 4);
}

TEST(the_first_who_sets_an_input_owns_it)
{
  struct inet_address other;
  const int another = open_socket(&other);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  assert_true(taken()[12].value == 1);
  for (int i = 0; i < 5; i++) receive_from(wire_message(bytes, "/ali3/input/turn", "f", 2.0), &other);
  send_frame(1, &other);
  assert_counted(osc_refused, 6);
  assert_false(snapshot_take(&port.inputs));
  const size_t n = next_answer_at(another); /* reported once a second */
  const uint8_t *args = wire_find(answer, n, "/ali3/ack", "sii");
  assert_non_null(args);
  assert_string_equal((const char *)args, "input");
  assert_int_equal(wire_get_u32(args + 12), RESULT_NOT_AUTHORISED);
  assert_int_equal(next_answer_at(another), 0);
  receive_from(wire_message(bytes, "/ali3/input/push/force", "fff", 1., 2., 3.),
               &other); /* nobody owns it yet */
  assert_true(taken()[2].value == 3);

  now_ns += NS_PER_S; /* not longer than a second */
  receive_from(wire_message(bytes, "/ali3/input/turn", "f", 2.0), &other);
  assert_counted(osc_refused, 7);
  assert_true(next_answer_at(another) > 0);
  now_ns++;
  receive_from(wire_message(bytes, "/ali3/input/turn", "f", 2.0), &other);
  assert_true(taken()[12].value == 2);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  assert_counted(osc_refused, 8);
  close(another);
}

/* A sender that hangs repeats its number, and does not stay the owner by that. */
TEST(repetitions_do_not_keep_an_input)
{
  struct inet_address other;
  const int another = open_socket(&other);
  send_frame(7, &sender);
  for (int i = 0; i < 20; i++) {
    now_ns += NS_PER_S / 10;
    send_frame(7, &sender);
  }
  assert_counted(osc_repeated, 20);
  send_frame(7, &other); /* starts its own numbers */
  assert_counted(osc_received, 2);
  assert_counted(osc_refused, 0);
  close(another);
}

TEST(inputs_of_another_source_are_left_alone)
{
  input[2].sources = UINT64_C(1) << SOURCE_DEVICE;
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  assert_counted(osc_refused, 1);
  assert_acknowledged("input", 0, RESULT_NOT_AUTHORISED);
  send_frame(1, &sender);
  const struct input_sample *s = taken();
  assert_true(s[11].value == 11 && s[11].t_ns == NOW && s[12].t_ns == 0);
  input[2].sources = 0;
}

/* A frame in which `source` owns the input `turn`. */
static const struct frame *owned_by(int source)
{
  static uint64_t cycle = 1;
  static struct input_owner owner[3];
  struct frame *f = frame_of(cycle++, STATE_RUNNING, 0);
  owner[0] = owner[1] = (struct input_owner){.source = OWNER_NONE};
  owner[2] = (struct input_owner){.source = source, .client = 5};
  f->inputs = 3;
  f->owner = owner;
  return f;
}

TEST(an_input_of_another_protocol_is_refused)
{
  struct refusal r;
  osc_out_frame(out, owned_by(SOURCE_MODBUS), now_ns);
  for (int i = 0; i < 3; i++) receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  assert_counted(osc_refused, 3);
  assert_acknowledged("input", 0, RESULT_NOT_AUTHORISED); /* once a second */
  assert_int_equal(next_answer(), 0);
  assert_false(snapshot_take(&port.inputs));
  assert_true(ring_pop(&port.refusals, &r));
  assert_int_equal(r.input, 2);
  assert_true(r.owner.source == SOURCE_MODBUS && r.owner.client == 5);
  char name[CLIENT_NAME];
  clients_address_text(&sender.name.any, name);
  assert_string_equal(r.client, name);
  assert_true(ring_empty(&port.refusals));
  osc_out_frame(out, owned_by(OWNER_NONE), now_ns);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  const struct input_sample *s = taken();
  assert_true(s[12].value == 1.0);
  clients_get(&port.clients, s[12].client, name);
  assert_string_equal(name, r.client);
  osc_out_frame(out, owned_by(SOURCE_OSC), now_ns);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 2.0));
  assert_true(taken()[12].value == 2.0);
  while (next_answer() > 0) continue;
}

/* One input of the frame belongs to another source: the sender is told, and the rest acts. */
TEST(a_frame_passes_over_the_input_of_another_protocol)
{
  osc_out_frame(out, owned_by(SOURCE_MODBUS), now_ns);
  send_frame(1, &sender);
  const struct input_sample *s = taken();
  assert_true(s[11].value == 11 && s[12].t_ns == 0);
  assert_counted(osc_received, 1);
  assert_counted(osc_refused, 1);
  assert_acknowledged("input", 0, RESULT_NOT_AUTHORISED);
}

TEST(inputs_at_addresses_of_the_users_own)
{
  struct mapped item[] = {{(char[]){"/rig/a"}, 12, true, 2.0, 1.0},
                          {(char[]){"/rig/a"}, 0, true, 1.0, 0.0},
                          {(char[]){"/rig/out"}, CHANNELS, false, 1.0, 0.0}};
  const struct mapping map = {item, 3};
  config.map = map;
  direct_restart();
  receive(wire_message(bytes, "/rig/a", "fd", 3.0, 4.0));
  const struct input_sample *s = taken();
  assert_true(s[12].value == 7 && s[0].value == 4 && s[1].t_ns == 0);
  receive(wire_message(bytes, "/rig/a", "f", 3.0));
  receive(wire_message(bytes, "/rig/out", "f", 3.0));
  assert_counted(osc_type_errors, 2);
  item[0].scale = 1e308;
  direct_restart();
  receive(wire_message(bytes, "/rig/a", "fd", 3.0, 4.0)); /* finite on arrival, but infinite after scaling */
  assert_counted(osc_nonfinite, 1);
  receive(wire_message(bytes, "/rig/b", "f", 3.0));
  assert_counted(osc_unknown, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_checksum_is_the_common_one),
      DIRECT_TEST(a_blob_is_a_frame_with_a_checksum),
      DIRECT_TEST(frames_are_numbered),
      DIRECT_TEST(switches_and_short_addresses),
      DIRECT_TEST(the_first_who_sets_an_input_owns_it),
      DIRECT_TEST(repetitions_do_not_keep_an_input),
      DIRECT_TEST(inputs_of_another_source_are_left_alone),
      DIRECT_TEST(an_input_of_another_protocol_is_refused),
      DIRECT_TEST(a_frame_passes_over_the_input_of_another_protocol),
      DIRECT_TEST(inputs_at_addresses_of_the_users_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
