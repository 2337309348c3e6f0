# SPDX-License-Identifier: MIT
ali3_test(trace culprit LINK ali3_trace)
ali3_test(trace events LINK ali3_trace)
ali3_test(trace blame LINK ali3_trace)
