#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: summary.py TEXT TIER=RESULT.xml...: the last lines of tests/run, from the JUnit files that ctest wrote. RESULT.xml.again,
if it is there, has the results of the failed tests, which ran once more, alone.

Lists each skipped test, and each skipped part of a test, with the reason: a line of the test's output that begins with "skip".
Then comes one line for each tier. Exit status 1 if a test failed, more than AGAIN_AT_MOST passed only alone, or no test ran."""
import os
import sys
import xml.etree.ElementTree

AGAIN_AT_MOST = 3  # a host that disturbs more tests than these does not tell whether the others are right
STATUSES = {"run": "passed", "fail": "failed", "notrun": "skipped", "disabled": "skipped"}


def reasons(case):
    """Why the test, or parts of it, were skipped."""
    status = case.get("status")
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    found = [line for line in lines if line.lower().startswith("skip")]
    if status == "notrun":
        return found[:1] or ["skip: no reason given"]
    return found if status == "run" else []


def cases_again(path):
    """{name: testcase} of the tests that ran once more."""
    if not os.path.exists(path):
        return {}
    return {case.get("name"): case for case in xml.etree.ElementTree.parse(path).getroot().findall("testcase")}


def read_tier(path):
    """(counts by outcome, seconds, names of tests that passed only alone) of one tier; prints its failed and skipped tests."""
    suite = xml.etree.ElementTree.parse(path).getroot()
    again = cases_again(path + ".again")
    counts, alone = dict.fromkeys(("passed", "failed", "skipped"), 0), []
    for case in suite.findall("testcase"):
        if STATUSES.get(case.get("status")) == "failed" and case.get("name") in again:
            case = again[case.get("name")]
            if STATUSES.get(case.get("status"), "failed") != "failed":
                alone.append(case.get("name"))
                print(f"   {case.get('name')}: failed, then {STATUSES[case.get('status')]} alone")
        outcome = STATUSES.get(case.get("status"), "failed")
        counts[outcome] += 1
        for reason in reasons(case):
            print(f"   {case.get('name')}: {reason}")
        if outcome == "failed":
            print(f"   {case.get('name')}: failed")
    return counts, float(suite.get("time", 0)), alone


def text(counts):
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())


def main():
    total, lines, missing, alone = {"passed": 0, "failed": 0, "skipped": 0}, [], [], []
    for tier, path in (word.split("=", 1) for word in sys.argv[2:]):
        if not os.path.exists(path):
            missing.append(tier)
            continue
        counts, seconds, of_tier = read_tier(path)
        alone += of_tier
        lines.append(f"   {tier + ':':8} {text(counts)}; {seconds:.0f} s")
        total = {outcome: total[outcome] + counts[outcome] for outcome in total}
    print("\n".join(lines))
    for tier in missing:
        print(f"tests/run: FAILED: ctest wrote no results of the tier {tier}")
    if sum(total.values()) == 0:
        print("tests/run: FAILED: no test was run")
    if len(alone) > AGAIN_AT_MOST:
        print(f"tests/run: FAILED: {len(alone)} tests passed only alone, {AGAIN_AT_MOST} may: the host is too busy, or tests disturb "
              "each other")
    bad = missing or total["failed"] or sum(total.values()) == 0 or len(alone) > AGAIN_AT_MOST
    passed_alone = f"; {len(alone)} of them only alone: {', '.join(alone)}" if alone else ""
    print(f"tests/run: {'FAILED' if bad else 'passed'}: {text(total)}{passed_alone}; {sys.argv[1]}")
    sys.exit(1 if bad else 0)


main()
