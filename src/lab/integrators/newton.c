/* SPDX-License-Identifier: MIT
 * Newmark's formulas (13) with beta 1/4 and gamma 1/2, put into the equations of motion and solved by
 * Newton-Raphson; and the rule by which this and the fixed-point iteration end. Paper 3 says that iterations may
 * diverge at a singular position and must then be interrupted, not how. The rule here: an increment that is larger
 * than the one before is dropped, and the step ends. */
#include "integrators/integrators.h"

enum iteration_end iteration_judge(const struct lab_state *s, struct iteration_rule *rule, double increment)
{
  const double before = rule->last;
  rule->last = increment;
  rule->done++;
  if (rule->done > 1 && !(increment <= before)) return ITERATION_GREW;
  if (increment < s->run->tolerance) return ITERATION_CONVERGED;
  return rule->done == s->run->iterations ? ITERATION_NUMBER : ITERATION_GOES_ON;
}

void iteration_count(struct lab_state *s, const struct iteration_rule *rule, enum iteration_end end)
{
  struct lab_result *o = s->result;
  o->iterations += rule->done;
  if (rule->done > o->most) o->most = rule->done;
  o->interrupted += end == ITERATION_GREW;
  o->unsolved += end == ITERATION_NUMBER;
}

enum lab_status newton_step(struct lab_state *s)
{
  const struct newton_form *form = s->run->formulation->newton;
  struct iteration_rule rule = {0};
  enum iteration_end end = ITERATION_GOES_ON;
  state_keep(s);
  s->now.time += s->h;
  enum lab_status status = form->predict(s);
  while (status == LAB_OK && end == ITERATION_GOES_ON) {
    status = form->increment(s);
    s->result->calls++;
    if (status != LAB_OK) break;
    end = iteration_judge(s, &rule, state_increment(s, s->dq, s->dp));
    if (end != ITERATION_GREW) status = form->accept(s);
  }
  iteration_count(s, &rule, end);
  return status == LAB_OK && form->finish ? form->finish(s) : status;
}

enum lab_status newton_start(struct lab_state *s)
{
  return s->run->formulation->newton->start(s);
}

const struct integrator integrator_nr = {.name = "nr",
                                         .title = "trapezoidal rule, Newton-Raphson iteration",
                                         .needs = NEEDS_NEWTON,
                                         .start = newton_start,
                                         .step = newton_step};
