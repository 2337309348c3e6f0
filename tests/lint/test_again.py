#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/again runs the tests that failed, and no others, whatever was left out."""
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = """
add_test(some/first true)
add_test(some/once sh -c "test -e mark || { touch mark; exit 1; }")
add_test(some/good true)
add_test(some/bad false)
add_test(some/bad_too true)
"""


class Again(unittest.TestCase):
    def test_what_failed_runs_once_more(self):
        for left_out in ("none", "first"):
            with self.subTest(left_out), tempfile.TemporaryDirectory(prefix="ali3-again-") as build:
                with open(os.path.join(build, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
                    f.write(FILE)
                result = os.path.join(build, "result.xml")
                subprocess.run(["ctest", "--test-dir", build, "-E", left_out], capture_output=True, check=False)
                done = subprocess.run([os.path.join(TESTS, "again"), build, "system", result], capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                cases = xml.etree.ElementTree.parse(result).getroot().findall("testcase")
                self.assertEqual({case.get("name"): case.get("status") for case in cases}, {"some/once": "run", "some/bad": "fail"})


if __name__ == "__main__":
    unittest.main()
