# SPDX-License-Identifier: MIT
ali3_test(math angle LINK ali3_math m)
ali3_test(math dense LINK ali3_math m)
ali3_test(math lanes LINK ali3_math m)
ali3_test(math euler LINK ali3_math m)
ali3_test(math vec3 LINK ali3_math m)
ali3_test(math spectrum LINK ali3_math m)
