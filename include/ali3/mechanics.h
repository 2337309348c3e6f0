/* SPDX-License-Identifier: MIT
 * Set-up analysis of a mechanism: its parts, freedoms, redundant rows, singular directions, and drives
 * that contradict each other or the joints.
 *
 * All figures are geometry. They come from the rank of the Jacobian of the rigid rows (joints, gears,
 * drives) and depend neither on masses and inertias nor on the unit of length. Nothing here is real-time
 * safe, and everything is thread safe as long as nobody changes the same ali3_data or ali3_mechanics at
 * the same time. SI units. */
#ifndef ALI3_MECHANICS_H
#define ALI3_MECHANICS_H

#include <ali3/stepper.h>

ALI3_BEGIN_DECLARATIONS

typedef struct ali3_mechanics ali3_mechanics;

/* Analyses a frozen model in the position that d holds after ali3_reset() or a step. The function only
 * reads d, which must hold a finite state. It allocates; 10 000 bodies take seconds. Returns NULL when out
 * of memory or when m is not frozen. The caller frees the result with ali3_mechanics_free(). The result
 * does not refer to d later. */
ali3_mechanics *ali3_mechanics_new(const ali3_model *m, const ali3_data *d);
void ali3_mechanics_free(ali3_mechanics *a);

/* A part is a set of bodies that rigid links (joints, gears, drives) connect to each other. The ground
 * connects no bodies: two doors on one wall are two parts. A body without a rigid link is a part by
 * itself. */
typedef struct {
  int bodies, joints, forces; /* that belong to the part; only drives and gears count as forces */
  int rows;                   /* rigid rows: of joints, gears, drives */
  int freedoms;          /* 6 bodies - rank: independent velocities, with gears and drives as constraints */
  int freedoms_undriven; /* freedoms without the rows of drives */
  int redundant;         /* rows - rank: rigid rows that depend on others in this position */
  int singular; /* redundant rows that are independent in a nearby position; the others are redundant everywhere */
  bool grounded; /* some rigid link connects the part to the ground */
  bool sprung;   /* some element that is not rigid connects the part to the ground or to another part */
  /* Smallest pivot that counts as independent and largest one that does not, relative to unit rows; 1 and
   * 0 where there is none. The limit between them is 1e-6. doubtful: a pivot is so close to the limit that
   * the counts may be wrong by one. */
  double smallest_kept, largest_dropped;
  bool doubtful;
} ali3_mechanics_part;

/* Number of parts, at least 1. Parts are in the order of their first bodies. */
int ali3_mechanics_parts(const ali3_mechanics *a);
/* part: 0 .. parts - 1, or -1 for the sum over all parts. Returns ALI3_OK, or ALI3_E_ARGUMENT with *out
 * all zero. */
ali3_status ali3_mechanics_part_get(const ali3_mechanics *a, int part, ali3_mechanics_part *out);

/* Part of a body, of a joint, of a drive or gear. -1: the index is out of range, or the force is not
 * rigid. */
int ali3_mechanics_part_of_body(const ali3_mechanics *a, int body);
int ali3_mechanics_part_of_joint(const ali3_mechanics *a, int joint);
int ali3_mechanics_part_of_force(const ali3_mechanics *a, int force);

/* True if a row of the element depends on rows of other elements, or one of theirs on it. False if the index is out of range. */
bool ali3_mechanics_joint_is_redundant(const ali3_mechanics *a, int joint);
bool ali3_mechanics_force_is_redundant(const ali3_mechanics *a, int force);

/* Rows that the solve may leave out, because other joints hold them in every position: dropped (joints) gets a sum of enum
 * ali3_drop for each joint, which ali3_model_drop_rows() of an equal model that is not frozen takes. It holds in 80 positions
 * along a way through those that the joints allow, drives and gears left out, or as many of them as the mechanism can reach,
 * and work of a few seconds allows. Rows of mechanisms that cannot move, and rows that depend on others in some
 * positions only, are kept. At least one row of each joint is kept. Returns ALI3_OK, ALI3_E_ARGUMENT or ALI3_E_MEMORY. */
ali3_status ali3_mechanics_droppable(const ali3_model *m, const ali3_data *d, unsigned *dropped);

/* A drive or gear whose row depends on other rows. */
typedef struct {
  int force;       /* the drive or gear */
  int other_force; /* the drive or gear that takes the largest share in the dependency; -1: only joints do */
  /* rad/s or m/s: the rate that the drive prescribes minus the rate that all other rows demand of its coordinate (gear: of its
   * first coordinate). 0: they agree in this position. Otherwise no motion satisfies both. */
  double velocity;
} ali3_mechanics_conflict;

/* Number of such drives and gears, in the order of forces. */
int ali3_mechanics_conflicts(const ali3_mechanics *a);
/* i: 0 .. conflicts - 1. Returns ALI3_OK, or ALI3_E_ARGUMENT with *out {-1, -1, 0}. */
ali3_status ali3_mechanics_conflict_get(const ali3_mechanics *a, int i, ali3_mechanics_conflict *out);

ALI3_END_DECLARATIONS
#endif
