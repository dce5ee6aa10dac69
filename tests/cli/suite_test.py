"""`suite`: published rows beside ours, the server's limits, saving, resuming."""
import json
import pathlib
import signal
import tempfile
import unittest

from harness import BOUND_S, cells, own_server, run, start, until

NAME = "httpc-bench"
# Two rows that take a fraction of a second.
SMALL = ["--client", "Buoy,Hackney", "--pool-size", "256", "-n", "4096"]


def suite(*args, **more):
    return run("suite", NAME, *args, **more)


class Suite(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_row_stands_beside_the_published_one(self):
        done = suite(*SMALL, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        buoy, hackney = cells(done.stdout)
        self.assertEqual(buoy["published"]["client"], "Buoy")
        self.assertEqual(buoy["config"]["client"], "random-mux-failfast")
        for cell in (buoy, hackney):
            published = cell["published"]
            self.assertEqual(published["table"], "current")
            self.assertEqual(published["requests"], 499712)
            self.assertEqual(published["concurrency"],
                             cell["config"]["load.callers"])
            self.assertEqual(cell["counts"]["issued"], 4096)
            self.assertEqual(cell["server"]["limits"]
                             ["max_requests_per_connection"], "100")
            ratio = (cell["rate"]["completed_per_s"]
                     / published["requests_per_second"])
            self.assertAlmostEqual(cell["suite"]["ratio"], ratio)
        closed = hackney["annotations"]
        self.assertEqual(closed["closed_form.requests_per_second"], 25600)
        self.assertEqual(closed["closed_form.error_percent"], 0)

    def test_the_estimate_and_the_cut_come_first(self):
        done = suite(*SMALL)
        self.assertRegex(done.stderr, r"httpc-bench: 2 rows, about ")
        self.assertIn("budgets are cut", done.stderr)
        self.assertIn("published/s", done.stdout)
        self.assertRegex(done.stdout, r"explained +\d of 2 rows")
        self.assertIn("cut in 2 of 2 rows", done.stdout)

    def test_full_has_every_row_of_the_table(self):
        done = suite("--full", "--client", "Hackney", "--pool-size", "32,64",
                     "--callers", "1024", "-d", "200ms", "--format", "json",
                     cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([cell["config"]["load.requests"]
                          for cell in cells(done.stdout)], [499712, 499712])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_model_explains_the_rows_that_need_no_luck(self):
        done = suite("--engine", "sim", "--callers", "2048", "--pool-size",
                     "32,1", "--pool-count", "1", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("own server", done.stderr)
        fits = {cell["published"]["client"]: cell["suite"]["fits"]
                for cell in cells(done.stdout)}
        self.assertEqual(set(fits), {"Buoy", "Dlhttpc", "Hackney", "Httpc",
                                     "Ibrowse", "MachineGun", "Mint",
                                     "Mojito"})
        for client in ("Buoy", "Hackney", "Httpc", "MachineGun", "Mojito"):
            self.assertTrue(fits[client], client)

    def test_a_limit_of_open_files_is_the_original_configuration(self):
        done = suite("--engine", "sim", "--nofile", "1024", "--client", "Mint",
                     "--callers", "4096", "-n", "20k", "--format", "json")
        cell, = cells(done.stdout)
        self.assertEqual(cell["published"]["table"], "original")
        self.assertEqual(cell["config"]["host.nofile"], 1024)
        self.assertAlmostEqual(
            cell["annotations"]["closed_form.requests_per_second"], 204.8)

    def test_the_original_table_has_other_rows(self):
        done = suite("--table", "original", "--client", "Hackney",
                     "--pool-size", "32", "-n", "4096", "--format", "json")
        cell, = cells(done.stdout)
        self.assertEqual(cell["published"]["table"], "original")

    def test_a_row_that_cannot_run_says_why(self):
        done = suite("--client", "Buoy", "--pool-size", "256", "-n", "4096",
                     "--pool-depth", "8,1", "--no-keepalive", "--format",
                     "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        skipped = [cell["skipped"] for cell in cells(done.stdout)]
        self.assertIn("http.keepalive", skipped[0])
        self.assertEqual(skipped[1], None)

    def test_a_row_that_fails_stops_no_other(self):
        done = suite("--client", "Hackney", "--pool-size", "32,256", "-n",
                     "4096", "--target-url", "http://127.0.0.1:1/wait/10",
                     "--format", "json")
        self.assertEqual(done.returncode, 1)
        for cell in json.loads(done.stdout)["cells"]:
            self.assertEqual(cell["skipped"], None)
            self.assertIn("refused", cell["error"]["message"])

    def test_a_saved_suite_prints_the_same_again(self):
        saved = self.folder / "a.json"
        self.assertEqual(suite(*SMALL, "-q", "-o", str(saved)).returncode, 0)
        for form in ("text", "markdown", "csv", "httpc-bench"):
            done = run("report", str(saved), "--format", form)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Hackney", done.stdout)
        self.assertIn("| row that does not fit |",
                      run("report", str(saved), "--format",
                          "markdown").stdout)

    def test_what_is_saved_is_not_run_again(self):
        saved = self.folder / "saved.json"
        flags = [*SMALL, "--resume", str(saved), "--format", "json"]
        first = cells(suite(*flags).stdout)
        self.assertEqual(cells(saved.read_text()), first)
        self.assertEqual(cells(suite(*flags).stdout), first)
        result = json.loads(saved.read_text())
        result["cells"][1]["interrupted"] = True
        saved.write_text(json.dumps(result))
        again = cells(suite(*flags).stdout)
        self.assertEqual(again[0], first[0])
        self.assertGreater(again[1]["started"], first[1]["started"])

    def test_an_interrupted_suite_keeps_its_finished_rows(self):
        saved = self.folder / "saved.json"
        flags = ["suite", NAME, "--client", "Buoy,Hackney", "--pool-size",
                 "32,256", "--resume", str(saved)]
        process = start(*flags)
        own_server(process)
        until(saved.exists, "a row is saved")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=BOUND_S)
        self.assertEqual(process.returncode, 130)
        self.assertIn("--resume " + str(saved), errors)
        done = [cell for cell in cells(saved.read_text())
                if not cell["skipped"] and not cell["interrupted"]]
        self.assertGreaterEqual(len(done), 1)

    def test_mistakes_are_told_before_a_server_is_started(self):
        for args, word in [
                ([], "which suite"), (["no-such"], NAME),
                ([NAME, "--quick", "--full"], "choose one"),
                ([NAME, "--callers", "3"], "no row"),
                ([NAME, "--client", "nobody"], "nobody"),
                ([NAME, "--table", "next"], "current"),
                ([NAME, "more"], "too many")]:
            done = run("suite", *args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertNotIn("own server", done.stderr)

    def test_a_file_that_is_no_result_is_refused(self):
        saved = self.folder / "saved.json"
        saved.write_text("{}")
        done = suite("--resume", str(saved))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(saved), done.stderr)
        self.assertEqual(saved.read_text(), "{}")


if __name__ == "__main__":
    unittest.main()
