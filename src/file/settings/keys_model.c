/* SPDX-License-Identifier: MIT
 * The keys of a model: bodies, joints, and forces. The list of forces has constant loads and force elements, and each type of
 * them has keys of its own. Data only. */
#include "expand/expand.h"
#include "settings/keys.h"
#include "settings/model_values.h"

#include <ali3/model.h>

static const char *const force_types[] = {[ALI3_LOAD_FORCE] = "force",
                                          [ALI3_LOAD_TORQUE] = "torque",
#define FORCE_NAME(id, text) [CONNECTION_FIRST + (id)] = (text),
                                          ALI3_FORCE_LIST(FORCE_NAME)
#undef FORCE_NAME
                                              NULL};

/* clang-format off */
#define FORCE(field) offsetof(struct force_values, field)
static const struct key force_keys[] = {
  TEXT("name", REQUIRED, AT_START, FORCE(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other forces.", .example = "wind"),
  CHOICE("type", force_types, REQUIRED, AT_START, FORCE(type),
         "Type of the force. force and torque are constant loads. All other types are force elements, and each type has "
         "keys of its own.", .example = "force"),
  TEXT("body", REQUIRED, AT_START, FORCE(body), "Name of the body on which the load acts.", .example = "A"),
  VECTOR("force", "N", ANY, NONE, WHILE_RUNNING, FORCE(force), "The constant force.",
         .only = KIND(ALI3_LOAD_FORCE), .needed = KIND(ALI3_LOAD_FORCE), .example = "[0, 0, 1]"),
  VECTOR("point", "m", ANY, "0 0 0", AT_START, FORCE(spec.point),
         "Point at which the force acts, in the frame of the body.", .only = KIND(ALI3_LOAD_FORCE)),
  VECTOR("torque", "N m", ANY, NONE, WHILE_RUNNING, FORCE(torque), "The constant torque.",
         .only = KIND(ALI3_LOAD_TORQUE), .needed = KIND(ALI3_LOAD_TORQUE)),
  CHOICE("axes", schema_axes, "world", AT_START, FORCE(axes),
         "Axes of the force or torque. Axes of the body turn with the body."),
};
const struct section schema_force = SECTION("a force", force_keys, .by = "type", .variants = schema_connection,
                                            .variant_first = CONNECTION_FIRST, .variant_count = ALI3_FORCE_TYPES,
                                            .doc = "A constant force on a point of a body, or a constant torque on a body.");

/* The first rows of several force elements. Elements on a joint have one of two units. */
#define COORDINATE   "rad or m"
#define RATE         "rad/s or m/s"
#define EFFORT       "N m or N"
#define STIFFNESS    "N m/rad or N/m"
#define DAMPING      "N m s/rad or N s/m"
#define LINK(field) offsetof(struct connection_values, field)
#define NAMED \
  TEXT("name", REQUIRED, AT_START, LINK(spec.name), \
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other forces."), \
  CHOICE("type", force_types, REQUIRED, AT_START, LINK(type), "Type of the force.")
#define ON_BODIES \
  NAMED, \
  TEXT("body_a", REQUIRED, AT_START, LINK(body_a), "Name of the first body, or ground for the world."), \
  TEXT("body_b", REQUIRED, AT_START, LINK(body_b), \
       "Name of the second body, or ground for the world. It is another body than body_a."), \
  VECTOR("point_a", "m", ANY, "0 0 0", AT_START, LINK(spec.point_a), "Point in the frame of body_a."), \
  VECTOR("point_b", "m", ANY, "0 0 0", AT_START, LINK(spec.point_b), "Point in the frame of body_b.")
#define ON_JOINT \
  NAMED, \
  TEXT("joint", REQUIRED, AT_START, LINK(joint), \
       "Name of a revolute or prismatic joint. Where two units stand, the first unit is for a revolute joint.")
#define CONTACT_FRICTION \
  NUMBER("friction", "", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.friction), "Coefficient of Coulomb friction."), \
  NUMBER("slip", "m/s", POSITIVE, "1e-3", WHILE_RUNNING, LINK(spec.slip), \
         "Sliding velocity v over which friction builds up as v/sqrt(v^2 + slip^2). A contact that friction holds creeps.")

static const struct key spring_keys[] = {
  ON_BODIES,
  NUMBER("stiffness", "N/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.stiffness), "Stiffness along the line of the points."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping along the line of the points."),
  TABLE("force_table", "m and N", NONE, AT_START, LINK(spec.force_table),
        "Force over the length less rest_length, in place of stiffness. The first numbers rise from pair to pair. The force "
        "is linear between the pairs and beyond the first and the last pair."),
  TABLE("damping_table", "m/s and N", NONE, AT_START, LINK(spec.damping_table),
        "Force over the rate of the length, in place of damping. It has the form of force_table."),
  NUMBER("rest_length", "m", NOT_NEGATIVE, NONE, WHILE_RUNNING, LINK(spec.rest),
         "Length without force. Without this key it is the distance of the points at the start."),
};
static const struct key bushing_keys[] = {
  ON_BODIES,
  VECTOR("stiffness", "N/m", NOT_NEGATIVE, "0 0 0", WHILE_RUNNING, LINK(spec.stiffness[0]), "Stiffness along the axes of body_a."),
  VECTOR("damping", "N s/m", NOT_NEGATIVE, "0 0 0", WHILE_RUNNING, LINK(spec.damping[0]), "Damping along the axes of body_a."),
  VECTOR("rotational_stiffness", "N m/rad", NOT_NEGATIVE, "0 0 0", WHILE_RUNNING, LINK(spec.stiffness[3]),
         "Stiffness about the axes of body_a."),
  VECTOR("rotational_damping", "N m s/rad", NOT_NEGATIVE, "0 0 0", WHILE_RUNNING, LINK(spec.damping[3]),
         "Damping about the axes of body_a."),
};
static const struct key joint_spring_keys[] = {
  ON_JOINT,
  NUMBER("stiffness", STIFFNESS, NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.stiffness), "Stiffness of the spring."),
  NUMBER("damping", DAMPING, NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping of the damper."),
  TABLE("force_table", "rad and N m, or m and N", NONE, AT_START, LINK(spec.force_table),
        "Torque or force over the coordinate less rest, in place of stiffness. The first numbers rise from pair to pair. "
        "The torque or force is linear between the pairs and beyond the first and the last pair."),
  TABLE("damping_table", "rad/s and N m, or m/s and N", NONE, AT_START, LINK(spec.damping_table),
        "Torque or force over the rate of the coordinate, in place of damping. It has the form of force_table."),
  NUMBER("rest", COORDINATE, ANY, NONE, WHILE_RUNNING, LINK(spec.rest),
         "Coordinate without force. Without this key it is the coordinate at the start."),
};
static const struct key cable_keys[] = {
  ON_BODIES,
  NUMBER("stiffness", "N/m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Stiffness of the taut cable."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping of the taut cable."),
  NUMBER("rest_length", "m", NOT_NEGATIVE, NONE, WHILE_RUNNING, LINK(spec.rest),
         "Length up to which the cable is slack. Without this key it is the distance of the points at the start."),
};
static const struct key end_stop_keys[] = {
  ON_BODIES,
  NUMBER("lower", "m", NOT_NEGATIVE, NONE, WHILE_RUNNING, LINK(spec.lower),
         "Smallest distance of the points. Without this key there is no lower stop. Write lower, upper or both."),
  NUMBER("upper", "m", POSITIVE, NONE, WHILE_RUNNING, LINK(spec.upper),
         "Largest distance of the points. Without this key there is no upper stop. Write lower, upper or both."),
  NUMBER("stiffness", "N/m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Stiffness beyond a limit."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping beyond a limit."),
};
static const struct key stop_keys[] = {
  ON_JOINT,
  NUMBER("lower", COORDINATE, ANY, NONE, WHILE_RUNNING, LINK(spec.lower),
         "Smallest coordinate. Without this key there is no lower stop. Write lower, upper or both."),
  NUMBER("upper", COORDINATE, ANY, NONE, WHILE_RUNNING, LINK(spec.upper),
         "Largest coordinate. Without this key there is no upper stop. Write lower, upper or both."),
  NUMBER("stiffness", STIFFNESS, POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Stiffness beyond a limit."),
  NUMBER("damping", DAMPING, NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping beyond a limit."),
};
static const struct key friction_keys[] = {
  ON_JOINT,
  NUMBER("friction", EFFORT, NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.friction), "Coulomb friction."),
  NUMBER("damping", DAMPING, NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Viscous friction."),
  NUMBER("slip", RATE, POSITIVE, "1e-3", WHILE_RUNNING, LINK(spec.slip),
         "Rate v over which Coulomb friction builds up as v/sqrt(v^2 + slip^2). A joint that friction holds creeps."),
};
static const struct key motor_keys[] = {
  ON_JOINT,
};
static const struct key drive_keys[] = {
  ON_JOINT,
  NUMBER("offset", COORDINATE, ANY, NONE, AT_START, LINK(spec.offset),
         "Constant part of the coordinate. Without this key the drive starts from the coordinate at the start."),
  NUMBER("speed", RATE, ANY, "0", AT_START, LINK(spec.speed), "Constant rate of the coordinate."),
  NUMBER("amplitude", COORDINATE, ANY, "0", AT_START, LINK(spec.amplitude), "Amplitude of the sine."),
  NUMBER("frequency", "Hz", ANY, "0", AT_START, LINK(spec.frequency), "Frequency of the sine."),
  NUMBER("phase", "rad", ANY, "0", AT_START, LINK(spec.phase), "Phase of the sine."),
  TABLE("motion", "s and rad, or s and m", NONE, AT_START, LINK(spec.motion),
        "Pairs of time and coordinate, joined by a smooth curve, in place of offset, speed and the sine. The coordinate "
        "rests before the first pair and after the last pair."),
  FLAG("external", "false", AT_START, LINK(spec.external),
       "true: the drive goes where an input tells it to go, within max_rate and max_acceleration. Until then it stays where "
       "it is at the start."),
  NUMBER("max_rate", RATE, POSITIVE, NONE, AT_START, LINK(spec.max_rate),
         "Largest rate of an external drive. An external drive needs it, no other drive takes it."),
  NUMBER("max_acceleration", "rad/s^2 or m/s^2", POSITIVE, NONE, AT_START, LINK(spec.max_acceleration),
         "Largest acceleration of an external drive. An external drive needs it, no other drive takes it."),
};
static const struct key gear_keys[] = {
  ON_JOINT,
  TEXT("joint_b", REQUIRED, AT_START, LINK(joint_b), "Name of another revolute or prismatic joint."),
  NUMBER("ratio", "", ANY, "1", AT_START, LINK(spec.ratio),
         "Change of the coordinate of joint over the change of the coordinate of joint_b. It is not 0. With a negative ratio "
         "the joints turn against each other."),
};
static const struct key sphere_plane_keys[] = {
  ON_BODIES,
  VECTOR("normal", "", ANY, REQUIRED, AT_START, LINK(spec.normal),
         "Direction out of the plane, in the frame of body_a. Any length but 0 is good."),
  NUMBER("radius", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.radius_b), "Radius of the sphere."),
  NUMBER("stiffness", "N/m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Stiffness of the contact."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping of the contact."),
  CONTACT_FRICTION,
};
static const struct key sphere_sphere_keys[] = {
  ON_BODIES,
  NUMBER("radius_a", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.radius_a), "Radius of the sphere about point_a."),
  NUMBER("radius_b", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.radius_b), "Radius of the sphere about point_b."),
  NUMBER("stiffness", "N/m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Stiffness of the contact."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Damping of the contact."),
  CONTACT_FRICTION,
};

static const struct key cylinder_keys[] = {
  ON_BODIES,
  NUMBER("bore", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.bore), "Diameter of the piston."),
  NUMBER("rod", "m", NOT_NEGATIVE, "0", AT_START, LINK(spec.rod),
         "Diameter of the rod, which leaves chamber b. With 0 both chambers have the area of the piston."),
  NUMBER("retracted", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.retracted), "Distance of the points with the rod in."),
  NUMBER("stroke", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.stroke),
         "Travel of the piston. The cylinder itself has no end: an end_stop holds it."),
  NUMBER("dead_volume_a", "m^3", POSITIVE, "1e-4", AT_START, LINK(spec.dead_volume[0]), "Oil of chamber a with the rod in."),
  NUMBER("dead_volume_b", "m^3", POSITIVE, "1e-4", AT_START, LINK(spec.dead_volume[1]), "Oil of chamber b with the rod out."),
  NUMBER("bulk_modulus", "Pa", POSITIVE, "1.4e9", AT_START, LINK(spec.bulk_modulus), "Bulk modulus of the oil with its hoses."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Viscous friction of the seals."),
  NUMBER("leakage", "m^3/s/Pa", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.leakage), "Leakage past the piston, over the drop of pressure."),
  NUMBER("supply", "Pa", NOT_NEGATIVE, REQUIRED, WHILE_RUNNING, LINK(spec.supply), "Gauge pressure of the supply, at least that of the tank."),
  NUMBER("tank", "Pa", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.tank), "Gauge pressure of the tank."),
  NUMBER("flow", "m^3/s", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.flow),
         "Flow through one edge of the valve that is fully open, at a drop of pressure of flow_drop."),
  NUMBER("flow_drop", "Pa", POSITIVE, "5e5", WHILE_RUNNING, LINK(spec.flow_drop), "Drop of pressure at which the edge has that flow."),
  NUMBER("overlap", "", ANY, "0", WHILE_RUNNING, LINK(spec.overlap),
         "Part of the full command, from -0.9 to 0.9, after which an edge begins to open. Below 0 all four edges are open around the command 0."),
  NUMBER("lag", "s", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.lag), "Time constant with which the spool follows the command."),
  NUMBER("pressure_a", "Pa", ANY, NONE, AT_START, LINK(spec.pressure[0]),
         "Gauge pressure of chamber a at the start, -1e5 or more. Write both pressures or none: without them they hold the mechanism at rest."),
  NUMBER("pressure_b", "Pa", ANY, NONE, AT_START, LINK(spec.pressure[1]), "Gauge pressure of chamber b at the start."),
};
static const struct key winding_keys[] = {
  ON_JOINT,
  NUMBER("resistance", "Ohm", NOT_NEGATIVE, REQUIRED, WHILE_RUNNING, LINK(spec.resistance), "Resistance of the winding."),
  NUMBER("inductance", "H", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.inductance), "Inductance of the winding."),
  NUMBER("constant", "N m/A or N/A", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.constant),
         "Torque or force over current, and voltage over rate. A three-phase motor has 1.5 times its pole pairs times its flux linkage."),
  NUMBER("max_current", "A", POSITIVE, NONE, WHILE_RUNNING, LINK(spec.max_current), "Limit of the current, and so of the torque. None: no limit."),
  NUMBER("max_voltage", "V", POSITIVE, NONE, WHILE_RUNNING, LINK(spec.max_voltage), "Limit of the voltage. None: no limit."),
  NUMBER("current", "A", ANY, "0", AT_START, LINK(spec.current), "Current at the start."),
};

static const struct key brake_keys[] = {
  ON_JOINT,
  NUMBER("friction", EFFORT, POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.friction), "Largest force or torque of the brake. The input stays within it."),
  NUMBER("slip", RATE, POSITIVE, "1e-3", WHILE_RUNNING, LINK(spec.slip),
         "Rate v over which the brake builds up as v/sqrt(v^2 + slip^2). A joint that it holds creeps below this rate."),
};
static const struct key tyre_keys[] = {
  ON_BODIES,
  VECTOR("normal", "", ANY, REQUIRED, AT_START, LINK(spec.normal), "Direction out of the road, in the frame of body_a."),
  VECTOR("axle", "", ANY, REQUIRED, AT_START, LINK(spec.axle),
         "Axle of the wheel in the frame of body_b, to the left: axle x normal is forward."),
  NUMBER("radius", "m", POSITIVE, REQUIRED, AT_START, LINK(spec.radius_b), "Radius without load, about point_b of body_b."),
  NUMBER("rolling_radius", "m", POSITIVE, NONE, AT_START, LINK(spec.rolling_radius),
         "Speed over rate of a wheel that rolls freely, and the arm of the force along it. None: radius."),
  NUMBER("stiffness", "N/m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.stiffness), "Radial stiffness."),
  NUMBER("damping", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.damping), "Radial damping."),
  NUMBER("load", "N", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.load), "Load for which relaxation and slip_damping hold."),
  NUMBER("slip_stiffness_along", "", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.slip_stiffness[0]),
         "Force along the wheel by slip, over the load, for small slip."),
  NUMBER("slip_stiffness_across", "1/rad", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.slip_stiffness[1]),
         "Force across the wheel by the tangent of the angle of slip, over the load, for small angles."),
  NUMBER("relaxation_along", "m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.relaxation[0]),
         "Way over which the force along the wheel follows its slip, at load. At standstill the tread is a spring of slip_stiffness "
         "load/relaxation."),
  NUMBER("relaxation_across", "m", POSITIVE, REQUIRED, WHILE_RUNNING, LINK(spec.relaxation[1]), "The same across the wheel."),
  NUMBER("grip_along", "", POSITIVE, "1", WHILE_RUNNING, LINK(spec.grip[0]), "Largest force along the wheel over the load."),
  NUMBER("grip_across", "", POSITIVE, "1", WHILE_RUNNING, LINK(spec.grip[1]), "Largest force across the wheel over the load."),
  NUMBER("slip_damping_along", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.slip_damping[0]),
         "Damping of the deflection along the wheel at load. It calms a wheel that stands, and has no effect on steady slip."),
  NUMBER("slip_damping_across", "N s/m", NOT_NEGATIVE, "0", WHILE_RUNNING, LINK(spec.slip_damping[1]), "The same across the wheel."),
  NUMBER("shape", "", POSITIVE, "1.5", WHILE_RUNNING, LINK(spec.shape),
         "Shape C of the magic formula, from 1 to 1.95. With 1 the force rises to the grip and stays; above, it falls to sin(C pi/2) of the grip."),
  NUMBER("curvature", "", ANY, "0", WHILE_RUNNING, LINK(spec.curvature),
         "Curvature E of the magic formula, 1 or less. It moves the peak: to less slip below 0, to more slip above 0."),
};

const struct section schema_connection[ALI3_FORCE_TYPES] = {
  [ALI3_FORCE_SPRING] = SECTION("a spring_damper", spring_keys,
      .doc = "A spring and a damper along the line between two points. Points that meet have no line, and no force "
             "acts there. Keep points apart if the force at the length 0 is not 0: a step in which they pass each other is degraded, and "
             "the log names the element."),
  [ALI3_FORCE_BUSHING] = SECTION("a bushing", bushing_keys,
      .doc = "A bushing yields along the axes of body_a, and about them: its torques follow the rotation vector of body_b since the "
             "start, for rotations below 180 degrees. At 180 degrees they change their sign: such a step is degraded, and the log "
             "names the bushing."),
  [ALI3_FORCE_JOINT_SPRING] = SECTION("a joint_spring", joint_spring_keys,
      .doc = "A spring and a damper on the coordinate of a joint."),
  [ALI3_FORCE_CABLE] = SECTION("a cable", cable_keys,
      .doc = "A cable between two points. It pulls and never pushes."),
  [ALI3_FORCE_END_STOP] = SECTION("an end_stop", end_stop_keys,
      .doc = "An end stop pushes back if the distance of two points exceeds its limits. A step in which the points pass each other, with a "
             "lower limit above 0, is degraded, and the log names the end stop."),
  [ALI3_FORCE_STOP] = SECTION("a stop", stop_keys,
      .doc = "A stop pushes back if the coordinate of a joint exceeds its limits."),
  [ALI3_FORCE_FRICTION] = SECTION("a friction", friction_keys,
      .doc = "Coulomb and viscous friction on the coordinate of a joint."),
  [ALI3_FORCE_MOTOR] = SECTION("a motor", motor_keys,
      .doc = "A motor applies the force or torque that an input gives, and 0 before the first value."),
  [ALI3_FORCE_DRIVE] = SECTION("a drive", drive_keys,
      .doc = "A drive prescribes the coordinate of a joint: offset + speed t + amplitude sin(2 pi frequency t + phase)."),
  [ALI3_FORCE_GEAR] = SECTION("a gear", gear_keys,
      .doc = "A gear holds the coordinate of joint at ratio times the coordinate of joint_b, from the coordinates at the "
             "start."),
  [ALI3_FORCE_SPHERE_PLANE] = SECTION("a sphere_plane", sphere_plane_keys,
      .doc = "A contact of a plane through point_a of body_a with a sphere about point_b of body_b."),
  [ALI3_FORCE_SPHERE_SPHERE] = SECTION("a sphere_sphere", sphere_sphere_keys,
      .doc = "A contact of two spheres, about point_a of body_a and about point_b of body_b."),
  [ALI3_FORCE_CYLINDER] = SECTION("a hydraulic_cylinder", cylinder_keys,
      .doc = "A hydraulic cylinder between two points, with a valve of four edges. Oil in chamber a drives the points apart. An input gives "
             "the command of the valve, -1 .. 1: above 0 chamber a is open to the supply and chamber b to the tank, and the cylinder "
             "extends. It is 0 before the first value. The methods ali3 and energy step it, the explicit methods do not."),
  [ALI3_FORCE_WINDING] = SECTION("an electric_motor", winding_keys,
      .doc = "A DC or permanent magnet motor on the coordinate of a joint, with the current of its winding. An input gives its voltage, 0 before "
             "the first value. The methods ali3 and energy step it, the explicit methods do not."),
  [ALI3_FORCE_BRAKE] = SECTION("a brake", brake_keys,
      .doc = "A brake on the coordinate of a joint: Coulomb friction of the force or torque that an input gives, 0 before the first value."),
  [ALI3_FORCE_TYRE] = SECTION("a tyre", tyre_keys,
      .doc = "A tyre: a wheel about point_b of body_b rolls on the plane through point_a of body_a. It has a radial spring, and a tread "
             "whose deflection follows the slip over the relaxation length, by a magic formula for combined slip. The contact is below the centre "
             "of the wheel, and never pulls. The methods ali3 and energy step it, the explicit methods do not."),
};
/* clang-format on */

static const char *const joint_types[] = {
#define JOINT_NAME(id, text) text,
    ALI3_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
        NULL};
/* clang-format 14 takes the commas of the macros for columns. */
/* clang-format off */
#define BODY(field) offsetof(struct body_values, field)
static const struct key body_keys[] = {
  TEXT("name", REQUIRED, AT_START, BODY(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other bodies and from ground.", .example = "A"),
  NUMBER("mass", "kg", NOT_NEGATIVE, REQUIRED, WHILE_RUNNING, BODY(spec.mass),
         "Mass. Joints, springs or dampers must hold a body that has no mass, or no inertia about some axis.",
       .example = "1.0", .derived = true),
  INERTIA("inertia", "kg m^2", REQUIRED, WHILE_RUNNING, BODY(spec.inertia),
          "Inertia about the centre of mass, in the axes of the body. The matrix is symmetric and has no negative "
          "principal moment. Each principal moment is at most the sum of the two others.", .example = "[1, 1, 1]",
          .derived = true),
  VECTOR("position", "m", ANY, REQUIRED, AT_START, BODY(spec.position),
         "Position of the centre of mass at the start, in world axes. A body with shapes has its origin where its shapes have "
         "it. Without this key a joint with point_a and point_b that leads to the body places it.", .example = "[0.5, 0, 0]",
         .derived = true),
  QUATERNION("orientation", "1 0 0 0", AT_START, BODY(spec.orientation),
             "Euler parameters from body to world at the start." ORIENTATION_FORMS),
  VECTOR("velocity", "m/s", ANY, "0 0 0", AT_START, BODY(spec.velocity),
         "Velocity of the centre of mass at the start, in world axes. Other bodies, and the angular velocity, follow where they "
         "are 0."),
  VECTOR("angular_velocity", "rad/s", ANY, "0 0 0", AT_START, BODY(spec.angular_velocity),
         "Angular velocity at the start, in the axes of the body. Other bodies, and the velocity, follow where they are 0."),
  TEXT("relative_to", NONE, AT_START, BODY(relative_to),
       "Name of another body. position and orientation are then in the frame of that body."),
  MAP_LIKE("shape", &schema_shape, NONE,
           "The only shape of the body, with the keys of shapes. The body may have the key mass, in place of mass or density of "
           "the shape."),
  LIST("shapes", &schema_shape, NONE,
       "Shapes that give mass, centre of mass and inertia, in place of mass and inertia. Points of joints, forces and sensors on "
       "the body count from the origin of its shapes. The origin moves to the centre of mass when the file is read.",
       .off = true),
};
const struct section schema_body = SECTION("a body", body_keys);

enum {
  ALL_JOINTS = KIND(ALI3_JOINT_DISTANCE + 1) - 1,
  JOINTS_AT_POINT = ALL_JOINTS & ~KIND(ALI3_JOINT_DISTANCE),
  JOINTS_WITH_AXIS = KIND(ALI3_JOINT_REVOLUTE) | KIND(ALI3_JOINT_PRISMATIC) | KIND(ALI3_JOINT_CYLINDRICAL) |
                     KIND(ALI3_JOINT_UNIVERSAL) | KIND(ALI3_JOINT_PLANAR) | KIND(ALI3_JOINT_POINT_ON_LINE) |
                     KIND(ALI3_JOINT_POINT_IN_PLANE),
};
#define JOINT(field) offsetof(struct joint_values, field)
static const struct key joint_keys[] = {
  TEXT("name", REQUIRED, AT_START, JOINT(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other joints.", .example = "J1"),
  CHOICE("type", joint_types, REQUIRED, AT_START, JOINT(type),
         "Type of the joint. It decides which of the other keys are needed.", .example = "revolute"),
  TEXT("body_a", REQUIRED, AT_START, JOINT(body_a), "Name of the first body, or ground for the world.", .example = "ground"),
  TEXT("body_b", REQUIRED, AT_START, JOINT(body_b),
       "Name of the second body, or ground for the world. It is another body than body_a.", .example = "A"),
  VECTOR("point_a", "m", ANY, NONE, AT_START, JOINT(spec.point_a),
         "Position of the joint in the frame of body_a. Write either point_a and point_b, or at."),
  VECTOR("point_b", "m", ANY, NONE, AT_START, JOINT(spec.point_b),
         "Position of the joint in the frame of body_b. Write either point_a and point_b, or at."),
  VECTOR("axis_a", "", ANY, NONE, AT_START, JOINT(spec.axis_a),
         "Direction of the joint's axis in the frame of body_a. Any length but 0 is good. Write either axis_a and axis_b, "
         "or axis.", .only = JOINTS_WITH_AXIS),
  VECTOR("axis_b", "", ANY, NONE, AT_START, JOINT(spec.axis_b),
         "Direction of the joint's axis in the frame of body_b. Any length but 0 is good. Write either axis_a and axis_b, "
         "or axis.", .only = JOINTS_WITH_AXIS),
  VECTOR("at", "m", ANY, NONE, AT_START, JOINT(at),
         "Position of the joint in the world at the start, in place of point_a and point_b.", .only = JOINTS_AT_POINT,
       .example = "[0, 0, 0]"),
  VECTOR("axis", "", ANY, NONE, AT_START, JOINT(axis),
         "Direction of the joint's axis in the world at the start, in place of axis_a and axis_b. A universal joint has "
         "two axes and takes axis_a and axis_b.", .only = JOINTS_WITH_AXIS & ~KIND(ALI3_JOINT_UNIVERSAL),
       .example = "[0, 0, 1]"),
  NUMBER("length", "m", POSITIVE, NONE, AT_START, JOINT(spec.length),
         "Distance between the two points of a distance joint. Without this key the distance at the start is kept.",
         .only = KIND(ALI3_JOINT_DISTANCE)),
  QUATERNION("relative_orientation", NONE, AT_START, JOINT(spec.relative_orientation),
             "Euler parameters of body_b seen from body_a. Without this key the orientation at the start is kept."
             ORIENTATION_FORMS,
             .only = KIND(ALI3_JOINT_FIXED) | KIND(ALI3_JOINT_PRISMATIC)),
  ANGLE("position", "rad or m, or as in 30 deg", ANY, "0", AT_START, JOINT(spec.position),
        "Coordinate of the joint in the poses that the bodies have at the start. The angle of a revolute joint counts full "
        "turns and grows as body_b turns about the axis of body_a by the right-hand rule. The distance of a prismatic joint "
        "grows as point_b moves along that axis. Drives, springs, stops, gears and signals share this zero.",
        .only = KIND(ALI3_JOINT_REVOLUTE) | KIND(ALI3_JOINT_PRISMATIC)),
  NUMBER("velocity", RATE, ANY, "0", AT_START, JOINT(spec.velocity),
        "Rate of the coordinate at the start, at which the joint moves body_b (body_a, if body_b is the ground). The other bodies "
        "follow as the joints demand. With 0 the joint moves as the bodies and the other joints do.",
        .only = KIND(ALI3_JOINT_REVOLUTE) | KIND(ALI3_JOINT_PRISMATIC)),
};
const struct section schema_joint = SECTION("a joint", joint_keys, .by = "type");

#define PART(field) offsetof(struct part_values, field)
static const struct key part_keys[] = {
  TEXT("use", NONE, AT_START, PART(use),
       "Path of a model file, relative to this file, whose elements the part has. Outside model only its inputs and parameters "
       "count."),
  TEXT("prefix", NONE, AT_START, PART(prefix),
       "Beginning of the names of all elements of the part: ${side}_. References to elements inside the part follow."),
  COPIES("repeat",
         "Number of copies, with the variable i from 1 on; or variables with one value for each copy, {side: [left, right], y: "
         "[0.6, -0.6]}."),
  VARIABLES("parameters",
            "Parameters of the part. With use they replace parameters of the file."),
  CHOICE("mirror", schema_mirrors, "none", AT_START, PART(mirror),
         "Axis whose sign the part changes, before it is turned and shifted. Bodies, axes and loads become their images in a "
         "mirror. A revolute joint keeps the sense of its coordinate as seen in the mirror."),
  TEXT("attach_to", NONE, AT_START, PART(attach_to),
       "Name of a body that carries the part, in place of the ground. position and orientation are then in the frame of that body, "
       "and so is everything in the part that is in the world: the world of the part moves with the body to its pose at the start. "
       "The name ground in the part means the body. Velocities do not include those of the body."),
  VECTOR("position", "m", ANY, "0 0 0", AT_START, PART(position), "Shift of the part."),
  QUATERNION("orientation", "1 0 0 0", AT_START, PART(orientation),
             "Turn of the part about the origin, before it is shifted." ORIENTATION_FORMS),
  LIST_LIKE("bodies", &schema_body, NONE, "Bodies, as in the model."),
  LIST_LIKE("joints", &schema_joint, NONE, "Joints, as in the model."),
  LIST_LIKE("forces", &schema_force, NONE, "Forces, as in the model."),
  LIST_LIKE("sensors", &schema_sensor, NONE, "Sensors, as in the model."),
  LIST_LIKE("visual", &schema_visual, NONE, "Shapes for pictures, as in the model. They move and mirror as their bodies."),
  LIST_LIKE("inputs", &schema_input, NONE, "Inputs, as in the file."),
  LIST_LIKE("parts", &schema_part, NONE, "Parts of the part."),
};
const struct section schema_part = SECTION("a part", part_keys);

#define MODEL(field) offsetof(struct model_values, field)
static const struct key assembly_keys[] = {
  NUMBER("position", "m", POSITIVE, NONE, AT_START, MODEL(assembly_position),
         "Largest displacement of the centre of mass of any body. Without this key it is 0.005 m, or a twentieth of the "
         "longest lever arm from a centre of mass to a joint where that is less."),
  ANGLE("angle", "rad, or as in 2 deg", POSITIVE, "2 deg", AT_START, MODEL(assembly_angle),
        "Largest rotation of any body."),
  NUMBER("velocity", "m/s or rad/s", POSITIVE, NONE, AT_START, MODEL(assembly_velocity),
         "Largest change of a velocity or an angular velocity that a body or joint of the file has, and that the joints do not "
         "allow. Without this key it is a tenth of the velocity in the file; smaller changes are warnings with both rates."),
};
static const struct section assembly = SECTION("assembly", assembly_keys);

static const struct key model_keys[] = {
  TEXT("name", "model", AT_START, MODEL(name), "Name of the model. Every tool shows it."),
  TEXT("description", NONE, AT_START, MODEL(description), "Description for people. It may have several lines."),
  VECTOR("gravity", "m/s^2", ANY, "0 0 0", WHILE_RUNNING, MODEL(gravity), "Gravity in world axes."),
  SUBSECTION("assembly", &assembly,
             "Limits of the assembly: how far a body may move at the start to close joints that the given poses leave open. "
             "A model that needs more is refused, and the message names the joints that are open."),
  LIST("bodies", &schema_body, NONE, "The rigid bodies, in any order."),
  LIST("joints", &schema_joint, NONE,
       "The joints. A body may have any number of joints. Closed loops and redundant constraints are allowed."),
  LIST("forces", &schema_force, NONE,
       "Constant loads, and force elements such as springs, contacts and drives. Force elements are solved implicitly "
       "together with the joints: a stiff one needs no shorter step."),
  LIST("sensors", &schema_sensor, NONE,
       "Places on bodies at which the motion is measured. Sensors do not change the motion."),
  LIST("parts", &schema_part, NONE,
       "Groups of elements that stand several times, or come from another file. Their elements follow those of the lists "
       "above.", .off = true),
  LIST("visual", &schema_visual, NONE,
       "Shapes that pictures draw in place of the shape of a body and of its solid from mass and inertia. They have no effect on "
       "the motion."),
  TEXT("file", NONE, AT_START, MODEL(file),
       "Path of a model file, relative to this one. The file is used in place of the model, so only parameters may stand "
       "beside this key: model: {file: models/four_bar.yaml}."),
  VARIABLES("parameters",
            "Values that replace parameters of the model file. They stand only beside file, and may use the parameters of this file."),
};
const struct section schema_model = SECTION("a model", model_keys, .by_itself = true);
/* clang-format on */
