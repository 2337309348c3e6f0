# SPDX-License-Identifier: MIT
ali3_test(motion machine LINK ali3_motion)
