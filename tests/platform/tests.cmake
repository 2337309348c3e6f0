# SPDX-License-Identifier: MIT
ali3_test(platform axis LINK ali3_platform m)
ali3_test(platform envelope LINK ali3_platform m)
ali3_test(platform hexapod LINK ali3_platform m)
