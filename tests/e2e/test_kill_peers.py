#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A few kills for each protocol and policy; tests/kill_peers does a thousand."""
import unittest

import bench
import kills


class KillPeers(unittest.TestCase):
    def test_each_ends_as_its_policy_says(self):
        for protocol in kills.PROTOCOLS:
            for policy in kills.POLICIES:
                with self.subTest(protocol=protocol, policy=policy):
                    done = kills.kill_many(protocol, policy, 4, 1)
                    self.assertEqual(done["kills"], 4)
                    self.assertGreater(done["cycles"], 40)


if __name__ == "__main__":
    bench.main()
