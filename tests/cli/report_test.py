"""`report`: what was saved is printed as it was when it was measured."""
import os
import pathlib
import tempfile
import unittest

from harness import cells, run, server

FORMATS = ("text", "json", "csv", "markdown", "httpc-bench")


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.saved = os.path.join(folder.name, "saved.json")

    def measure(self, *args):
        """What it printed, byte for byte; the same result is in self.saved."""
        done = run(*args, "--save", self.saved, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(done.stdout), 0)
        return done.stdout

    def check_again(self, printed, kind):
        again = run("report", self.saved, "--format", kind)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, printed, kind)

    def test_a_matrix_is_printed_as_it_was_in_every_format(self):
        matrix = ("matrix", "--client", "fifo-lazy,random-mux-failfast",
                  "--pool-size", "2,4", "--callers", "16", "-n", "120",
                  "--run-repeat", "2", "--server-fault", "close",
                  "--server-fault-share", "5")
        for kind in FORMATS:
            self.check_again(self.measure(*matrix, "--format", kind), kind)
        saved = cells(pathlib.Path(self.saved).read_text())
        self.assertEqual(len(saved), 8)
        self.assertTrue(any(cell["failures"] for cell in saved))

    def test_a_run_is_printed_as_it_was_in_every_format(self):
        with server() as target:
            for kind in FORMATS:
                printed = self.measure("run", target.url + "/wait/2", "-c", "3",
                                       "-d", "250ms", "--format", kind)
                self.check_again(printed, kind)

    def test_colors_are_the_same_too(self):
        with server() as target:
            printed = self.measure("run", target.url + "/", "-n", "60",
                                   "--color", "always")
        again = run("report", self.saved, "--color", "always")
        self.assertIn("\x1b[", printed)
        self.assertEqual(again.stdout, printed)

    def test_what_is_saved_is_what_json_prints(self):
        with server() as target:
            printed = self.measure("run", target.url + "/", "-n", "60",
                                   "--format", "json")
        self.assertEqual(pathlib.Path(self.saved).read_text(), printed)

    def test_a_copy_that_cannot_be_written_is_told_before_anything(self):
        done = run("run", "http://127.0.0.1:1/", "--save", "/nowhere/a.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn('--save: cannot write "/nowhere/a.json"', done.stderr)

    def test_a_copy_that_fails_at_the_end_leaves_the_result(self):
        with server() as target:
            done = run("run", target.url + "/", "-n", "60", "--save",
                       "/dev/full", "-q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("60", done.stdout)
        self.assertIn("--save", done.stderr)


if __name__ == "__main__":
    unittest.main()
