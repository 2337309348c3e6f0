# SPDX-License-Identifier: MIT
ali3_test(frames ring SOURCES common/toys.c LINK ali3_frames ali3_rt Threads::Threads m)
