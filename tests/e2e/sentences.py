# SPDX-License-Identifier: MIT
"""Sentences of the daemon that tests of several tiers expect. lint/sentences finds each of them in the sources, so that a changed
sentence fails in the quick tier, and not in a tier that runs once in a while."""

REALTIME_REQUIRED = "the host refuses real time, which --require-realtime demands"
NOT_REALTIME = "NOT REAL-TIME: "
STOPPING = "stopping"
LOOP_ENDED = "loop ended"
