#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In the guest of tests/vm/run, as root: runs the checks of checks.py, or of package_checks.py, in their order.

Each check prints one line, `TEST name ok`, `TEST name FAIL why` or `TEST name skip why`; lines that begin with a bar belong
to the check before them. The last line is `END count`."""
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import checks  # noqa: E402
import host  # noqa: E402
import package_checks  # noqa: E402


def run(name, check):
    host.figures.clear()
    begin = time.monotonic()
    since = host.cursor()
    try:
        check()
        verdict = "ok"
    except host.Skip as reason:
        verdict = f"skip {reason}"
    except AssertionError as why:
        verdict = "FAIL " + str(why).replace("\n", "; ")
    except Exception:  # a check that fails tells where
        verdict = "FAIL " + traceback.format_exc().strip().replace("\n", "; ")
    print(f"TEST {name} {verdict}", flush=True)
    print(f"| {time.monotonic() - begin:.1f} s in the guest{''.join(f'; {f}' for f in host.figures)}", flush=True)
    if verdict.startswith("FAIL"):
        lines = [line for line in host.journal(since).splitlines() if "request to sync journal" not in line]
        for line in lines[-40:]:
            print(f"| {line}", flush=True)


def main():
    only = next((word.split("=", 1)[1] for word in host.BOOT if word.startswith("ali3.only=")), "")
    module = package_checks if host.PACKAGES else checks
    named = [(name.replace("_", "-"), check) for name, check in vars(module).items()
             if callable(check) and getattr(check, "__module__", "") == module.__name__ and not name.startswith("_")]
    named = [(name, check) for name, check in named if only in name]
    print(f"| {time.monotonic():.1f} s after the start of the kernel", flush=True)
    for name, check in named:
        run(name, check)
    print(f"END {len(named)}", flush=True)


if __name__ == "__main__":
    main()
