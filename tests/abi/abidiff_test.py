#!/usr/bin/env python3
"""The library's ABI beside the committed baseline: nothing is removed, nothing
changes; what is added may be. BUILD is a build folder with debug information.

`abidiff_test.py --write` makes the baseline anew, for a new minor version.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = ROOT / "include" / "httpdyno"
BASELINE = HERE / "httpdyno-0.1.abi"
LIBRARY = pathlib.Path(os.environ["BUILD"], "libhttpdyno.so")
INCOMPATIBLE = 8  # a bit of abidiff's exit code
FAILED = 1 | 2


def describe(out):
    subprocess.run(
        ["abidw", "--suppressions", HERE / "suppressions.ini", "--headers-dir",
         HEADERS, "--drop-private-types", "--exported-interfaces-only",
         "--no-elf-needed", "--no-show-locs", "--no-corpus-path",
         "--no-comp-dir-path", "--out-file", out, LIBRARY], check=True)
    # Where it was built is nobody's business.
    out.write_text(out.read_text().replace(f"{ROOT}/", ""))


class Abi(unittest.TestCase):
    def test_nothing_of_the_baseline_is_gone_or_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            now = pathlib.Path(folder, "now.abi")
            describe(now)
            done = subprocess.run(["abidiff", BASELINE, now],
                                  capture_output=True, text=True)
        self.assertFalse(done.returncode & FAILED, done.stderr)
        self.assertFalse(done.returncode & INCOMPATIBLE, done.stdout)
        self.assertNotRegex(done.stdout, r"[1-9]\d* (Removed|Changed)")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        describe(BASELINE)
    else:
        unittest.main()
