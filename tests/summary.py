#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: summary.py RESULT.xml TEXT: the last lines of tests/run, from ctest's JUnit file.

Skipped tests are listed with the reason they gave: a line of theirs that begins with "skip"; so are the parts of others that
were skipped. Exit status 1 if any failed."""
import os
import sys
import xml.etree.ElementTree

if not os.path.exists(sys.argv[1]):
    print("tests/run: FAILED: ctest wrote no results")
    sys.exit(1)
cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall("testcase")
count = {"run": 0, "fail": 0, "notrun": 0, "disabled": 0}
for case in cases:
    status = case.get("status")
    count[status] = count.get(status, 0) + 1
    said = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    reasons = [line for line in said if line.lower().startswith("skip")]
    if status == "notrun":
        reasons = reasons[:1] or ["skip: no reason given"]
    for reason in reasons if status in ("notrun", "run") else []:
        print(f"   {case.get('name')}: {reason}")
failed = [case.get("name") for case in cases if case.get("status") == "fail"]
for name in failed:
    print(f"   {name}: failed")
print(f"tests/run: {'FAILED' if failed else 'passed'}: {count['run']} passed, {len(failed)} failed, "
      f"{count['notrun']} skipped; {sys.argv[2]}")
sys.exit(1 if failed else 0)
