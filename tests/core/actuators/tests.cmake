# SPDX-License-Identifier: MIT
ali3_test(actuators cylinder LINK test_core)
