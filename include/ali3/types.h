/* SPDX-License-Identifier: MIT
 * The types that programs hold by pointer, for headers that need no more. */
#ifndef ALI3_TYPES_H
#define ALI3_TYPES_H

#define ALI3_GROUND (-1) /* index of the world, wherever a body index is asked for */
#define ALI3_NONE   (-2) /* no element has the name that was asked for */

typedef struct ali3_model ali3_model; /* ali3/model.h */
typedef struct ali3_data ali3_data;   /* ali3/stepper.h */

#endif
