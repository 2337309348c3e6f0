/* SPDX-License-Identifier: MIT
 * Properties of the state machine of the platform for every state and request. */
#include "check.h"
#include "platform/platform_parts.h"

enum { STATES = PLATFORM_JOG + 1, REQUESTS = PLATFORM_TO_SAFE + 1 };

#define for_all(state, request, engaged, rest)                                                               \
  for (int state = 0; (state) < STATES; (state)++)                                                           \
    for (int request = 0; (request) < REQUESTS; (request)++)                                                 \
      for (int engaged = 0; (engaged) < 2; (engaged)++)                                                      \
        for (int rest = 0; (rest) < 2; (rest)++)

static enum platform_state next(int state, int request, int engaged, int rest)
{
  return states_next((enum platform_state)state, (enum platform_request)request, engaged, rest);
}

/* A moving platform stops before it obeys another request. */
static void moves_begin_at_rest(void **unused)
{
  (void)unused;
  for_all(state, request, engaged, rest)
  {
    const enum platform_state to = next(state, request, engaged, rest);
    if ((states_moves(to) || to == PLATFORM_JOG) && (int)to != state) assert_true(rest);
    /* only an arrival, or a request up from UNKNOWN, leads there */
    assert_true(to != PLATFORM_PARKED || state == PLATFORM_PARKED || state == PLATFORM_UNKNOWN);
    assert_true(to != PLATFORM_NEUTRAL || state == PLATFORM_NEUTRAL);
  }
}

static void run_takes_to_be_engaged(void **unused)
{
  (void)unused;
  for_all(state, request, engaged, rest)
  {
    const enum platform_state to = next(state, request, engaged, rest);
    if (to != PLATFORM_RUN || state == PLATFORM_RUN) continue;
    assert_int_equal(request, PLATFORM_TO_RUN);
    assert_true(state == PLATFORM_NEUTRAL || (state == PLATFORM_FREEZE && engaged));
  }
}

/* Under a constant request, with moves that arrive, every state leads to the state of the request and stays there. */
static void an_order_leads_there(void **unused)
{
  (void)unused;
  static const enum platform_state ends[REQUESTS] = {
      [PLATFORM_TO_PARK] = PLATFORM_PARKED,  [PLATFORM_TO_NEUTRAL] = PLATFORM_NEUTRAL,
      [PLATFORM_TO_RUN] = PLATFORM_RUN,      [PLATFORM_TO_FREEZE] = PLATFORM_FREEZE,
      [PLATFORM_TO_FAULT] = PLATFORM_PARKED, [PLATFORM_TO_JOG] = PLATFORM_JOG,
      [PLATFORM_TO_SAFE] = PLATFORM_PARKED};
  for (int start = 0; start < STATES; start++)
    for (int request = 0; request < REQUESTS; request++) {
      enum platform_state state = (enum platform_state)start;
      bool engaged = state == PLATFORM_NEUTRAL || state == PLATFORM_RUN;
      for (int i = 0; i < 10; i++) {
        if (states_moves(state)) {
          state = states_arrived(state);
          engaged |= state == PLATFORM_NEUTRAL;
        }
        state = states_next(state, (enum platform_request)request, engaged, true);
        engaged &= !states_moves(state);
      }
      const bool parked =
          request == PLATFORM_TO_FREEZE && (start == PLATFORM_PARKED || start == PLATFORM_PARK);
      const bool up =
          request == PLATFORM_TO_NEUTRAL || request == PLATFORM_TO_RUN || request == PLATFORM_TO_JOG;
      const bool unknown = start == PLATFORM_UNKNOWN && !up;
      assert_int_equal(state, unknown ? PLATFORM_UNKNOWN : parked ? PLATFORM_PARKED : ends[request]);
    }
}

/* UNKNOWN: a request up states that the platform is parked, and it is PARKED for one cycle before it moves. */
static void an_unknown_pose_is_known_by_an_order_up(void **unused)
{
  (void)unused;
  for_all(state, request, engaged, rest)
  {
    const enum platform_state to = next(state, request, engaged, rest);
    const bool up =
        request == PLATFORM_TO_NEUTRAL || request == PLATFORM_TO_RUN || request == PLATFORM_TO_JOG;
    if (state == PLATFORM_UNKNOWN)
      assert_int_equal(to, up ? PLATFORM_PARKED : PLATFORM_UNKNOWN);
    else
      assert_int_not_equal(to, PLATFORM_UNKNOWN);
  }
}

/* After a fault the platform goes to neutral before it parks, unless it is at neutral or already parks. */
static void a_fault_leads_by_neutral(void **unused)
{
  (void)unused;
  assert_int_equal(next(PLATFORM_RUN, PLATFORM_TO_FAULT, true, false), PLATFORM_STOP);
  assert_int_equal(next(PLATFORM_STOP, PLATFORM_TO_FAULT, true, true), PLATFORM_FAULT);
  assert_int_equal(next(PLATFORM_FAULT, PLATFORM_TO_FAULT, false, false), PLATFORM_FAULT);
  assert_int_equal(states_arrived(PLATFORM_FAULT), PLATFORM_PARK);
  assert_int_equal(next(PLATFORM_PARK, PLATFORM_TO_FAULT, false, false), PLATFORM_PARK);
  assert_int_equal(next(PLATFORM_NEUTRAL, PLATFORM_TO_FAULT, true, true), PLATFORM_PARK);
}

static void names(void **unused)
{
  (void)unused;
  assert_string_equal(platform_state_name(PLATFORM_RUN), "run");
  assert_string_equal(platform_state_name(PLATFORM_UNKNOWN), "unknown");
  assert_string_equal(platform_state_name(99), "?");
  assert_string_equal(platform_mode_name(PLATFORM_EXTERNAL), "external");
  assert_string_equal(platform_mode_name(99), "?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_begin_at_rest),      cmocka_unit_test(run_takes_to_be_engaged),
      cmocka_unit_test(an_order_leads_there),     cmocka_unit_test(an_unknown_pose_is_known_by_an_order_up),
      cmocka_unit_test(a_fault_leads_by_neutral), cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
