/* SPDX-License-Identifier: MIT
 * A configuration without interfaces, for programs that compute only. Set-up only. */
#ifndef CONFIG_INNER_H
#define CONFIG_INNER_H

#include "yaml/yaml.h"

/* Takes the keys out of a tree that name devices, hosts and other files. */
void leave_out_interfaces(struct node *root);

#endif
