/* SPDX-License-Identifier: MIT
 * The base of the checks of ali3-doctor: files, sets of processors, interrupts, the tracer of latencies. */
#include "ali3-doctor/hwlat.h"
#include "ali3-doctor/interrupts.h"
#include "check.h"

#include "tools/fake_host.h"

TEST(files)
{
  char text[8];
  long long value = 0;
  fake_put("/a/number", " -42 \n");
  fake_put("/a/text", "12 apples\n");
  fake_put("/a/status", "Key: no\nKey2:\tone two \nlast");
  const struct host h = fake_look(-1);
  assert_false(host_is_here(&h));
  assert_true(host_number(&h, &value, "/%s/number", "a"));
  assert_int_equal(value, -42);
  assert_false(host_number(&h, &value, "/a/text"));
  assert_false(host_number(&h, &value, "/a/none"));
  assert_int_equal(host_read(&h, text, sizeof text, "/a/text"), 7);
  assert_string_equal(text, "12 appl");
  assert_int_equal(host_read(&h, text, sizeof text, "/a/none"), -ENOENT);
  assert_string_equal(text, "");
  assert_int_equal(host_read(&h, text, sizeof text, "/a"), -EISDIR);
  assert_true(host_field(&h, "/a/status", "Key2", text, sizeof text));
  assert_string_equal(text, "one two");
  assert_false(host_field(&h, "/a/status", "last", text, sizeof text));
  assert_int_equal(host_write(&h, "/a/text", "pear"), 0);
  host_read(&h, text, sizeof text, "/a/text");
  assert_string_equal(text, "pear");
  assert_int_equal(host_write(&h, "/a/none", "pear"), -ENOENT);
  assert_false(host_exists(&h, "/a/none"));
  assert_true(has_word("nop hwlat\n", "hwlat") && has_word("rw,cpu", "cpu") && has_word("x", "x"));
  assert_false(has_word("hwlatx nop", "hwlat") || has_word("cpuset", "cpu") || has_word("", "x"));
}

TEST(this_host)
{
  struct host h;
  host_look(&h, "/", 80, 2);
  assert_true(host_is_here(&h));
  assert_true(host_exists(&h, "/proc/self/status"));
  assert_int_equal(CPU_COUNT(&h.loop), 1);
  assert_true(CPU_ISSET(2, &h.loop));
}

TEST(sets_of_processors)
{
  static const char *const same[] = {"", "0", "0-3", "1,3,5", "0-1,8-9,1023"};
  static const char *const wrong[] = {"x",     "-",    "1-",  "1,",     ",1",         "3-1",
                                      "3-1,5", "1024", "1 2", "(null)", "99999999999"};
  char text[64];
  cpu_set_t set, other;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    assert_true(cpus_parse(same[i], &set));
    assert_string_equal(cpus_text(&set, text, sizeof text), same[i]);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (cpus_parse(wrong[i], &set)) fail_msg("\"%s\" is no set of processors", wrong[i]);
  assert_true(cpus_parse("2-5", &set) && cpus_parse("0-3,9", &other));
  const cpu_set_t rest = cpus_except(&set, &other);
  assert_string_equal(cpus_text(&rest, text, sizeof text), "4-5");
  assert_int_equal(cpus_first(&set), 2);
  assert_int_equal(cpus_last(&set), 5);
  CPU_ZERO(&set);
  assert_int_equal(cpus_first(&set), -1);
  assert_int_equal(cpus_last(&set), -1);
  assert_true(cpus_parse("10,20,30", &set));
  assert_string_equal(cpus_text(&set, text, 8), "10,20"); /* never half a number */
}

static struct finding interrupts_found(int cpu, bool again, const char *later)
{
  const struct host h = fake_look(cpu);
  struct findings all = {.count = 0};
  struct interrupts before, after;
  interrupts_look(&h, &before);
  if (later) fake_put("/proc/interrupts", later);
  interrupts_look(&h, &after);
  check_interrupts(&h, &before, again ? &after : NULL, &all);
  interrupts_free(&before);
  interrupts_free(&after);
  assert_int_equal(all.count, 1);
  return all.list[0];
}

TEST(interrupts)
{
  static const char later[] =
      "           CPU0       CPU1       CPU2       CPU3       \n"
      "  8:          5          0          0          2  IO-APIC   8-edge      rtc0\n"
      " 31:        100         50          0         17  PCI-MSI 1-edge      eth0-rx-0\n"
      "LOC:    1999999    1999999    1999999    1999999  Local timer interrupts\n";
  fake_good(NULL);
  /* IRQ 31 may come to CPU 3, but is routed to CPU 1. */
  assert_int_equal(interrupts_found(3, true, NULL).state, FINDING_OK);
  struct finding f = interrupts_found(3, true, later);
  assert_int_equal(f.state, FINDING_WARN);
  assert_string_equal(f.found, "2 came to CPU 3 while measuring, IRQ 31 (eth0-rx-0) 10 times; 2 may");
  assert_non_null(strstr(f.fix, "for i in 8 31; do echo 0-2 > /proc/irq/$i/smp_affinity_list; done"));
  fake_good(NULL);
  fake_remove("/proc/irq/31/effective_affinity_list");
  f = interrupts_found(3, false, NULL);
  assert_int_equal(f.state, FINDING_WARN);
  assert_string_equal(f.found, "1 may come to CPU 3");
  assert_non_null(strstr(f.fix, "for i in 31;"));
  fake_put("/sys/devices/system/cpu/isolated", "\n");
  assert_int_equal(interrupts_found(-1, true, later).state, FINDING_INFO);
  fake_remove("/proc/interrupts");
  assert_int_equal(interrupts_found(3, true, NULL).state, FINDING_UNKNOWN);
}

/* Columns belong to the processors that are online. */
TEST(columns_of_interrupts)
{
  fake_put("/proc/interrupts", "           CPU0       CPU2       CPU3\n"
                               " 40:          1         20        300   PCI-MSI-0000:00:02.0 1-edge a, b\n"
                               " 41:          1\n"
                               "NMI:          1         20        300   Non-maskable interrupts\n");
  const struct host h = fake_look(2);
  struct interrupts t;
  interrupts_look(&h, &t);
  assert_true(t.readable);
  assert_int_equal(t.count, 1);
  assert_int_equal(t.list[0].number, 40);
  assert_int_equal(t.list[0].count, 20);
  assert_string_equal(t.list[0].name, "b");
  interrupts_free(&t);
}

static const char *content(const char *path)
{
  static char text[64];
  const struct host h = fake_look(-1);
  assert_true(host_read(&h, text, sizeof text, "%s", path) >= 0);
  return text;
}

#define TRACER  "/sys/kernel/tracing/current_tracer"
#define TRACING "/sys/kernel/tracing/tracing_on"
#define LONGEST "/sys/kernel/tracing/tracing_max_latency"

TEST(tracers_are_put_back)
{
  static const char *const on[] = {"0", "1"};
  char error[128] = "";
  struct hwlat t;
  const struct host h = fake_look(-1);
  for (int i = 0; i < 2; i++) {
    fake_put(TRACER, "nop\n");
    fake_put(TRACING, on[i]);
    fake_put(LONGEST, "0\n");
    assert_true(hwlat_start(&h, &t, error, sizeof error));
    assert_string_equal(content(TRACER), "hwlat");
    assert_string_equal(content(TRACING), "1");
    fake_put(LONGEST, "37\n");
    assert_int_equal(hwlat_stop(&h, &t, error, sizeof error), 37);
    assert_string_equal(content(TRACER), "nop");
    assert_string_equal(content(TRACING), on[i]);
    assert_string_equal(error, "");
  }
  assert_true(hwlat_start(&h, &t, error, sizeof error));
  fake_remove(LONGEST);
  assert_int_equal(hwlat_stop(&h, &t, error, sizeof error), -1);
  assert_string_equal(content(TRACER), "nop");
}

TEST(tracers_of_others_are_left_alone)
{
  char error[128];
  struct hwlat t;
  const struct host h = fake_look(-1);
  assert_false(hwlat_start(&h, &t, error, sizeof error));
  assert_string_equal(error, "current_tracer: No such file or directory");
  fake_put("/sys/kernel/debug/tracing/current_tracer", "function_graph\n");
  assert_false(hwlat_start(&h, &t, error, sizeof error));
  assert_string_equal(error, "the tracer function_graph is in use");
  assert_string_equal(content("/sys/kernel/debug/tracing/current_tracer"), "function_graph");
  fake_put("/sys/kernel/debug/tracing/current_tracer", "nop\n");
  assert_false(hwlat_start(&h, &t, error, sizeof error));
  assert_string_equal(error, "tracing_on: No such file or directory");
  assert_string_equal(content("/sys/kernel/debug/tracing/current_tracer"), "nop");
}

int main(void)
{
#define FAKE(test) cmocka_unit_test_setup_teardown(test, fake_new, fake_end)
  const struct CMUnitTest tests[] = {
      FAKE(files),
      cmocka_unit_test(this_host),
      cmocka_unit_test(sets_of_processors),
      FAKE(interrupts),
      FAKE(columns_of_interrupts),
      FAKE(tracers_are_put_back),
      FAKE(tracers_of_others_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
