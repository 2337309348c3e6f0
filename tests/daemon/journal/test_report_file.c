/* SPDX-License-Identifier: MIT
 * The place of the report, and the files that stay unchanged before. */
#include "journal/report_file.h"

#include "base/arena.h"
#include "common/folder.h"

#include <errno.h>

static struct settings settings = {.options.dt = 0.01};
static struct report report = {.settings = &settings, .reason = ""};
static struct report_file file;

static int set_up(void **state)
{
  struct telemetry *t = aligned_zalloc(sizeof *t);
  report.telemetry = t;
  return t ? make_folder(state) : -1;
}

static int tear_down(void **state)
{
  report_file_close(&file);
  free((void *)report.telemetry);
  return remove_folder(state);
}

TEST(the_old_report_stays_until_the_new_one_is_whole)
{
  const char *path = in_folder("r.json");
  write_text(path, "old");
  assert_int_equal(chmod(path, 0640), 0);
  assert_true(report_file_open(&file, path));
  assert_string_equal(read_all(path), "old");
  assert_int_equal(count_files(), 1);
  assert_true(report_file_save(&file, &report));
  assert_non_null(strstr(read_all(path), "\"cycles\""));
  assert_int_equal(count_files(), 1);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
}

TEST(a_new_one_is_there_at_the_end)
{
  assert_true(report_file_open(&file, in_folder("r.json")));
  assert_int_equal(count_files(), 0);
  assert_true(report_file_save(&file, &report));
  assert_non_null(strstr(read_all(in_folder("r.json")), "\"cycles\""));
}

TEST(a_link_stays)
{
  struct stat st;
  const char *target = in_folder("there.json");
  write_text(target, "old");
  assert_int_equal(symlink(target, in_folder("r.json")), 0);
  assert_true(report_file_open(&file, in_folder("r.json")));
  assert_true(report_file_save(&file, &report));
  assert_true(lstat(in_folder("r.json"), &st) == 0 && S_ISLNK(st.st_mode));
  assert_non_null(strstr(read_all(target), "\"cycles\""));
}

/* A folder in the way of the new file has the effect of a folder without write permission and a writable file. */
TEST(a_file_in_a_closed_folder_is_written_in_place)
{
  assert_int_equal(mkdir(in_folder("r.json.new"), 0700), 0);
  assert_false(report_file_open(&file, in_folder("r.json")));
  write_text(in_folder("r.json"), "old, and longer than nothing");
  assert_true(report_file_open(&file, in_folder("r.json")));
  assert_int_equal(strlen(read_all(in_folder("r.json"))), strlen("old, and longer than nothing"));
  assert_true(report_file_save(&file, &report));
  assert_int_equal(read_all(in_folder("r.json"))[0], '{');
}

TEST(a_place_that_is_no_file_is_written_directly)
{
  assert_true(report_file_open(&file, NULL));
  assert_true(report_file_save(&file, &report));
  assert_true(report_file_open(&file, "/dev/null"));
  assert_true(report_file_save(&file, &report));
  report_file_close(&file);
  assert_true(report_file_open(&file, "/dev/full"));
  assert_false(report_file_save(&file, &report));
  assert_int_equal(errno, ENOSPC);
  report_file_close(&file);
  assert_false(report_file_open(&file, in_folder("no/r.json")));
  assert_int_equal(errno, ENOENT);
  assert_false(report_file_open(&file, folder));
  assert_int_equal(errno, EISDIR);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(the_old_report_stays_until_the_new_one_is_whole),
      ROW(a_new_one_is_there_at_the_end),
      ROW(a_link_stays),
      ROW(a_file_in_a_closed_folder_is_written_in_place),
      ROW(a_place_that_is_no_file_is_written_directly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
