#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: summary.py [--build FOLDER] [--stat LINE] [--trouble WHY] TEXT TIER=RESULT.xml...: the last lines of tests/run, from the
JUnit files that ctest wrote. RESULT.xml.again, if it is there, has the results of the failed tests, which ran once more, alone.

Lists each skipped test, and each skipped part of a test, with the reason: a line of the test's output that begins with "skip".
Then comes one line for each tier. The program names the output of a failed test and the command that runs it alone, and says how busy
the host was since LINE, the first line of /proc/stat at that time. Exit status 1 if a test failed, more than AGAIN_AT_MOST passed only
alone, no test ran, or the run does not count for the reason WHY."""
import argparse
import os
import re
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


def keep_output(case, build):
    """Writes the output of a failed test to a file and returns its path."""
    folder = os.path.join(build, "Testing", "failed")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, re.sub(r"\W+", "-", case.get("name")) + ".log")
    with open(path, "w", encoding="utf-8") as f:
        f.write(case.findtext("system-out") or "no output\n")
    return path


def others_share(stat):
    """(share of the processors' time that programs outside this run took, share that the hypervisor withheld) since `stat`."""
    def times(line):
        return [int(word) for word in line.split()[1:9]]  # user nice system idle iowait irq softirq steal

    with open("/proc/stat", encoding="ascii") as f:
        user, nice, system, idle, iowait, irq, softirq, steal = (b - a for a, b in zip(times(stat), times(f.readline())))
    with open(f"/proc/{os.getppid()}/stat", encoding="ascii") as f:
        own = sum(int(word) for word in f.read().rpartition(")")[2].split()[11:15])  # of tests/run and its children
    total = max(1, user + nice + system + idle + iowait + irq + softirq + steal)
    return max(0, user + nice + system - own) / total, steal / total


def read_tier(path, build, tier):
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
            print(f"   {case.get('name')}: failed; its output is in {keep_output(case, build)}")
            print(f"      alone: ctest --test-dir {build} -C {tier} -R '^{case.get('name')}$' --output-on-failure")
    return counts, float(suite.get("time", 0)), alone


def text(counts):
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--stat")
    parser.add_argument("--trouble")
    parser.add_argument("text")
    parser.add_argument("tiers", nargs="*", metavar="TIER=RESULT.xml")
    options = parser.parse_args()
    total, lines, missing, alone = {"passed": 0, "failed": 0, "skipped": 0}, [], [], []
    for tier, path in (word.split("=", 1) for word in options.tiers):
        if not os.path.exists(path):
            missing.append(tier)
            continue
        counts, seconds, of_tier = read_tier(path, options.build, tier)
        alone += of_tier
        lines.append(f"   {tier + ':':8} {text(counts)}; {seconds:.0f} s")
        total = {outcome: total[outcome] + counts[outcome] for outcome in total}
    print("\n".join(lines))
    for tier in missing:
        print(f"tests/run: FAILED: ctest wrote no results of the tier {tier}")
    if options.trouble:
        print(f"tests/run: FAILED: {options.trouble}")
    if sum(total.values()) == 0:
        print("tests/run: FAILED: no test was run")
    if len(alone) > AGAIN_AT_MOST:
        print(f"tests/run: FAILED: {len(alone)} tests passed only alone, {AGAIN_AT_MOST} may: the host is too busy, or tests disturb "
              "each other")
    if options.stat and (total["failed"] or alone):
        others, withheld = others_share(options.stat)
        print(f"   the host: other programs took {100 * others:.0f} % of the processors, and the hypervisor withheld {100 * withheld:.1f} %")
    bad = options.trouble or missing or total["failed"] or sum(total.values()) == 0 or len(alone) > AGAIN_AT_MOST
    passed_alone = f"; {len(alone)} of them only alone: {', '.join(alone)}" if alone else ""
    print(f"tests/run: {'FAILED' if bad else 'ok'}: {text(total)}{passed_alone}; {options.text}")
    sys.exit(1 if bad else 0)


main()
