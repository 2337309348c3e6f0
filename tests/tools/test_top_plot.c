/* SPDX-License-Identifier: MIT
 * The input of gnuplot. */
#include "check.h"
#include "plot.h"

#include "tools/fake_picture.h"

#include <stdlib.h>

TEST(the_script_has_data_and_labels)
{
  static struct picture p;
  fake_picture(&p);
  snprintf(p.block.model, sizeof p.block.model, "it's\n\"`date`\"");
  p.block.realtime = 0;
  snprintf(p.block.reason, sizeof p.block.reason, "no right");
  histogram_add(&p.block.histograms.cycle, UINT64_C(90000000000), 29999);
  histogram_clear(&p.block.histograms.step);
  char *script = NULL;
  size_t size;
  FILE *out = open_memstream(&script, &size);
  assert_non_null(out);
  plot_script(&p, out);
  assert_int_equal(fclose(out), 0);
  static const char *const parts[] = {"'bench_1: model it''s?\"`date`\", 10 ms; 10001 cycles from ",
                                      " cycle 20100 on, 0 deadlines missed'",
                                      "'NOT REAL-TIME, figures unrepresentative' . \"\\n\" . 'no right'",
                                      "$wakeup << END\n30 31 99\n31 32 100\n",
                                      "\n65536000 90000000 1\nEND\n",
                                      "'1 beyond the last bin, 66 s'",
                                      "title 'median 81.0 µs'",
                                      "set label 'none yet'",
                                      "unset multiplot\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(script, parts[i])) fail_msg("\"%s\" is missing in:\n%s", parts[i], script);
  free(script);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_script_has_data_and_labels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
