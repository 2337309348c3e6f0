/* SPDX-License-Identifier: MIT
 * What the tables of the schema read into, section by section, before it is checked as a whole. */
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

struct model_values {
  const char *name, *description, *file;
  double gravity[3];
  double assembly_position, assembly_angle; /* as in ali3_options */
};

struct joint_values {
  ali3_joint_spec spec; /* without type and bodies */
  int type;
  const char *body_a, *body_b;
  double at[3], axis[3];
};

/* The choices of "axes". */
enum { AXES_WORLD, AXES_BODY };

struct force_values {
  ali3_load_spec spec; /* without type, body, vector and axes */
  int type, axes;
  const char *body;
  double force[3], torque[3];
};

/* Connections: behind the loads in the choice of types, in the order of ali3_force_type. */
enum { CONNECTION_FIRST = ALI3_LOAD_TORQUE + 1 };
struct connection_values {
  ali3_force_spec spec; /* without type, bodies and joints; tables to be freed */
  int type;
  const char *body_a, *body_b, *joint, *joint_b;
};
extern const struct section schema_connection[ALI3_FORCE_TYPES]; /* each type has keys of its own */

struct sensor_values {
  ali3_sensor_spec spec; /* without type and body */
  int type;
  const char *body;
};

struct input_values {
  struct input_spec spec; /* without name, kind, what it acts on, policy, sources and ranges */
  const char *name, *body, *force;
  int policy, axes, from, platform;
  double point[3];
  struct { /* on a body */
    double limit, rate, safe[3];
  } f, t;
  double limit, lower, upper, rate, safe; /* on a force element */
};

struct injection_values {
  struct injection spec; /* without name, input, kind and window */
  const char *name, *input;
  int kind;
};

struct target_values {
  const char *host, *interface;
  int port, divisor, profile, stream, ttl;
};

struct mapped_values {
  const char *signal, *address;
  double scale, offset;
};

struct peer_values {
  const char *host;
  int access; /* 0 read, 1 write */
};

struct wired_values {
  const char *signal;
  int table, address, type, order;
  double scale, offset, safe;
};

struct device_values {
  struct modbus_device device; /* without its texts and its map */
  const char *name, *host, *serial;
  int word_order;
};

struct packet_place_values {
  const char *host, *serial;
  int port, baud, parity, stop_bits;
};

enum { ENDIAN_BIG, ENDIAN_LITTLE };

struct packet_values {
  struct packet_place_values place;
  const char *name;
  int divisor, endian;
};

struct packet_field_values {
  const char *signal, *hex;
  ali3_table values; /* to be freed */
  double scale, offset, otherwise, value;
  int type, time, frame, endian, count, from;
  bool counter;
};

/* {file: PATH}, in place of a list. */
struct file_name_values {
  const char *file;
};
/* packets: {file: PATH}, and where its packets go in place of what it says. */
struct packet_file_values {
  struct packet_place_values place;
  const char *file;
};

/* Reads a "peers" list (NULL: there is none). False when out of memory; mistakes are reported. */
bool peers_read(const struct node *list, struct peers *out, struct report *r);

/* Which map a list of signals and addresses is. */
struct wiring_rules {
  bool server;           /* of our own server; else of a device that is polled */
  bool default_map;      /* of the server: the usual addresses are taken */
  enum wire_order order; /* of numbers that say nothing of it */
};
/* Reads a "map" list (NULL: there is none). Likewise. */
bool wiring_read(const struct node *list, const struct wiring_rules *rules, const struct signals *signals,
                 struct wiring *out, struct report *r);

/* Of a list whose entries name a signal: reports that there is none of this name, and the one that is nearest. */
void report_no_signal(struct report *r, const struct signals *s, const struct node *n);
/* Likewise: False if the "from" of the input that the signal belongs to does not let this source set it. */
bool check_source(struct report *r, const struct signals *s, int signal, int source, const struct node *n);

/* Reads the list osc.targets (NULL: there is none) into s->osc.target. Likewise. */
bool osc_targets_read(const struct node *list, struct settings *s, struct report *r);

/* Reads the list osc.map (NULL: there is none) into s->osc.map. Likewise. */
bool osc_map_read(const struct node *list, const char *prefix, struct settings *s, struct report *r);

/* Valid as an OSC address, or as the begin of one. */
bool is_osc_address(const char *address);

/* Reads the "devices" list into s->device, and makes each the only source of the inputs it sets. Likewise. */
bool devices_read(const struct node *list, struct settings *s, struct report *r);

/* Two names of one serial line, or one name. */
bool is_same_line(const char *a, const char *b);
/* The line that is our own server's (NULL: none) is nobody else's. */
void device_check_server_line(const struct node *list, const char *path, struct report *r);

/* Reads "packets" (NULL: there are none) into s->packet: a list, or the name of the file that has it. Likewise. */
bool packets_read(const struct node *n, struct settings *s, struct report *r);
/* Of a packet the list "fields"; little: the byte order of those that say nothing of it. Likewise. */
bool packet_fields_read(const struct node *list, bool little, const struct signals *signals,
                        struct packet *packet, struct report *r);

/* The path of a file named in another: beside it, unless absolute. To be freed; NULL when out of memory. */
char *path_beside(const char *file, const char *path);

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
/* Of a node whose text should name something ("joint"): that there is none, and the one that is nearest. */
struct nearest;
void report_no_name(struct report *r, const struct node *n, const char *what, const struct nearest *near);

/* A numeric address of a host, IPv4 or IPv6. check: reports what is none. */
bool address_parse(const char *address, struct in6_addr *out);
bool check_address(struct report *r, const char *address, const struct node *n);

/* In a set of body names beside their indices: not in the set; declared, but refused for a mistake. */
enum { BODY_UNKNOWN = -2, BODY_REFUSED = -3 };

/* Builds the model that a "model" mapping describes, not frozen yet, and sets the options that the mapping gives. Fills
 * `bodies` with every name the mapping declares, those of refused bodies with BODY_REFUSED; the names live as long as the
 * tree. Fills `places`, to be freed in any case. NULL after a mistake, which is reported. */
ali3_model *mechanism_build(const struct node *model, struct names *bodies, ali3_options *options,
                            struct places *places, struct report *r);

/* Index of the body that `n` names; BODY_UNKNOWN after reporting it, BODY_REFUSED if its own mistake was
 * reported. */
int mechanism_body(const struct names *bodies, const struct node *n, struct report *r);

/* Reads the "inputs" list (NULL: there is none) into s->input, and gives the model, not yet frozen, the loads
 * of those on bodies. m NULL: the model has mistakes; its bodies are known all the same. False when out of
 * memory; mistakes are reported. */
bool inputs_read(const struct node *list, ali3_model *m, const struct names *bodies, struct settings *s,
                 struct report *r);

/* Judges the section "platform" (NULL: there is none), and finishes the setup of an enabled one. The model is frozen, the inputs
 * are read. False when out of memory; mistakes are reported. */
bool platform_read(const struct node *root, struct file_values *v, struct report *r);

/* Reads the "injections" list (NULL: there is none). False when out of memory; mistakes are reported. */
bool injections_read(const struct node *list, struct settings *s, struct report *r);

/* Names of inputs and instances: A-Z a-z 0-9 _ -, not too long. */
enum { NAME_LENGTH_MAX = 60 }; /* instance names share a file name with a prefix */
#define NAME_EXPECTED "name: expected at most %d of the characters A-Z a-z 0-9 _ -, found %.40s"
bool is_name(const char *s);

#endif
