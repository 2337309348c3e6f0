/* SPDX-License-Identifier: MIT
 * What a file is read into before it is checked as a whole, and what several readers of its sections share. */
#ifndef CONFIG_VALUES_H
#define CONFIG_VALUES_H

#include "config/schema.h"
#include "config/settings.h"
#include "model/names.h"

struct in6_addr;

/* A whole file. Texts point into its tree. */
struct file_values {
  struct settings settings; /* without its texts */
  const char *osc_bind, *osc_prefix, *modbus_bind, *modbus_serial, *instance;
  bool osc_any_interface, modbus_any_interface;
  int isa; /* in schema_isas */
  struct { /* of the platform, what is not in its setup as it stands here */
    const char *imu, *pose, *input;
    int kind;                                                                         /* LEGS, CRANKS */
    double joint_max, crank_heading[PLATFORM_LEGS], park_position[3], park_angles[3]; /* m, deg */
  } platform;
};

/* The choices of "kind". */
enum { LEGS, CRANKS };

/* The choices of simulation.isa, on every machine alike: base/isa.h says which are to be had here. */
extern const char *const schema_isas[];

/* Valid as an OSC address, or as the begin of one. */
bool is_osc_address(const char *address);

/* The path of a file named in another: beside it, unless absolute. To be freed; NULL when out of memory. */
char *path_beside(const char *file, const char *path);

/* {file: PATH}, in place of a list. */
struct file_name_values {
  const char *file;
};

/* A list in a file of its own, until list_close(): so long places in reports are of that file. */
struct list_file {
  struct yaml tree;
  const struct node *list; /* NULL: there is none, which is reported */
  const struct source *here;
  const struct node *file;
  int errors;
};
/* file: the text that names it, beside r->source; keys: what may stand in it; the list is that under section.key there (section
 * NULL: under key). False when out of memory; list_close() is due if true. */
bool list_open(struct list_file *l, const struct node *file, const struct section *keys, const char *section,
               const char *key, struct report *r);
/* Says that the file could not be used if there was a mistake. */
void list_close(struct list_file *l, struct report *r);

/* The name of an element of a list ("device"): that it is one, and that none of those seen has it. */
bool check_element_name(struct report *r, const struct node *n, const char *name, const struct names *seen,
                        const char *what);
/* Reports that nothing of this kind ("joint") has the name in the node, and the nearest name. */
struct nearest;
void report_no_name(struct report *r, const struct node *n, const char *what, const struct nearest *near);

/* A numeric address of a host, IPv4 or IPv6. check: reports what is none. */
bool address_parse(const char *address, struct in6_addr *out);
bool check_address(struct report *r, const char *address, const struct node *n);

/* Judges the section "platform" (NULL: there is none), and finishes the setup of an enabled one. The model is frozen, the inputs
 * are read. False when out of memory; mistakes are reported. */
bool platform_read(const struct node *root, struct file_values *v, struct report *r);

/* Names of inputs and instances: A-Z a-z 0-9 _ -, not too long. */
enum { NAME_LENGTH_MAX = 60 }; /* instance names share a file name with a prefix */
#define NAME_EXPECTED "name: expected at most %d of the characters A-Z a-z 0-9 _ -, found %.40s"
bool is_name(const char *s);

#endif
