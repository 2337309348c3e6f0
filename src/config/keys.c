/* SPDX-License-Identifier: MIT
 * The tables of the schema: every key a file may hold, one row each. Data only. */
#include "config/keys.h"
#include "config/values.h"

_Static_assert(sizeof(enum input_policy) == sizeof(int) && sizeof(enum platform_mode) == sizeof(int),
               "choices are read as int");

static const char *const joint_types[] = {
#define JOINT_NAME(id, text) text,
    ALI3_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
        NULL};
static const char *const force_types[] = {[ALI3_LOAD_FORCE] = "force",
                                          [ALI3_LOAD_TORQUE] = "torque",
#define FORCE_NAME(id, text) [CONNECTION_FIRST + (id)] = (text),
                                          ALI3_FORCE_LIST(FORCE_NAME)
#undef FORCE_NAME
                                              NULL};
static const char *const axes[] = {[AXES_WORLD] = "world", [AXES_BODY] = "body", NULL};
static const char *const sensor_types[] = {
#define SENSOR_NAME(id, text) text,
    ALI3_SENSOR_LIST(SENSOR_NAME)
#undef SENSOR_NAME
        NULL};
static const char *const sources[] = {"any", "osc", "modbus", NULL};
static const char *const profiles[] = {"f", "d", NULL};
#define STREAM_NAME(id, text) text,
static const char *const streams[] = {STREAM_LIST(STREAM_NAME) NULL};
#undef STREAM_NAME
static const char *const accesses[] = {"read", "write", NULL};
#define WORD(id, text, ...) text,
static const char *const policies[] = {INPUT_POLICY_LIST(WORD) NULL};
static const char *const inject_kinds[] = {INJECT_KIND_LIST(WORD) NULL};
static const char *const wire_types[] = {WIRE_TYPE_LIST(WORD) NULL};
static const char *const wire_orders[] = {WIRE_ORDER_LIST(WORD) NULL};
static const char *const wire_tables[] = {WIRE_TABLE_LIST(WORD) NULL};
static const char *const platform_modes[] = {PLATFORM_MODE_LIST(WORD) NULL};
#undef WORD
static const char *const platform_kinds[] = {[LEGS] = "legs", [CRANKS] = "cranks", NULL};
static const char *const platform_inputs[] = {"pose", NULL};
const char *const schema_isas[] = {"auto", "baseline", "avx2", "avx512", NULL};

/* The tables: clang-format 14 takes the commas of the macros for columns. */
/* clang-format off */

#define BODY(field) offsetof(ali3_body_spec, field)
static const struct key body_keys[] = {
  {"name",             KEY_STRING,     "",       ANY,      REQUIRED,  AT_START, BODY(name),             0, 0},
  {"mass",             KEY_NUMBER,     "kg",     NOT_NEGATIVE, REQUIRED,  AT_START, BODY(mass),             0, 0},
  {"inertia",          KEY_INERTIA,    "kg m^2", ANY,      REQUIRED,  AT_START, BODY(inertia),          0, 0},
  {"position",         KEY_VECTOR,     "m",      ANY,      REQUIRED,  AT_START, BODY(position),         0, 0},
  {"orientation",      KEY_QUATERNION, "",       ANY,      "1 0 0 0", AT_START, BODY(orientation),      0, 0},
  {"velocity",         KEY_VECTOR,     "m/s",    ANY,      "0 0 0",   AT_START, BODY(velocity),         0, 0},
  {"angular_velocity", KEY_VECTOR,     "rad/s",  ANY,      "0 0 0",   AT_START, BODY(angular_velocity), 0, 0},
};
const struct section schema_body = SECTION("a body", body_keys);

#define JOINT(field) offsetof(struct joint_values, field)
static const struct key joint_keys[] = {
  {"name",                 KEY_STRING,     "",  ANY,      REQUIRED, AT_START, JOINT(spec.name),                 0, 0},
  {"type",                 KEY_CHOICE,     "",  ANY,      REQUIRED, AT_START, JOINT(type),                      joint_types, 0},
  {"body_a",               KEY_STRING,     "",  ANY,      REQUIRED, AT_START, JOINT(body_a),                    0, 0},
  {"body_b",               KEY_STRING,     "",  ANY,      REQUIRED, AT_START, JOINT(body_b),                    0, 0},
  {"point_a",              KEY_VECTOR,     "m", ANY,      NONE,     AT_START, JOINT(spec.point_a),              0, 0},
  {"point_b",              KEY_VECTOR,     "m", ANY,      NONE,     AT_START, JOINT(spec.point_b),              0, 0},
  {"axis_a",               KEY_VECTOR,     "",  ANY,      NONE,     AT_START, JOINT(spec.axis_a),               0, 0},
  {"axis_b",               KEY_VECTOR,     "",  ANY,      NONE,     AT_START, JOINT(spec.axis_b),               0, 0},
  {"at",                   KEY_VECTOR,     "m", ANY,      NONE,     AT_START, JOINT(at),                        0, 0},
  {"axis",                 KEY_VECTOR,     "",  ANY,      NONE,     AT_START, JOINT(axis),                      0, 0},
  {"length",               KEY_NUMBER,     "m", POSITIVE, NONE,     AT_START, JOINT(spec.length),               0, 0},
  {"relative_orientation", KEY_QUATERNION, "",  ANY,      NONE,     AT_START, JOINT(spec.relative_orientation), 0, 0},
  {"position",             KEY_ANGLE, "rad or m, or as in 30 deg", ANY, "0", AT_START, JOINT(spec.position),    0, 0},
};
const struct section schema_joint = SECTION("a joint", joint_keys);

#define FORCE(field) offsetof(struct force_values, field)
static const struct key force_keys[] = {
  {"name",   KEY_STRING, "",    ANY, REQUIRED, AT_START, FORCE(spec.name),  0, 0},
  {"type",   KEY_CHOICE, "",    ANY, REQUIRED, AT_START, FORCE(type),       force_types, 0},
  {"body",   KEY_STRING, "",    ANY, REQUIRED, AT_START, FORCE(body),       0, 0},
  {"force",  KEY_VECTOR, "N",   ANY, NONE,     AT_START, FORCE(force),      0, 0},
  {"point",  KEY_VECTOR, "m",   ANY, "0 0 0",  AT_START, FORCE(spec.point), 0, 0},
  {"torque", KEY_VECTOR, "N m", ANY, NONE,     AT_START, FORCE(torque),     0, 0},
  {"axes",   KEY_CHOICE, "",    ANY, "world",  AT_START, FORCE(axes),       axes, 0},
};
const struct section schema_force = SECTION("a force", force_keys);

/* The connections, in the order of ali3_force_type. First what several begin with. */
#define LINK(field) offsetof(struct connection_values, field)
#define NAMED \
  {"name", KEY_STRING, "", ANY, REQUIRED, AT_START, LINK(spec.name), 0, 0}, \
  {"type", KEY_CHOICE, "", ANY, REQUIRED, AT_START, LINK(type),      force_types, 0}
#define ON_BODIES \
  NAMED, \
  {"body_a",  KEY_STRING, "",  ANY, REQUIRED, AT_START, LINK(body_a),       0, 0}, \
  {"body_b",  KEY_STRING, "",  ANY, REQUIRED, AT_START, LINK(body_b),       0, 0}, \
  {"point_a", KEY_VECTOR, "m", ANY, "0 0 0",  AT_START, LINK(spec.point_a), 0, 0}, \
  {"point_b", KEY_VECTOR, "m", ANY, "0 0 0",  AT_START, LINK(spec.point_b), 0, 0}
#define ON_JOINT \
  NAMED, \
  {"joint", KEY_STRING, "", ANY, REQUIRED, AT_START, LINK(joint), 0, 0}

static const struct key spring_keys[] = {
  ON_BODIES,
  {"stiffness",     KEY_NUMBER, "N/m",    NOT_NEGATIVE, "0",  AT_START, LINK(spec.stiffness),     0, 0},
  {"damping",       KEY_NUMBER, "N s/m",  NOT_NEGATIVE, "0",  AT_START, LINK(spec.damping),       0, 0},
  {"force_table",   KEY_TABLE,  "m, N",   ANY,          NONE, AT_START, LINK(spec.force_table),   0, 0},
  {"damping_table", KEY_TABLE,  "m/s, N", ANY,          NONE, AT_START, LINK(spec.damping_table), 0, 0},
  {"rest_length",   KEY_NUMBER, "m",      NOT_NEGATIVE, NONE, AT_START, LINK(spec.rest),          0, 0},
};
static const struct key bushing_keys[] = {
  ON_BODIES,
  {"stiffness",            KEY_VECTOR, "N/m",       ANY, "0 0 0", AT_START, LINK(spec.stiffness[0]), 0, 0},
  {"damping",              KEY_VECTOR, "N s/m",     ANY, "0 0 0", AT_START, LINK(spec.damping[0]),   0, 0},
  {"rotational_stiffness", KEY_VECTOR, "N m/rad",   ANY, "0 0 0", AT_START, LINK(spec.stiffness[3]), 0, 0},
  {"rotational_damping",   KEY_VECTOR, "N m s/rad", ANY, "0 0 0", AT_START, LINK(spec.damping[3]),   0, 0},
};
static const struct key joint_spring_keys[] = {
  ON_JOINT,
  {"stiffness",     KEY_NUMBER, "", NOT_NEGATIVE, "0",  AT_START, LINK(spec.stiffness),     0, 0},
  {"damping",       KEY_NUMBER, "", NOT_NEGATIVE, "0",  AT_START, LINK(spec.damping),       0, 0},
  {"force_table",   KEY_TABLE,  "", ANY,          NONE, AT_START, LINK(spec.force_table),   0, 0},
  {"damping_table", KEY_TABLE,  "", ANY,          NONE, AT_START, LINK(spec.damping_table), 0, 0},
  {"rest",          KEY_NUMBER, "", ANY,          NONE, AT_START, LINK(spec.rest),          0, 0},
};
static const struct key cable_keys[] = {
  ON_BODIES,
  {"stiffness",   KEY_NUMBER, "N/m",   POSITIVE,     REQUIRED, AT_START, LINK(spec.stiffness), 0, 0},
  {"damping",     KEY_NUMBER, "N s/m", NOT_NEGATIVE, "0",      AT_START, LINK(spec.damping),   0, 0},
  {"rest_length", KEY_NUMBER, "m",     NOT_NEGATIVE, NONE,     AT_START, LINK(spec.rest),      0, 0},
};
static const struct key end_stop_keys[] = {
  ON_BODIES,
  {"lower",     KEY_NUMBER, "m",     NOT_NEGATIVE, NONE,     AT_START, LINK(spec.lower),     0, 0},
  {"upper",     KEY_NUMBER, "m",     POSITIVE,     NONE,     AT_START, LINK(spec.upper),     0, 0},
  {"stiffness", KEY_NUMBER, "N/m",   POSITIVE,     REQUIRED, AT_START, LINK(spec.stiffness), 0, 0},
  {"damping",   KEY_NUMBER, "N s/m", NOT_NEGATIVE, "0",      AT_START, LINK(spec.damping),   0, 0},
};
static const struct key stop_keys[] = {
  ON_JOINT,
  {"lower",     KEY_NUMBER, "", ANY,          NONE,     AT_START, LINK(spec.lower),     0, 0},
  {"upper",     KEY_NUMBER, "", ANY,          NONE,     AT_START, LINK(spec.upper),     0, 0},
  {"stiffness", KEY_NUMBER, "", POSITIVE,     REQUIRED, AT_START, LINK(spec.stiffness), 0, 0},
  {"damping",   KEY_NUMBER, "", NOT_NEGATIVE, "0",      AT_START, LINK(spec.damping),   0, 0},
};
static const struct key friction_keys[] = {
  ON_JOINT,
  {"friction", KEY_NUMBER, "", NOT_NEGATIVE, "0",    AT_START, LINK(spec.friction), 0, 0},
  {"damping",  KEY_NUMBER, "", NOT_NEGATIVE, "0",    AT_START, LINK(spec.damping),  0, 0},
  {"slip",     KEY_NUMBER, "", POSITIVE,     "1e-3", AT_START, LINK(spec.slip),     0, 0},
};
static const struct key motor_keys[] = {
  ON_JOINT,
};
static const struct key drive_keys[] = {
  ON_JOINT,
  {"offset",           KEY_NUMBER, "",    ANY,      NONE,    AT_START, LINK(spec.offset),           0, 0},
  {"speed",            KEY_NUMBER, "",    ANY,      "0",     AT_START, LINK(spec.speed),            0, 0},
  {"amplitude",        KEY_NUMBER, "",    ANY,      "0",     AT_START, LINK(spec.amplitude),        0, 0},
  {"frequency",        KEY_NUMBER, "Hz",  ANY,      "0",     AT_START, LINK(spec.frequency),        0, 0},
  {"phase",            KEY_NUMBER, "rad", ANY,      "0",     AT_START, LINK(spec.phase),            0, 0},
  {"motion",           KEY_TABLE,  "",    ANY,      NONE,    AT_START, LINK(spec.motion),           0, 0},
  {"external",         KEY_BOOL,   "",    ANY,      "false", AT_START, LINK(spec.external),         0, 0},
  {"max_rate",         KEY_NUMBER, "",    POSITIVE, NONE,    AT_START, LINK(spec.max_rate),         0, 0},
  {"max_acceleration", KEY_NUMBER, "",    POSITIVE, NONE,    AT_START, LINK(spec.max_acceleration), 0, 0},
};
static const struct key gear_keys[] = {
  ON_JOINT,
  {"joint_b", KEY_STRING, "", ANY, REQUIRED, AT_START, LINK(joint_b),    0, 0},
  {"ratio",   KEY_NUMBER, "", ANY, "1",      AT_START, LINK(spec.ratio), 0, 0},
};
static const struct key sphere_plane_keys[] = {
  ON_BODIES,
  {"normal",    KEY_VECTOR, "",      ANY,          REQUIRED, AT_START, LINK(spec.normal),    0, 0},
  {"radius",    KEY_NUMBER, "m",     POSITIVE,     REQUIRED, AT_START, LINK(spec.radius_b),  0, 0},
  {"stiffness", KEY_NUMBER, "N/m",   POSITIVE,     REQUIRED, AT_START, LINK(spec.stiffness), 0, 0},
  {"damping",   KEY_NUMBER, "N s/m", NOT_NEGATIVE, "0",      AT_START, LINK(spec.damping),   0, 0},
  {"friction",  KEY_NUMBER, "",      NOT_NEGATIVE, "0",      AT_START, LINK(spec.friction),  0, 0},
  {"slip",      KEY_NUMBER, "m/s",   POSITIVE,     "1e-3",   AT_START, LINK(spec.slip),      0, 0},
};
static const struct key sphere_sphere_keys[] = {
  ON_BODIES,
  {"radius_a",  KEY_NUMBER, "m",     POSITIVE,     REQUIRED, AT_START, LINK(spec.radius_a),  0, 0},
  {"radius_b",  KEY_NUMBER, "m",     POSITIVE,     REQUIRED, AT_START, LINK(spec.radius_b),  0, 0},
  {"stiffness", KEY_NUMBER, "N/m",   POSITIVE,     REQUIRED, AT_START, LINK(spec.stiffness), 0, 0},
  {"damping",   KEY_NUMBER, "N s/m", NOT_NEGATIVE, "0",      AT_START, LINK(spec.damping),   0, 0},
  {"friction",  KEY_NUMBER, "",      NOT_NEGATIVE, "0",      AT_START, LINK(spec.friction),  0, 0},
  {"slip",      KEY_NUMBER, "m/s",   POSITIVE,     "1e-3",   AT_START, LINK(spec.slip),      0, 0},
};

const struct section schema_connection[ALI3_FORCE_TYPES] = {
  [ALI3_FORCE_SPRING]        = SECTION("a spring_damper", spring_keys),
  [ALI3_FORCE_BUSHING]       = SECTION("a bushing", bushing_keys),
  [ALI3_FORCE_JOINT_SPRING]  = SECTION("a joint_spring", joint_spring_keys),
  [ALI3_FORCE_CABLE]         = SECTION("a cable", cable_keys),
  [ALI3_FORCE_END_STOP]      = SECTION("an end_stop", end_stop_keys),
  [ALI3_FORCE_STOP]          = SECTION("a stop", stop_keys),
  [ALI3_FORCE_FRICTION]      = SECTION("a friction", friction_keys),
  [ALI3_FORCE_MOTOR]         = SECTION("a motor", motor_keys),
  [ALI3_FORCE_DRIVE]         = SECTION("a drive", drive_keys),
  [ALI3_FORCE_GEAR]          = SECTION("a gear", gear_keys),
  [ALI3_FORCE_SPHERE_PLANE]  = SECTION("a sphere_plane", sphere_plane_keys),
  [ALI3_FORCE_SPHERE_SPHERE] = SECTION("a sphere_sphere", sphere_sphere_keys),
};

#define SENSOR(field) offsetof(struct sensor_values, field)
static const struct key sensor_keys[] = {
  {"name",        KEY_STRING,     "",  ANY, REQUIRED,  AT_START, SENSOR(spec.name),        0, 0},
  {"type",        KEY_CHOICE,     "",  ANY, REQUIRED,  AT_START, SENSOR(type),             sensor_types, 0},
  {"body",        KEY_STRING,     "",  ANY, REQUIRED,  AT_START, SENSOR(body),             0, 0},
  {"point",       KEY_VECTOR,     "m", ANY, "0 0 0",   AT_START, SENSOR(spec.point),       0, 0},
  {"orientation", KEY_QUATERNION, "",  ANY, "1 0 0 0", AT_START, SENSOR(spec.orientation), 0, 0},
};
const struct section schema_sensor = SECTION("a sensor", sensor_keys);

#define MODEL(field) offsetof(struct model_values, field)
static const struct key assembly_keys[] = {
  {"position", KEY_NUMBER, "m",                      POSITIVE, NONE,    AT_START, MODEL(assembly_position), 0, 0},
  {"angle",    KEY_ANGLE,  "rad, or as in 2 deg",    POSITIVE, "2 deg", AT_START, MODEL(assembly_angle),    0, 0},
};
static const struct section assembly = SECTION("assembly", assembly_keys);
static const struct key model_keys[] = {
  {"name",        KEY_STRING, "",      ANY, "model", AT_START, MODEL(name),        0, 0},
  {"description", KEY_STRING, "",      ANY, NONE,    AT_START, MODEL(description), 0, 0},
  {"gravity",     KEY_VECTOR, "m/s^2", ANY, "0 0 0", AT_START, MODEL(gravity),     0, 0},
  {"assembly",    KEY_SECTION, "",     ANY, NONE,    AT_START, 0,                  0, &assembly},
  {"bodies",      KEY_LIST,   "",      ANY, NONE,    AT_START, 0,                  0, &schema_body},
  {"joints",      KEY_LIST,   "",      ANY, NONE,    AT_START, 0,                  0, &schema_joint},
  {"forces",      KEY_LIST,   "",      ANY, NONE,    AT_START, 0,                  0, &schema_force},
  {"sensors",     KEY_LIST,   "",      ANY, NONE,    AT_START, 0,                  0, &schema_sensor},
  {"file",        KEY_STRING, "",      ANY, NONE,    AT_START, MODEL(file),        0, 0},
};
const struct section schema_model = SECTION("a model", model_keys);

#define INPUT(field) offsetof(struct input_values, field)
static const struct key input_keys[] = {
  {"name",         KEY_STRING, "",    ANY,              REQUIRED, AT_START, INPUT(name),              0, 0},
  {"body",         KEY_STRING, "",    ANY,              NONE,     AT_START, INPUT(body),              0, 0},
  {"point",        KEY_VECTOR, "m",   ANY,              "0 0 0",  AT_START, INPUT(point),             0, 0},
  {"axes",         KEY_CHOICE, "",    ANY,              "world",  AT_START, INPUT(axes),              axes, 0},
  {"force",        KEY_STRING, "",    ANY,              NONE,     AT_START, INPUT(force),             0, 0},
  {"platform",     KEY_CHOICE, "",    ANY,              NONE,     AT_START, INPUT(platform),          platform_inputs, 0},
  {"policy",       KEY_CHOICE, "",    ANY,              "ramp",   WHILE_RUNNING, INPUT(policy),            policies, 0},
  {"hold",         KEY_NUMBER, "s",   BETWEEN(0, 3600), "0.05",   WHILE_RUNNING, INPUT(spec.hold),         0, 0},
  {"ramp",         KEY_NUMBER, "s",   BETWEEN(0, 3600), "0.5",    WHILE_RUNNING, INPUT(spec.ramp),         0, 0},
  {"fault",        KEY_NUMBER, "s",   POSITIVE,         NONE,     WHILE_RUNNING, INPUT(spec.fault),        0, 0},
  {"required",     KEY_BOOL,   "",    ANY,              "false",  AT_START,      INPUT(spec.required),     0, 0},
  {"recover",      KEY_INTEGER, "samples", BETWEEN(1, 1e6), "10", WHILE_RUNNING, INPUT(spec.recover),      0, 0},
  {"blend",        KEY_NUMBER, "s",   BETWEEN(0, 3600), "0.5",    WHILE_RUNNING, INPUT(spec.blend),        0, 0},
  {"from",         KEY_CHOICE, "",    ANY,              "any",    AT_START,      INPUT(from),              sources, 0},
  {"limit_force",  KEY_NUMBER, "N",   POSITIVE,         "1e4",    WHILE_RUNNING, INPUT(f.limit),           0, 0},
  {"limit_torque", KEY_NUMBER, "N m", POSITIVE,         "1e4",    WHILE_RUNNING, INPUT(t.limit),           0, 0},
  {"rate_force",   KEY_NUMBER, "N/s", POSITIVE,         NONE,     WHILE_RUNNING, INPUT(f.rate),            0, 0},
  {"rate_torque",  KEY_NUMBER, "N m/s", POSITIVE,       NONE,     WHILE_RUNNING, INPUT(t.rate),            0, 0},
  {"safe_force",   KEY_VECTOR, "N",   ANY,              "0 0 0",  WHILE_RUNNING, INPUT(f.safe),            0, 0},
  {"safe_torque",  KEY_VECTOR, "N m", ANY,              "0 0 0",  WHILE_RUNNING, INPUT(t.safe),            0, 0},
  {"limit",        KEY_NUMBER, "",    POSITIVE,         "1e4",    WHILE_RUNNING, INPUT(limit),             0, 0},
  {"lower",        KEY_NUMBER, "",    ANY,              NONE,     WHILE_RUNNING, INPUT(lower),             0, 0},
  {"upper",        KEY_NUMBER, "",    ANY,              NONE,     WHILE_RUNNING, INPUT(upper),             0, 0},
  {"rate",         KEY_NUMBER, "",    POSITIVE,         NONE,     WHILE_RUNNING, INPUT(rate),              0, 0},
  {"safe",         KEY_NUMBER, "",    ANY,              "0",      WHILE_RUNNING, INPUT(safe),              0, 0},
};
const struct section schema_input = SECTION("an input", input_keys);

#define INJECTION(field) offsetof(struct injection_values, field)
static const struct key injection_keys[] = {
  {"name",        KEY_STRING,  "",  ANY,                          REQUIRED, AT_START, INJECTION(name),             0, 0},
  {"input",       KEY_STRING,  "",  ANY,                          REQUIRED, AT_START, INJECTION(input),            0, 0},
  {"kind",        KEY_CHOICE,  "",  ANY,                          REQUIRED, AT_START, INJECTION(kind),             inject_kinds, 0},
  {"active",      KEY_BOOL,    "",  ANY,                          "false",  AT_START, INJECTION(spec.active),      0, 0},
  {"from",        KEY_NUMBER,  "s", NOT_NEGATIVE,                 NONE,     AT_START, INJECTION(spec.from),        0, 0},
  {"for",         KEY_NUMBER,  "s", POSITIVE,                     NONE,     AT_START, INJECTION(spec.length),      0, 0},
  {"probability", KEY_NUMBER,  "",  BETWEEN(0, 1),                "1",      AT_START, INJECTION(spec.probability), 0, 0},
  {"cycles",      KEY_INTEGER, "",  BETWEEN(1, INJECT_CYCLES_MAX), NONE,    AT_START, INJECTION(spec.cycles),      0, 0},
  {"value",       KEY_NUMBER,  "",  ANY,                          NONE,     AT_START, INJECTION(spec.value),       0, 0},
  {"amplitude",   KEY_NUMBER,  "",  NOT_NEGATIVE,                 NONE,     AT_START, INJECTION(spec.amplitude),   0, 0},
};
const struct section schema_injection = SECTION("an injection", injection_keys);

#define TARGET(field) offsetof(struct target_values, field)
static const struct key target_keys[] = {
  {"host",      KEY_STRING,  "",       ANY,               REQUIRED, AT_START, TARGET(host),      0, 0},
  {"port",      KEY_INTEGER, "",       BETWEEN(1, 65535), REQUIRED, AT_START, TARGET(port),      0, 0},
  {"stream",    KEY_CHOICE,  "",       ANY,               "all",    AT_START, TARGET(stream),    streams, 0},
  {"divisor",   KEY_INTEGER, "cycles", BETWEEN(1, 1e6),   "1",      AT_START, TARGET(divisor),   0, 0},
  {"profile",   KEY_CHOICE,  "",       ANY,               "f",      AT_START, TARGET(profile),   profiles, 0},
  {"interface", KEY_STRING,  "",       ANY,               NONE,     AT_START, TARGET(interface), 0, 0},
  {"ttl",       KEY_INTEGER, "",       BETWEEN(1, 255),   "1",      AT_START, TARGET(ttl),       0, 0},
};
const struct section schema_target = SECTION("a target", target_keys);

#define MAPPED(field) offsetof(struct mapped_values, field)
static const struct key mapped_keys[] = {
  {"signal",  KEY_STRING, "", ANY, REQUIRED, AT_START, MAPPED(signal),  0, 0},
  {"address", KEY_STRING, "", ANY, REQUIRED, AT_START, MAPPED(address), 0, 0},
  {"scale",   KEY_NUMBER, "", ANY, "1",      AT_START, MAPPED(scale),   0, 0},
  {"offset",  KEY_NUMBER, "", ANY, "0",      AT_START, MAPPED(offset),  0, 0},
};
const struct section schema_mapped = SECTION("an entry of a map", mapped_keys);

#define PEER(field) offsetof(struct peer_values, field)
static const struct key peer_keys[] = {
  {"host",   KEY_STRING, "", ANY, REQUIRED, AT_START, PEER(host),   0,        0},
  {"access", KEY_CHOICE, "", ANY, "write",  AT_START, PEER(access), accesses, 0},
};
const struct section schema_peer = SECTION("a peer", peer_keys);

#define WIRED(field) offsetof(struct wired_values, field)
static const struct key wired_keys[] = {
  {"signal",     KEY_STRING,  "", ANY,               REQUIRED, AT_START, WIRED(signal),  0,           0},
  {"table",      KEY_CHOICE,  "", ANY,               REQUIRED, AT_START, WIRED(table),   wire_tables, 0},
  {"address",    KEY_INTEGER, "", BETWEEN(0, 65535), REQUIRED, AT_START, WIRED(address), 0,           0},
  {"type",       KEY_CHOICE,  "", ANY,               NONE,     AT_START, WIRED(type),    wire_types,  0},
  {"word_order", KEY_CHOICE,  "", ANY,               NONE,     AT_START, WIRED(order),   wire_orders, 0},
  {"scale",      KEY_NUMBER,  "", ANY,               "1",      AT_START, WIRED(scale),   0,           0},
  {"offset",     KEY_NUMBER,  "", ANY,               "0",      AT_START, WIRED(offset),  0,           0},
  {"safe",       KEY_NUMBER,  "", ANY,               NONE,     AT_START, WIRED(safe),    0,           0},
};
const struct section schema_wired = SECTION("an entry of a map", wired_keys);

#define DEVICE(field) offsetof(struct device_values, field)
static const struct key device_keys[] = {
  {"name",       KEY_STRING,  "",  ANY,                  REQUIRED, AT_START, DEVICE(name),                    0,           0},
  {"host",       KEY_STRING,  "",  ANY,                  NONE,     AT_START, DEVICE(host),                    0,           0},
  {"port",       KEY_INTEGER, "",  BETWEEN(1, 65535),    "502",    AT_START, DEVICE(device.port),             0,           0},
  {"serial",     KEY_STRING,  "",  ANY,                  NONE,     AT_START, DEVICE(serial),                  0,           0},
  {"baud",       KEY_INTEGER, "",  BETWEEN(1200, 4e6),   "19200",  AT_START, DEVICE(device.serial.baud),      0,           0},
  {"parity",     KEY_CHOICE,  "",  ANY,                  "even",   AT_START, DEVICE(device.serial.parity),    schema_parities,    0},
  {"stop_bits",  KEY_INTEGER, "",  BETWEEN(1, 2),        "1",      AT_START, DEVICE(device.serial.stop_bits), 0,           0},
  {"unit",       KEY_INTEGER, "",  BETWEEN(0, 255),      "1",      AT_START, DEVICE(device.unit),             0,           0},
  {"period",     KEY_NUMBER,  "s", BETWEEN(1e-3, 3600),  "0.02",   AT_START, DEVICE(device.period),           0,           0},
  {"timeout",    KEY_NUMBER,  "s", BETWEEN(1e-3, 60),    "0.1",    AT_START, DEVICE(device.timeout),          0,           0},
  {"alive",      KEY_OR_NONE, "",  BETWEEN(0, 65535),    "none",   AT_START, DEVICE(device.alive),            0,           0},
  {"word_order", KEY_CHOICE,  "",  ANY,                  "abcd",   AT_START, DEVICE(word_order),              wire_orders, 0},
  {"map",        KEY_LIST,    "",  ANY,                  REQUIRED, AT_START, 0,                               0,           &schema_wired},
};
const struct section schema_device = SECTION("a device", device_keys);

/* Files that lists are taken from, and how they are named in place of these. */
static const struct key file_name_keys[] = {
  {"file", KEY_STRING, "", ANY, REQUIRED, AT_START, offsetof(struct file_name_values, file), 0, 0},
};
const struct section schema_file_name = SECTION("a list in a file", file_name_keys);
static const struct key mapped_list_keys[] = {
  {"map", KEY_LIST, "", ANY, REQUIRED, AT_START, 0, 0, &schema_mapped},
};
static const struct section mapped_list = SECTION("osc in a file of maps", mapped_list_keys);
static const struct key wired_list_keys[] = {
  {"map", KEY_LIST, "", ANY, REQUIRED, AT_START, 0, 0, &schema_wired},
};
static const struct section wired_list = SECTION("modbus in a file of maps", wired_list_keys);
static const struct key maps_keys[] = {
  {"osc",    KEY_SECTION, "", ANY, NONE, AT_START, 0, 0, &mapped_list},
  {"modbus", KEY_SECTION, "", ANY, NONE, AT_START, 0, 0, &wired_list},
};
const struct section schema_maps = SECTION("a file of maps", maps_keys);

#define FILE_VALUE(field) offsetof(struct file_values, field)
#define SETTING(field)    offsetof(struct file_values, settings.field)
static const struct key simulation_keys[] = {
  {"duration", KEY_NUMBER, "s", POSITIVE, NONE,   BY_OPTION, SETTING(duration), 0,           0},
  {"isa",      KEY_CHOICE, "",  ANY,      "auto", BY_OPTION, FILE_VALUE(isa),   schema_isas, 0},
};
static const struct section simulation = SECTION("simulation", simulation_keys);

static const struct key solver_keys[] = {
  {"iterations",  KEY_INTEGER, "", BETWEEN(1, 100),  "3",     BY_OPTION, SETTING(options.iterations),  0, 0},
  {"alpha",       KEY_NUMBER,  "", NOT_NEGATIVE,     "0",     BY_OPTION, SETTING(options.alpha),       0, 0},
  {"compliance",  KEY_NUMBER,  "", INSIDE(0, 1),     "4e-9",  AT_START,  SETTING(options.compliance),  0, 0},
  {"substeps",    KEY_INTEGER, "", BETWEEN(1, 1000), "1",     BY_OPTION, SETTING(options.substeps),    0, 0},
  {"interpolate", KEY_BOOL,    "", ANY,              "false", AT_START,  SETTING(options.interpolate), 0, 0},
  {"gamma",       KEY_NUMBER,  "", BETWEEN(0.5, 1.5), "0.5",   AT_START,  SETTING(options.gamma),       0, 0},
  {"beta",        KEY_NUMBER,  "", BETWEEN(0, 2),     "0",     AT_START,  SETTING(options.beta),        0, 0},
  {"extrapolate", KEY_BOOL,    "", ANY,              "false", BY_OPTION, SETTING(options.extrapolate), 0, 0},
  {"violation",   KEY_NUMBER,  "", BETWEEN(0, 1e6),   "0.1",   AT_START,  SETTING(options.violation),   0, 0},
};
static const struct section solver = SECTION("solver", solver_keys);

#define WORD(id, text) text,
static const char *const clockings[] = {CLOCKING_LIST(WORD) NULL};
static const char *const overruns[] = {OVERRUN_LIST(WORD) NULL};
#undef WORD
static const char *const autostarts[] = {"false", "true", "even_with_platform", NULL};
static const char *const publishes[] = {"at_once", "next_cycle", NULL};
static const char *const beats[] = {"none", "osc", "modbus", NULL};
static const struct key cycle_keys[] = {
  {"period",      KEY_NUMBER,  "s",      BETWEEN(1e-5, 10), "0.01",    BY_OPTION, SETTING(options.dt),        0, 0},
  {"autostart",   KEY_CHOICE,  "",       ANY,               "true",    AT_START,  SETTING(cycle.autostart),   autostarts, 0},
  {"warmup",      KEY_INTEGER, "cycles", BETWEEN(0, 1e6),   "100",     AT_START,  SETTING(cycle.warmup),      0, 0},
  {"clock",       KEY_CHOICE,  "",       ANY,               "timer",   AT_START,  SETTING(cycle.clock),       clockings, 0},
  {"overrun",     KEY_CHOICE,  "",       ANY,               "skip",    WHILE_RUNNING, SETTING(cycle.live.overrun),     overruns, 0},
  {"catch_up",    KEY_INTEGER, "cycles", BETWEEN(1, 1000),  "3",       WHILE_RUNNING, SETTING(cycle.live.catch_up),    0, 0},
  {"max_misses",  KEY_INTEGER, "cycles", BETWEEN(0, 1e6),   "0",       WHILE_RUNNING, SETTING(cycle.live.max_misses),  0, 0},
  {"grace",       KEY_INTEGER, "cycles", BETWEEN(0, 1e6),   "0",       WHILE_RUNNING, SETTING(cycle.live.grace),       0, 0},
  {"publish",     KEY_CHOICE,  "",       ANY,               "at_once", AT_START,  SETTING(cycle.publish),     publishes, 0},
  {"spin",        KEY_NUMBER,  "s",      BETWEEN(0, 1),     "0",       AT_START,  SETTING(cycle.spin),        0, 0},
  {"beat",        KEY_CHOICE,  "",       ANY,               "none",    AT_START,  SETTING(cycle.beat),        beats, 0},
  {"pull",        KEY_NUMBER,  "s",      BETWEEN(0, 1),     "0",       AT_START,  SETTING(cycle.pull),        0, 0},
  {"beat_offset", KEY_NUMBER,  "s",      BETWEEN(0, 10),    "0",       AT_START,  SETTING(cycle.beat_offset), 0, 0},
};
static const struct section cycle = SECTION("cycle", cycle_keys);

static const struct key realtime_keys[] = {
  {"priority",    KEY_INTEGER, "",   BETWEEN(1, 99),   "80",   AT_START,  SETTING(realtime.priority),    0, 0},
  {"cpu",         KEY_OR_NONE, "",   BETWEEN(0, 1023), "none", AT_START,  SETTING(realtime.cpu),         0, 0},
  {"workers",     KEY_WORKERS, "",   BETWEEN(0, 63),   "auto", BY_OPTION, SETTING(realtime.workers),     0, 0},
  {"lock_memory", KEY_BOOL,    "",   ANY,              "true", AT_START,  SETTING(realtime.lock_memory), 0, 0},
  {"wake_limit",  KEY_OR_NONE, "us", BETWEEN(0, 1e6),  "0",    AT_START,  SETTING(realtime.wake_limit),  0, 0},
};
static const struct section realtime = SECTION("realtime", realtime_keys);

static const struct key osc_keys[] = {
  {"enabled",       KEY_BOOL,    "", ANY,               "true",      AT_START, SETTING(osc.enabled),          0, 0},
  {"bind",          KEY_STRING,  "", ANY,               "127.0.0.1", AT_START, FILE_VALUE(osc_bind),          0, 0},
  {"any_interface", KEY_BOOL,    "", ANY,               "false",     AT_START, FILE_VALUE(osc_any_interface), 0, 0},
  {"port",          KEY_INTEGER, "", BETWEEN(1, 65535), "9100",      AT_START, SETTING(osc.port),             0, 0},
  {"prefix",        KEY_STRING,  "", ANY,               "/ali3",     AT_START, FILE_VALUE(osc_prefix),        0, 0},
  {"targets",       KEY_LIST,    "", ANY,               NONE,        AT_START, 0,                             0, &schema_target},
  {"peers",         KEY_LIST,    "", ANY,               NONE,        AT_START, 0,                             0, &schema_peer},
  {"map",           KEY_LIST_FILE, "", ANY,             NONE,        AT_START, 0,                             0, &schema_mapped},
};
static const struct section osc = SECTION("osc", osc_keys);

static const struct key modbus_keys[] = {
  {"enabled",       KEY_BOOL,    "", ANY,                "true",      AT_START, SETTING(modbus.enabled),          0, 0},
  {"tcp",           KEY_BOOL,    "", ANY,                "true",      AT_START, SETTING(modbus.tcp),              0, 0},
  {"bind",          KEY_STRING,  "", ANY,                "127.0.0.1", AT_START, FILE_VALUE(modbus_bind),          0, 0},
  {"any_interface", KEY_BOOL,    "", ANY,                "false",     AT_START, FILE_VALUE(modbus_any_interface), 0, 0},
  {"port",          KEY_INTEGER, "", BETWEEN(1, 65535),  "1502",      AT_START, SETTING(modbus.port),             0, 0},
  {"max_clients",   KEY_INTEGER, "", BETWEEN(1, 16),     "8",         AT_START, SETTING(modbus.max_clients),      0, 0},
  {"peers",         KEY_LIST,    "", ANY,                NONE,        AT_START, 0,                                0, &schema_peer},
  {"serial",        KEY_STRING,  "", ANY,                NONE,        AT_START, FILE_VALUE(modbus_serial),        0, 0},
  {"baud",          KEY_INTEGER, "", BETWEEN(1200, 4e6), "19200",     AT_START, SETTING(modbus.serial.baud),      0, 0},
  {"parity",        KEY_CHOICE,  "", ANY,                "even",      AT_START, SETTING(modbus.serial.parity),    schema_parities, 0},
  {"stop_bits",     KEY_INTEGER, "", BETWEEN(1, 2),      "1",         AT_START, SETTING(modbus.serial.stop_bits), 0, 0},
  {"unit",          KEY_INTEGER, "", BETWEEN(1, 247),    "1",         AT_START, SETTING(modbus.unit),             0, 0},
  {"word_order",    KEY_CHOICE,  "", ANY,                "abcd",      AT_START, SETTING(modbus.word_order),       wire_orders, 0},
  {"default_map",   KEY_BOOL,    "", ANY,                "true",      AT_START, SETTING(modbus.default_map),      0, 0},
  {"map",           KEY_LIST_FILE, "", ANY,              NONE,        AT_START, 0,                                0, &schema_wired},
};
static const struct section modbus = SECTION("modbus", modbus_keys);

static const struct key telemetry_keys[] = {
  {"name", KEY_STRING, "", ANY, NONE, AT_START, FILE_VALUE(instance), 0, 0},
};
static const struct section telemetry = SECTION("telemetry", telemetry_keys);

/* The parameters are generated: PLATFORM_PARAM_LIST. */
#define PLATFORM(field)  SETTING(platform.setup.spec.field)
#define GEOMETRY(field)  PLATFORM(geometry.field)
#define FOR_PLATFORM(field) FILE_VALUE(platform.field)
#define PARAMETER(name, count, unit, least, greatest, text) \
  {#name, (count) == 3 ? KEY_VECTOR : KEY_NUMBER, unit, BETWEEN(least, greatest), text, WHILE_RUNNING, PLATFORM(params.name), 0, 0},
static const struct key platform_keys[] = {
  {"enabled",       KEY_BOOL,       "",         ANY,            "true",    AT_START,      SETTING(platform.enabled),   0, 0},
  {"mode",          KEY_CHOICE,     "",         ANY,            "washout", WHILE_RUNNING, PLATFORM(mode),              platform_modes, 0},
  {"imu",           KEY_STRING,     "",         ANY,            NONE,      AT_START,      FOR_PLATFORM(imu),           0, 0},
  {"pose",          KEY_STRING,     "",         ANY,            NONE,      AT_START,      FOR_PLATFORM(pose),          0, 0},
  {"input",         KEY_STRING,     "",         ANY,            NONE,      AT_START,      FOR_PLATFORM(input),         0, 0},
  {"head_point",    KEY_VECTOR,     "m",        ANY,            "0 0 0.9", AT_START,      PLATFORM(head),              0, 0},
  {"kind",          KEY_CHOICE,     "",         ANY,            "legs",    AT_START,      FOR_PLATFORM(kind),          platform_kinds, 0},
  {"base",          KEY_SIX_POINTS, "m",        ANY,            NONE,      AT_START,      GEOMETRY(base),              0, 0},
  {"top",           KEY_SIX_POINTS, "m",        ANY,            NONE,      AT_START,      GEOMETRY(top),               0, 0},
  {"height",        KEY_NUMBER,     "m",        POSITIVE,       NONE,      AT_START,      GEOMETRY(height),            0, 0},
  {"leg_min",       KEY_NUMBER,     "m or rad", ANY,            NONE,      AT_START,      GEOMETRY(leg_min),           0, 0},
  {"leg_max",       KEY_NUMBER,     "m or rad", ANY,            NONE,      AT_START,      GEOMETRY(leg_max),           0, 0},
  {"leg_rate",      KEY_NUMBER,     "m/s or rad/s", POSITIVE,   NONE,      AT_START,      GEOMETRY(leg_rate),          0, 0},
  {"joint_max",     KEY_NUMBER,     "deg",      BETWEEN(1, 90), "45",      AT_START,      FOR_PLATFORM(joint_max),     0, 0},
  {"margin",        KEY_NUMBER,     "",         BETWEEN(0, 1),  "0.2",     AT_START,      GEOMETRY(margin),            0, 0},
  {"crank_length",  KEY_NUMBER,     "m",        POSITIVE,       NONE,      AT_START,      GEOMETRY(crank_length),      0, 0},
  {"rod_length",    KEY_NUMBER,     "m",        POSITIVE,       NONE,      AT_START,      GEOMETRY(rod_length),        0, 0},
  {"crank_heading", KEY_SIX,        "deg",      ANY,            NONE,      AT_START,      FOR_PLATFORM(crank_heading), 0, 0},
  {"park_position", KEY_VECTOR,     "m",        ANY,            NONE,      AT_START,      FOR_PLATFORM(park_position), 0, 0},
  {"park_angles",   KEY_VECTOR,     "deg",      ANY,            "0 0 0",   AT_START,      FOR_PLATFORM(park_angles),   0, 0},
  PLATFORM_PARAM_LIST(PARAMETER)
};
static const struct section platform = SECTION("platform", platform_keys);

static const struct key file_keys[] = {
  {"model",      KEY_ELEMENT, "", ANY, REQUIRED, AT_START, 0, 0, &schema_model},
  {"simulation", KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &simulation},
  {"solver",     KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &solver},
  {"cycle",      KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &cycle},
  {"realtime",   KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &realtime},
  {"inputs",     KEY_LIST,    "", ANY, NONE,     AT_START, 0, 0, &schema_input},
  {"injections", KEY_LIST,    "", ANY, NONE,     AT_START, 0, 0, &schema_injection},
  {"platform",   KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &platform},
  {"osc",        KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &osc},
  {"modbus",     KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &modbus},
  {"devices",    KEY_LIST,    "", ANY, NONE,     AT_START, 0, 0, &schema_device},
  {"packets",    KEY_LIST_FILE, "", ANY, NONE,   AT_START, 0, 0, &schema_packet},
  {"telemetry",  KEY_SECTION, "", ANY, NONE,     AT_START, 0, 0, &telemetry},
};
const struct section schema_file = SECTION("the file", file_keys);
/* clang-format on */
