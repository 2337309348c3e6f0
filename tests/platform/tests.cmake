# SPDX-License-Identifier: MIT
ali3_test(platform pose LINK ali3_platform m)
ali3_test(platform filter LINK ali3_platform m)
ali3_test(platform tilt LINK ali3_platform m)
ali3_test(platform params LINK ali3_platform m)
ali3_test(platform washout LINK ali3_platform m)
ali3_test(platform tuning LINK ali3_platform m)
ali3_test(platform cueing LINK ali3_platform m)
