/* SPDX-License-Identifier: MIT
 * Constants and functions of expressions. Set-up only. */
#ifndef EXPAND_EXPRESSION_PARTS_H
#define EXPAND_EXPRESSION_PARTS_H

#include "expand/expression.h"

enum { FUNCTION_VALUES_MOST = 4 };
struct function;

/* pi. False: no constant has the name. */
bool function_constant(const char *name, size_t length, double *out);
/* NULL: no function has the name. */
const struct function *function_find(const char *name, size_t length);
/* NULL, or the reason behind the name of the function: "takes one number". */
const char *function_call(const struct function *f, const struct value *item, int count, struct value *out);
/* Gives a the measure of a b^power. False: a power of the unit is out of range. */
bool function_combine(struct value *a, const struct value *b, int power);

#endif
