#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: waits.py ROOT: tests do not depend on how busy the host is. Prints every breach; exit status 1 if any.

A test waits for a condition, and a limit of time only bounds a failure; times are judged in the tier timing alone. This
program finds breaches by reading: sleeps, short limits, judgements of elapsed time, and ports and processors that a test assumes."""
import os
import re
import sys

ROOT = sys.argv[1]
# (files, pattern, what to do). The pattern is searched in a line without its comment.
E2E = r"e2e/test_\w+\.py$"
RULES = [
    (E2E, r"\btime\.sleep\(", "wait for a condition with bench.wait_for(), or name the wait: bench.run_on(), bench.pace()"),
    (r"\.py$", r"\btimeout=(?!0[,)])[0-9]", "a limit that only bounds a failure is bench.PATIENCE, or that of ctest"),
    (r"\.py$", r"\bsettimeout\((?!0\))[0-9]+(\.\d+)?\)", "a limit that only bounds a failure is bench.PATIENCE"),
    (E2E, r"\bwait_for\(.*, [0-9.]+\)$", "a limit that only bounds a failure is the default of wait_for()"),
    (E2E, r"assertLess(Equal)?\(time\.monotonic\(\) - (?!.*PATIENCE)", "bench.in_time() judges times, in the tier timing alone"),
    (r"\.[ch]$", r"assert_true\(ms_since\([^()]*\) <", "assert_in_time() judges times, in the tier timing alone"),
    (r"\.[ch]$", r"\bPATIENCE_MS = [0-9]{1,5}\b", "a limit that only bounds a failure is at least 100 s"),
    (r"\.[ch]$", r"\balarm\([1-9][0-9]{0,2}\)", "a limit that only bounds a failure is at least 1000 s; ctest has one, too"),
    (r"tests\.cmake$", r"\bTIMEOUT [0-9]{1,3}\b", "a test has the limit of tests/CMakeLists.txt or a longer one"),
    (r"tests\.cmake$", r"\bCOMMAND nice\b", "beside a busy program a test that gives way waits for hours"),
    (E2E, r"127\.0\.0\.1\W+(9100|1502|9464|8080)\b", "other programs may have the default ports: bench.free_port()"),
    (E2E, r"sched_setaffinity\(0, \{[1-9]", "a host may have one processor: take one of os.sched_getaffinity(0)"),
]
# (file, text of the line): why it may.
EXCUSED = {
    ("e2e/test_fuzz_live.py", "timeout=2"): "a connection to a flooded port; the loop goes on without it",
    ("e2e/test_devices.py", '"Modbus TCP", "127.0.0.1", 1502'): "the default that ali3d prints",
    ("e2e/test_culprits.py", "0.7)"): "in the tier timing: the culprit must be named before the log's next line",
    ("e2e/kills.py", "connection.settimeout(2.0)"): "a peer that is killed; its thread must end",
    ("e2e/kills.py", "settimeout(0.5)"): "a look at an observer that is asked again",
    ("io/osc/osc_hostile.py", "settimeout(0.2)"): "drains answers, of which there may be none",
    ("vm/checks.py", "127.0.0.1:9464"): "the guest is the test's own",
    ("e2e/pymodbus_client.py", "timeout=3"): "pymodbus waits that long for the end of a serial frame",
}


def without_comment(line, python):
    return re.sub(r"(^|\s+)#.*$", "", line) if python else re.sub(r"\s*/\*.*?\*/", "", line)


def excused(path, line):
    return any(path == os.path.join("tests", file) and text in line for file, text in EXCUSED)


def breaches():
    for where, folders, names in os.walk(os.path.join(ROOT, "tests")):
        folders[:] = [f for f in folders if f not in ("__pycache__", "lint")]
        for name in sorted(names):
            path = os.path.relpath(os.path.join(where, name), ROOT)
            rules = [(pattern, todo) for files, pattern, todo in RULES if re.search(files, path)]
            if not rules:
                continue
            with open(os.path.join(where, name), encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    code = without_comment(line.rstrip("\n"), name.endswith((".py", ".cmake")))
                    for pattern, todo in rules:
                        if re.search(pattern, code) and not excused(path, line):
                            yield f"{path}:{number}: {code.strip()[:90]}: {todo}"


def main():
    found = list(breaches())
    print("\n".join(found) if found else "no test waits for the clock")
    sys.exit(1 if found else 0)


main()
