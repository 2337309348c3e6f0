# SPDX-License-Identifier: MIT
ali3_test(frames ring SOURCES common/toys.c LINK ali3_frames ali3_rt Threads::Threads m)
ali3_test(frames trigger LINK ali3_frames)
ali3_test(frames recorder LINK ali3_frames)
