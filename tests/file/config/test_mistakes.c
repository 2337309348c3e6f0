/* SPDX-License-Identifier: MIT
 * Every mistake of a file is refused with the text and at the place that mistakes/ expects.
 *
 * Each file there holds the cases of one theme. A case begins with "==== NAME.yaml" and is a whole configuration file; its
 * first lines, "# expect: PLACE: TEXT", are the errors in their order. " ... " in TEXT stands for any text between its neighbours. */
#include "config/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* "FILE:LINE:COLUMN: error: TEXT" becomes "LINE:COLUMN: TEXT" for this file and "@NAME:LINE:COLUMN: TEXT" for another file. */
static void shorten(const char *folder, const char *name, const char *line, char *out, size_t size)
{
  const char *error = strstr(line, ": error: ");
  size_t prefix = strlen(folder) + 1;
  assert_true(strncmp(line, folder, prefix - 1) == 0);
  const char *place = line + prefix;
  bool own = strncmp(place, name, strlen(name)) == 0 && strchr(": ", place[strlen(name)]);
  if (own) place += strlen(name) + (place + strlen(name) < error);
  snprintf(out, size, "%s%.*s%s%s", own ? "" : "@", (int)(error - place), place, place < error ? ": " : "",
           error + 9);
}

/* " ... " in `expected` stands for any text. */
static bool is_expected(const char *found, const char *expected)
{
  const char *gap = strstr(expected, " ... ");
  if (!gap) return strcmp(found, expected) == 0;
  const size_t before = (size_t)(gap - expected), behind = strlen(gap + 4), length = strlen(found);
  return length >= before + behind && strncmp(found, expected, before) == 0 &&
         strcmp(found + length - behind, gap + 4) == 0;
}

/* The next line that is an error. The lines of the source below an error are skipped. */
static const char *next_error(char **rest)
{
  char *line;
  while ((line = strsep(rest, "\n")) && !strstr(line, ": error: "))
    ;
  return line;
}

static void check_bad_file(const char *folder, const char *name)
{
  char file[600], line[1000], expected[1000], found[1000];
  snprintf(file, sizeof file, "%s/%s", folder, name);
  struct loaded l = load_file(file, NULL);
  if (l.settings) fail_msg("%s was taken for right", file);

  FILE *f = fopen(file, "r");
  assert_non_null(f);
  char *rest = l.errors;
  const char *error;
  while (fgets(line, sizeof line, f) && sscanf(line, "# expect: %999[^\n]", expected) == 1) {
    error = next_error(&rest);
    if (!error) {
      fail_msg("%s: expected \"%s\", found no further error", file, expected);
      break;
    }
    shorten(folder, name, error, found, sizeof found);
    if (!is_expected(found, expected)) fail_msg("%s:\nexpected %s\nfound    %s", file, expected, found);
  }
  error = next_error(&rest);
  if (error) fail_msg("%s: more than expected: %s", file, error);
  fclose(f);
  free(l.errors);
}

/* Makes a folder with the files that some cases name, and the folder "bad" in it. */
static void make_folder(char folder[64])
{
  static const char *const beside[] = {"packets.yaml", "maps.yaml", "osc_maps.yaml", "included.yaml",
                                       "part.yaml"};
  char from[600], to[128];
  snprintf(folder, 64, "/tmp/ali3-mistakes-XXXXXX");
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    snprintf(from, sizeof from, TEST_DATA "/file/config/%s", beside[i]);
    snprintf(to, sizeof to, "%s/%s", folder, beside[i]);
    assert_int_equal(symlink(from, to), 0);
  }
  snprintf(to, sizeof to, "%s/bad", folder);
  assert_int_equal(mkdir(to, 0700), 0);
}

static void empty_folder(const char *folder)
{
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') unlink(path);
  }
  closedir(d);
  assert_int_equal(rmdir(folder), 0);
}

/* Writes the cases of one theme into a folder. Returns their number. */
static int write_cases(const char *theme, const char *folder)
{
  char line[4096], name[128], path[256];
  int cases = 0;
  FILE *in = fopen(theme, "r"), *out = NULL;
  assert_non_null(in);
  while (fgets(line, sizeof line, in)) {
    if (sscanf(line, "==== %127[^\n]", name) == 1) {
      if (out) fclose(out);
      snprintf(path, sizeof path, "%s/%s", folder, name);
      if (access(path, F_OK) == 0) fail_msg("%s: there are two cases named %s", theme, name);
      out = fopen(path, "w");
      assert_non_null(out);
      cases++;
    } else if (out) {
      fputs(line, out);
    }
  }
  if (out) fclose(out);
  fclose(in);
  return cases;
}

static void check_theme(const char *theme)
{
  char folder[64], bad[80], path[600];
  snprintf(path, sizeof path, TEST_DATA "/file/config/mistakes/%s.txt", theme);
  make_folder(folder);
  snprintf(bad, sizeof bad, "%s/bad", folder);
  assert_true(write_cases(path, bad) >= 10);
  DIR *d = opendir(bad);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));)
    if (e->d_name[0] != '.') check_bad_file(bad, e->d_name);
  closedir(d);
  empty_folder(bad);
  empty_folder(folder);
}

#define THEMES(X)                                                                                            \
  X(syntax)                                                                                                  \
  X(model)                                                                                                   \
  X(forces)                                                                                                  \
  X(inputs)                                                                                                  \
  X(cycle)                                                                                                   \
  X(osc)                                                                                                     \
  X(modbus)                                                                                                  \
  X(devices)                                                                                                 \
  X(packets)                                                                                                 \
  X(platform)                                                                                                \
  X(rig)                                                                                                     \
  X(short_forms)

#define THEME_TEST(theme)                                                                                    \
  static void mistakes_of_##theme(void **state)                                                              \
  {                                                                                                          \
    (void)state;                                                                                             \
    check_theme(#theme);                                                                                     \
  }
THEMES(THEME_TEST)

int main(void)
{
#define THEME_ROW(theme) cmocka_unit_test(mistakes_of_##theme),
  const struct CMUnitTest tests[] = {THEMES(THEME_ROW)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
