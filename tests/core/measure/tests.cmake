# SPDX-License-Identifier: MIT
ali3_test(measure chain LINK test_core)
