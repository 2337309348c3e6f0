/* SPDX-License-Identifier: MIT
 * Every OSC address of a configuration, as rows of the sheet. Set-up only. */
#ifndef OSC_SHEET_H
#define OSC_SHEET_H

#include "osc/osc.h"
#include "wire/sheet.h"

/* Adds them in the order: commands and questions, inputs, streams. False when out of memory. */
bool osc_sheet(const struct osc_config *config, const struct signals *signals, struct sheet *sheet);

#endif
