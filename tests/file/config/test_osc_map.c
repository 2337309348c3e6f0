/* SPDX-License-Identifier: MIT
 * Reading of osc.targets and osc.map. mistakes/ has their mistakes. */
#include "scratch.h"

#include <stdio.h>

#define MODEL                                                                                                \
  "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                   \
  "inputs:\n  - {name: push, body: A}\n"

TEST(groups_are_arguments_of_one_message)
{
  struct settings *s =
      load_good(MODEL "osc:\n  map:\n"
                      "    - {signal: body.A.velocity, address: /rig/a, scale: 2, offset: 1}\n"
                      "    - {signal: input.push.force.y, address: /rig/b}\n"
                      "    - {signal: time, address: /rig/a}\n");
  const struct mapping *map = &s->osc.map;
  assert_int_equal(map->count, 5);
  const int velocity = signals_find(s->signals, "body.A.velocity.x");
  for (int i = 0; i < 3; i++) {
    assert_string_equal(map->item[i].address, "/rig/a");
    assert_int_equal(map->item[i].signal, velocity + i);
    assert_true(map->item[i].scale == 2 && map->item[i].offset == 1 && !map->item[i].input);
  }
  assert_true(map->item[3].input && map->item[3].scale == 1 && map->item[3].offset == 0);
  assert_string_equal(map->item[4].address, "/rig/a");
  assert_int_equal(map->item[4].signal, 0);
  settings_free(s);
}

TEST(targets_have_their_streams)
{
  struct settings *s =
      load_good(MODEL "osc:\n  targets:\n"
                      "    - {host: 239.1.2.3, port: 5, interface: 127.0.0.1, ttl: 7, stream: joint}\n"
                      "    - {host: 239.1.2.3, port: 5, interface: 127.0.0.2, stream: joint}\n"
                      "    - {host: 127.0.0.1, port: 5}\n"
                      "    - {host: 127.0.0.1, port: 5, stream: energy}\n");
  assert_int_equal(s->osc.targets, 4);
  const struct osc_target *t = s->osc.target;
  assert_string_equal(t[0].interface, "127.0.0.1");
  assert_true(t[0].ttl == 7 && t[0].stream == STREAM_JOINT && t[1].ttl == 1);
  assert_null(t[2].interface);
  assert_true(t[2].stream == STREAM_ALL && t[3].stream == STREAM_ENERGY);
  settings_free(s);
}

TEST(a_message_has_to_fit_in_a_packet)
{
  for (int entries = 42; entries <= 43; entries++) { /* of three numbers */
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(MODEL "osc:\n  map:\n", out);
    for (int i = 0; i < entries; i++) fputs("    - {signal: body.A.position, address: /rig/a}\n", out);
    fclose(out);
    struct loaded l = load_text(text);
    if (entries * 3 <= MAPPED_ARGUMENTS_MAX)
      assert_non_null(l.settings);
    else
      assert_non_null(
          strstr(l.errors, "50:42: error: address: /rig/a has 129 arguments: expected at most 128"));
    settings_free(l.settings);
    free(l.errors);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_arguments_of_one_message),
      cmocka_unit_test(targets_have_their_streams),
      cmocka_unit_test(a_message_has_to_fit_in_a_packet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
