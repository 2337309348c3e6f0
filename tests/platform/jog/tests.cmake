# SPDX-License-Identifier: MIT
ali3_test(jog jog LINK ali3_jog m)
