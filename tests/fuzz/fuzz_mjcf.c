/* SPDX-License-Identifier: MIT
 * libFuzzer: bytes choose bodies, joints, constraints and motors of an MJCF file, which libmujoco compiles. The parser of the library
 * is not ours; the target tests what becomes of its model. Without the library each input ends with the error that it is missing. */
#include "import_robot.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { BODIES_MOST = 14, DEPTH_MOST = 6 };

struct source {
  const uint8_t *at, *end;
  FILE *out;
  int bodies, joints, sites;
  unsigned char scalar[BODIES_MOST * 4]; /* joints with one coordinate */
};

static void require(bool holds)
{
  if (!holds) abort();
}

static unsigned take(struct source *s)
{
  return s->at < s->end ? *s->at++ : 0;
}

/* A number of any size that files have. */
static double number(struct source *s)
{
  static const double rare[] = {0.0, 1.0, -1.0, 1e-12, 1e9, -3.141592653589793, 100.0, 1e-3};
  const unsigned x = take(s);
  return x < 16 ? rare[x % 8] : ((double)x - 136.0) / 60.0;
}

static void print_numbers(struct source *s, const char *key, int count)
{
  fprintf(s->out, " %s=\"", key);
  for (int i = 0; i < count; i++) fprintf(s->out, "%s%.17g", i ? " " : "", number(s));
  fputc('"', s->out);
}

static void write_joint(struct source *s, bool top)
{
  static const char *const type[] = {"hinge", "slide", "ball", "hinge"};
  const unsigned x = take(s);
  if (top && x % 7 == 0) {
    fprintf(s->out, "<joint type=\"free\" name=\"j%d\"/>", s->joints);
    s->scalar[s->joints++] = 0;
    return;
  }
  fprintf(s->out, "<joint type=\"%s\" name=\"j%d\"", type[x % 4], s->joints);
  s->scalar[s->joints++] = x % 4 != 2;
  if (x & 4) print_numbers(s, "axis", 3);
  if (x & 8) print_numbers(s, "pos", 3);
  if (x % 4 != 2 && x & 16) print_numbers(s, "ref", 1);
  if (x & 32) print_numbers(s, "stiffness", 1);
  if (x & 64) print_numbers(s, "damping", 1);
  if (x % 4 != 2 && x & 128) print_numbers(s, "range", 2);
  const unsigned y = take(s);
  if (y & 1) print_numbers(s, "armature", 1);
  if (y & 2) print_numbers(s, "frictionloss", 1);
  if (x % 4 != 2 && y & 4) print_numbers(s, "springref", 1);
  fputs("/>", s->out);
}

static void write_body(struct source *s, int depth)
{
  static const char *const geom[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
  const unsigned x = take(s);
  const int first = s->joints;
  fprintf(s->out, "<body name=\"b%d\"", s->bodies++);
  print_numbers(s, "pos", 3);
  if (x & 1) print_numbers(s, "quat", 4);
  fputs(">", s->out);
  for (unsigned i = 0; i < x / 2 % 4 && s->joints - first < 3; i++)
    write_joint(s, depth == 0 && i == 0 && x / 2 % 4 == 1);
  fprintf(s->out, "<inertial mass=\"%g\" diaginertia=\"1 1.2 0.9\"", 0.5 + x);
  print_numbers(s, "pos", 3);
  fputs("/>", s->out);
  if (x & 8) {
    fprintf(s->out, "<geom type=\"%s\" size=\"0.1 0.2 0.3\" group=\"%d\"", geom[take(s) % 5], x % 5);
    print_numbers(s, "pos", 3);
    fputs("/>", s->out);
  }
  if (x & 16) fprintf(s->out, "<site name=\"s%d\" pos=\"1 0 0\"/>", s->sites++);
  while (s->bodies < BODIES_MOST && depth < DEPTH_MOST && take(s) % 3 == 0 && s->at < s->end)
    write_body(s, depth + 1);
  fputs("</body>", s->out);
}

static void write_equality(struct source *s)
{
  const unsigned kind = take(s) % 4, a = take(s), b = take(s);
  if (kind < 2) {
    fprintf(s->out, "<%s body1=\"b%d\"", kind ? "connect" : "weld", (int)(a % (unsigned)s->bodies));
    if (b & 1) fprintf(s->out, " body2=\"b%d\"", (int)(b / 2 % (unsigned)s->bodies));
    if (kind) print_numbers(s, "anchor", 3);
  } else {
    if (s->joints == 0) return;
    const unsigned i = a % (unsigned)s->joints, k = b % (unsigned)s->joints;
    if (!s->scalar[i] || !s->scalar[k]) return;
    fprintf(s->out, "<joint joint1=\"j%u\"", i);
    if (kind == 2) fprintf(s->out, " joint2=\"j%u\"", k);
    fprintf(s->out, " polycoef=\"%g %g 0 0 0\"", number(s), number(s));
  }
  fputs("/>", s->out);
}

static void write_file(struct source *s)
{
  fputs("<mujoco model=\"m\"><compiler angle=\"radian\" autolimits=\"true\"/><worldbody>", s->out);
  do write_body(s, 0);
  while (s->bodies < BODIES_MOST && take(s) % 2 && s->at < s->end);
  fputs("</worldbody><equality>", s->out);
  for (unsigned i = 0, count = take(s) % 4; i < count; i++) write_equality(s);
  fputs("</equality><actuator>", s->out);
  for (unsigned i = 0, count = take(s) % 4; i < count && s->joints; i++) {
    fprintf(s->out, "<%s joint=\"j%d\"", take(s) % 2 ? "motor" : "position",
            (int)(take(s) % (unsigned)s->joints));
    print_numbers(s, "gear", 1);
    print_numbers(s, "ctrlrange", 2);
    fputs("/>", s->out);
  }
  fputs("</actuator></mujoco>", s->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  const unsigned bits = n ? bytes[0] : 0;
  struct source s = {.at = bytes + (n ? 1 : 0), .end = bytes + n};
  const int file = memfd_create("robot.xml", 0);
  char path[40], *text = NULL, *made = NULL;
  size_t size = 0, made_size = 0;
  s.out = open_memstream(&made, &made_size);
  require(file >= 0 && s.out);
  write_file(&s);
  fclose(s.out);
  require(write(file, made, made_size) == (ssize_t)made_size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  /* Import it under options that the first byte chooses. */
  const struct import o = {.file = path,
                           .base = bits & 1 ? BASE_FIXED : BASE_AUTO,
                           .drives = (enum drives)(bits / 2 % 5),
                           .acceleration = 2.0,
                           .velocity = 1.0,
                           .frames = bits & 32 ? "*" : NULL,
                           .armature = bits & 64,
                           .repair_inertia = bits & 128};
  static struct notes notes;
  memset(&notes, 0, sizeof notes);
  notes.file = o.file;
  FILE *out = open_memstream(&text, &size);
  require(out != NULL);
  const bool good = import_robot(&o, made, made_size, &notes, out);
  fclose(out);
  close(file);
  require(good == !notes.failed);
  require(good == (size > 0));
  require(!good || (strstr(text, "model:") && strstr(text, "  bodies:\n") && !strstr(text, "nan") &&
                    !strstr(text, "inf,")));
  free(text);
  free(made);
  return 0;
}
