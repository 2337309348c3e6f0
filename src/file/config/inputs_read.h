/* SPDX-License-Identifier: MIT
 * The readers of the lists "inputs", "injections" and "stimulus". */
#ifndef CONFIG_INPUTS_READ_H
#define CONFIG_INPUTS_READ_H

#include "settings/input_values.h"

/* Reads the "inputs" list (NULL: there is none) into s->input, and gives the model, not yet frozen, the loads
 * of inputs on bodies. m NULL: the model has mistakes, and its bodies are known. False when out of
 * memory; mistakes are reported. */
bool inputs_read(const struct node *list, ali3_model *m, const struct names *bodies, struct settings *s,
                 struct report *r);

/* Reads the "injections" list (NULL: there is none). False when out of memory; mistakes are reported. */
bool injections_read(const struct node *list, struct settings *s, struct report *r);

/* Reads the list "stimulus" and its files (NULL: there is none), after the table of signals. False when out of memory;
 * mistakes are in the report. */
bool stimuli_read(const struct node *list, struct settings *s, struct report *r);

#endif
