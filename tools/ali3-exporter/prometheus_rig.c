/* SPDX-License-Identifier: MIT
 * The signs that come back from the rigs of motion platforms: where they really are, how far that is from the command, and
 * whether they may move. */
#include "lines.h"
#include "prometheus.h"

static const char *const leg_name[PLATFORM_LEGS] = {"1", "2", "3", "4", "5", "6"};

/* True if the daemon has a section rig and its figures are consistent. */
static bool has_rig(const struct present *p)
{
  return p->sample.t && p->sample.t->rig && p->sample.whole;
}

static const struct rig_output *rig_of(const struct present *p)
{
  return &p->sample.t->live.rig;
}

static void write_rig_flags(const struct present *p, FILE *out)
{
  const unsigned flags = rig_bits(rig_of(p)->flags);
#define FLAG_LINE(id, bit, text)                                                                             \
  write_line("ali3_rig_flag", p, "flag", text, (flags & (unsigned)(id)) != 0, out);
  RIG_FLAG_LIST(FLAG_LINE)
#undef FLAG_LINE
}

static void write_permissives(const struct present *p, FILE *out)
{
  const unsigned met = rig_bits(rig_of(p)->permissives);
  for (uint32_t i = 0; i < p->sample.t->permissives; i++)
    write_line("ali3_rig_permissive", p, "permissive", p->sample.t->permissive[i], met >> i & 1, out);
}

static void write_coordinates(const char *name, const struct present *p, const double *value, FILE *out)
{
  for (int k = 0; k < PLATFORM_DOF; k++)
    write_line(name, p, "coordinate", platform_coordinate_name[k], value[k], out);
}

static void write_rig_pose(const struct present *p, FILE *out)
{
  write_coordinates("ali3_rig_pose", p, rig_of(p)->pose, out);
}

static void write_pose_error(const struct present *p, FILE *out)
{
  write_coordinates("ali3_rig_pose_error", p, rig_of(p)->pose_error, out);
}

static void write_rig_legs(const struct present *p, FILE *out)
{
  for (int i = 0; i < PLATFORM_LEGS; i++)
    write_line("ali3_rig_leg", p, "leg", leg_name[i], rig_of(p)->legs[i], out);
}

static void write_leg_error(const struct present *p, FILE *out)
{
  for (int i = 0; i < PLATFORM_LEGS; i++)
    write_line("ali3_rig_leg_error", p, "leg", leg_name[i], rig_of(p)->leg_error[i], out);
}

static void write_felt_force(const struct present *p, FILE *out)
{
  write_line("ali3_rig_felt_force", p, NULL, NULL, rig_of(p)->felt_force[0], out);
}

static void write_felt_rate(const struct present *p, FILE *out)
{
  write_line("ali3_rig_felt_rate", p, NULL, NULL, rig_of(p)->felt_rate[0], out);
}

static void write_felt_beyond(const struct present *p, FILE *out)
{
  write_line("ali3_rig_felt_beyond_total", p, NULL, NULL, rig_of(p)->felt_beyond[0], out);
}

void prometheus_rigs(const struct census *c, FILE *out)
{
  static const struct {
    const char *type, *name, *help;
    void (*write)(const struct present *p, FILE *out);
  } figure[] = {
      {"gauge", "ali3_rig_flag", "1 for each flag of the rig that is set", write_rig_flags},
      {"gauge", "ali3_rig_permissive", "1 for each permissive of the rig that is met", write_permissives},
      {"gauge", "ali3_rig_pose", "actual pose of the rig, m and rad from neutral", write_rig_pose},
      {"gauge", "ali3_rig_pose_error", "actual minus commanded pose, filtered, m and rad", write_pose_error},
      {"gauge", "ali3_rig_leg", "actual legs or cranks of the rig, m or rad", write_rig_legs},
      {"gauge", "ali3_rig_leg_error", "actual minus commanded legs or cranks, filtered, m or rad",
       write_leg_error},
      {"gauge", "ali3_rig_felt_force",
       "specific force at the head minus that of an upright rest, its magnitude, m/s^2", write_felt_force},
      {"gauge", "ali3_rig_felt_rate", "magnitude of the angular velocity, rad/s", write_felt_rate},
      {"counter", "ali3_rig_felt_beyond_total", "times that a limit at the head was exceeded",
       write_felt_beyond},
  };
  /* A heading, then a line or more for each daemon. */
  for (size_t f = 0; f < sizeof figure / sizeof *figure; f++) {
    write_heading(figure[f].type, figure[f].name, figure[f].help, out);
    for (int i = 0; i < c->count; i++)
      if (has_rig(&c->one[i])) figure[f].write(&c->one[i], out);
  }
}
