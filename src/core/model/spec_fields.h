/* SPDX-License-Identifier: MIT
 * The fields of the specs of elements, in the order of the structs in ali3/model.h. The bytes of a model and the findings go
 * through these tables. Tests compare them with the header, and take every field through every round trip. A new field needs its
 * row here. */
#ifndef MODEL_SPEC_FIELDS_H
#define MODEL_SPEC_FIELDS_H

#include <ali3/model.h>

#include <stddef.h>

enum spec_kind {
  SPEC_NAME,    /* const char * */
  SPEC_TYPE,    /* an enum */
  SPEC_BODY,    /* int: index of a body, or ALI3_GROUND */
  SPEC_JOINT,   /* int: index of a joint */
  SPEC_FORCE,   /* int: index of a force element */
  SPEC_WHOLE,   /* int: a whole number */
  SPEC_BITS,    /* unsigned */
  SPEC_FLAG,    /* bool */
  SPEC_NUMBERS, /* double[count] */
  SPEC_TABLE,   /* ali3_table */
};

struct spec_field {
  const char *name;
  enum spec_kind kind;
  size_t at; /* in the spec */
  int count; /* SPEC_NUMBERS */
};

enum spec_element { SPEC_OF_BODY, SPEC_OF_JOINT, SPEC_OF_LOAD, SPEC_OF_FORCE, SPEC_OF_SENSOR, SPEC_ELEMENTS };
struct spec_fields {
  const char *element; /* "body", .. */
  size_t size;         /* bytes of the spec */
  const struct spec_field *field;
  int fields;
};
extern const struct spec_fields spec_fields[SPEC_ELEMENTS];

#endif
