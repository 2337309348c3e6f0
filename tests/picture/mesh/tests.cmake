# SPDX-License-Identifier: MIT
ali3_test(mesh mesh LINK ali3_mesh PkgConfig::JANSSON m)
ali3_test(mesh file LINK ali3_mesh m)
