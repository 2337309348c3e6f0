/* SPDX-License-Identifier: MIT
 * Mesh files of a folder, and names that try to leave it. */
#include "mesh/mesh.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] =
    "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    "endloop\nendfacet\nendsolid x\n";
static char folder[] = "/tmp/ali3-mesh-XXXXXX";

/* The path of a name in the folder, until the next call. */
static const char *path_of(const char *name)
{
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put_file(const char *name, const char *content)
{
  FILE *f = fopen(path_of(name), "w");
  assert_non_null(f);
  fputs(content, f);
  fclose(f);
}

/* folder/in/link.stl and others, beside folder/secret.stl. */
static int make_folder(void **state)
{
  char target[200];
  (void)state;
  if (!mkdtemp(folder)) return -1;
  mkdir(path_of("in"), 0700);
  mkdir(path_of("in/deep"), 0700);
  mkdir(path_of("in/folder.stl"), 0700);
  mkfifo(path_of("in/pipe.stl"), 0600);
  put_file("secret.stl", text);
  put_file("in/link.stl", text);
  put_file("in/deep/LINK.STL", text);
  put_file("in/page.stl", "<html>");
  put_file("in/empty.glb", "");
  put_file("in/notes.txt", text);
  snprintf(target, sizeof target, "%s/secret.stl", folder);
  if (symlink(target, path_of("in/away.stl")) != 0 || symlink("link.stl", path_of("in/same.stl")) != 0)
    return -1;
  return symlink(folder, path_of("in/up"));
}

static int remove_folder(void **state)
{
  char command[200];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

TEST(files_below_the_folder_are_read)
{
  struct mesh m;
  char error[500] = "", in[200];
  snprintf(in, sizeof in, "%s", path_of("in"));
  static const char *const good[] = {"link.stl", "deep/LINK.STL"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_true(mesh_file_check(in, good[i], error, sizeof error));
    assert_true(mesh_file_read(&m, in, good[i], error, sizeof error));
    assert_int_equal(m.triangles, 1);
    mesh_free(&m);
  }
}

TEST(no_other_file_is_opened)
{
  static const char *const wrong[][2] = {
      {"../secret.stl", "below the folder"},   {"deep/../../secret.stl", "below the folder"},
      {"./link.stl", "below the folder"},      {"deep//LINK.STL", "below the folder"},
      {"/etc/passwd.stl", "below the folder"}, {"", "ends in .stl or .glb"},
      {".stl", "ends in .stl or .glb"},        {"notes.txt", "ends in .stl or .glb"},
      {"away.stl", "found a symbolic link"},   {"same.stl", "found a symbolic link"},
      {"up/secret.stl", "Not a directory"},    {"folder.stl", "expected a regular file"},
      {"pipe.stl", "expected a regular file"}, {"none.stl", "No such file"},
      {"page.stl", "6 bytes of neither"},      {"empty.glb", "0 bytes of neither"}};
  struct mesh m;
  char in[200];
  snprintf(in, sizeof in, "%s", path_of("in"));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char error[2][500] = {"", ""};
    assert_false(mesh_file_check(in, wrong[i][0], error[0], sizeof error[0]));
    assert_false(mesh_file_read(&m, in, wrong[i][0], error[1], sizeof error[1]));
    mesh_free(&m);
    for (int k = 0; k < 2; k++)
      if (!strstr(error[k], wrong[i][1]))
        fail_msg("%s: expected \"%s\" in \"%s\"", wrong[i][0], wrong[i][1], error[k]);
  }
}

TEST(size_has_a_limit)
{
  struct mesh m;
  char error[500] = "", in[200];
  snprintf(in, sizeof in, "%s", path_of("in"));
  put_file("in/large.stl", text);
  assert_int_equal(truncate(path_of("in/large.stl"), ((off_t)MESH_MB << 20) + 1), 0);
  assert_false(mesh_file_check(in, "large.stl", error, sizeof error));
  assert_non_null(strstr(error, "expected at most 32 MB, found 32.0"));
  assert_false(mesh_file_read(&m, in, "large.stl", error, sizeof error));
  mesh_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_below_the_folder_are_read),
      cmocka_unit_test(no_other_file_is_opened),
      cmocka_unit_test(size_has_a_limit),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
