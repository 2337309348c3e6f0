/* SPDX-License-Identifier: MIT
 * The struct that a whole file is read into before it is checked, and functions that several readers share. */
#ifndef SETTINGS_VALUES_H
#define SETTINGS_VALUES_H

#include "model/names.h"
#include "settings/settings.h"
#include "yaml/schema.h"

struct in6_addr;

/* A whole file. Texts point into its tree. */
struct file_values {
  struct settings settings; /* without its texts */
  const char *osc_bind, *osc_prefix, *modbus_bind, *modbus_serial, *instance, *state_folder, *record_trigger,
      *record_signals;
  bool osc_any_interface, modbus_any_interface;
  int isa;                  /* in schema_isas */
  int modbus_serial_access; /* as the access of struct peer_values */
  struct {                  /* keys of the platform that its setup has in another form */
    const char *imu, *pose, *input;
    int kind;                   /* LEGS, CRANKS */
    int heading;                /* HEADING_FOLLOW, HEADING_WASHOUT */
    double radius[2], angle[2]; /* m, deg: of the base, of the top */
    double joint_max, crank_heading[PLATFORM_LEGS], park_position[3], park_angles[3]; /* m, deg */
    double jog_turn, jog_leg; /* deg/s; m/s or deg/s, 0: not given */
  } platform;
  struct { /* keys of the rig that its setup has in another form */
    const char *feedback, *ride_log;
    double angle_warn, angle_trip, head_rate; /* deg, deg/s */
  } rig;
};

/* The choices of "heading". */
enum { HEADING_FOLLOW, HEADING_WASHOUT };
/* The choices of "kind". */
enum { LEGS, CRANKS };

/* An element of rig.permissives. */
struct permissive_values {
  const char *name, *input;
  int bit, is, on_loss, needed_for; /* bit -1: none */
  double lower, upper, alive;
};

/* The choices of simulation.isa, which are the same words on every machine. isa_supported() tells which this machine has. */
extern const char *const schema_isas[];

/* The sections of a whole file and of elements of its lists. schema_force: constant loads. */
extern const struct section schema_file, schema_model, schema_body, schema_joint, schema_force, schema_sensor,
    schema_input, schema_injection, schema_stimulus, schema_target, schema_peer, schema_mapped, schema_wired,
    schema_device, schema_packet, schema_packet_field, schema_packet_file, schema_part, schema_shape,
    schema_orientation, schema_permissive, schema_visual;
extern const struct section schema_file_name, schema_packets,
    schema_maps; /* {file: PATH}; files that hold lists */

/* The tables for the expansion of short forms. */
extern const struct expand_rules schema_expansion;

/* Valid as an OSC address, or as the beginning of an address. */
bool is_osc_address(const char *address);

/* {file: PATH}, in place of a list. */
struct file_name_values {
  const char *file;
};

/* A list in a file of its own. Until list_close() the report shows places of that file. */
struct list_file {
  struct yaml tree;
  const struct node *list; /* NULL: the file has no list, which is reported */
  const struct source *here;
  const struct node *file;
  int errors;
  struct expansion *expansion;
  const struct origins *origins; /* the report had these before */
};
/* file: the node with the path, relative to r->source; keys: the keys of the file; section, key: the keys above the list
 * (section NULL: only key). False when out of memory. If true, the caller calls list_close(). */
bool list_open(struct list_file *l, const struct node *file, const struct section *keys, const char *section,
               const char *key, struct report *r);
/* If there was a mistake, adds a report at the node with the path. */
void list_close(struct list_file *l, struct report *r);

/* Checks the name of an element of a list ("device"): its characters, and that no name in `seen` equals it. */
bool check_element_name(struct report *r, const struct node *n, const char *name, const struct names *seen,
                        const char *what);
/* Reports that no element of this kind ("joint") has the name in the node, and the nearest name. */
struct nearest;
void report_no_name(struct report *r, const struct node *n, const char *what, const struct nearest *near);

/* A numeric address of a host, IPv4 or IPv6; a link-local one has an interface, which does not count: fe80::1%eth0.
 * check_address() reports a text that is no address, or that the daemon could not use. */
bool address_parse(const char *address, struct in6_addr *out);
bool check_address(struct report *r, const char *address, const struct node *n);

/* Names of elements and instances: A-Z a-z 0-9 _ -. */
enum { NAME_LENGTH_MAX = 60 }; /* instance names share a file name with a prefix */
#define NAME_EXPECTED "name: expected at most %d of the characters A-Z a-z 0-9 _ -, found %.40s"
bool is_name(const char *s);

#endif
