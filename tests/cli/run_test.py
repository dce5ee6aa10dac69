"""`run` and `report` against our own server."""
import json
import os
import resource
import subprocess
import tempfile
import unittest

from harness import (BOUND_S, PROGRAM, cells, connections, failures, run,
                     server, start, stats, until)


class Run(unittest.TestCase):
    def json_run(self, *args):
        done = run("run", *args, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return cells(done.stdout)

    def test_a_budget_is_exact(self):
        with server() as target:
            [cell] = self.json_run(target.url + "/", "-n", "1000", "-c", "3")
            self.assertEqual(cell["counts"]["issued"], 1000)
            self.assertEqual(cell["counts"]["completed"], 1000)
            self.assertEqual(cell["status"], {"200": 1000})
            self.assertEqual(cell["connections"]["opened"], 3)
            self.assertGreater(cell["client"]["peak_rss_bytes"], 0)
            self.assertIn("read 1000 requests", target.stop())

    def test_options_reach_the_request(self):
        with server() as target, tempfile.NamedTemporaryFile() as body:
            body.write(b"a\0b" * 1000)
            body.flush()
            [cell] = self.json_run(target.url + "/echo", "-X", "POST", "-b",
                                   "@" + body.name, "-n", "7", "-c", "2")
            self.assertEqual(cell["bytes"]["body"], 7 * 3000)

    def test_a_body_comes_from_stdin(self):
        with server() as target, tempfile.TemporaryFile() as body:
            body.write(b"x" * 100)
            body.seek(0)
            done = run("run", target.url + "/echo", "-X", "POST", "-b", "@-",
                       "-n", "3", "-c", "1", "--format", "json", stdin=body)
            [cell] = cells(done.stdout)
            self.assertEqual(cell["bytes"]["body"], 300)

    def test_without_keepalive_every_request_connects(self):
        with server() as target:
            [cell] = self.json_run(target.url + "/", "-n", "20", "-c", "2",
                                   "--no-keepalive")
            self.assertEqual(cell["connections"]["opened"], 20)

    def test_a_list_makes_cells(self):
        with server() as target:
            three = self.json_run(target.url + "/", "-n", "60", "-c", "1,2,3")
            self.assertEqual([c["connections"]["opened"] for c in three],
                             [1, 2, 3])

    def test_a_repeated_list_flag_adds_cells(self):
        with server() as target:
            two = self.json_run(target.url + "/", "-n", "60", "-c", "1", "-c",
                                "2")
            self.assertEqual([c["connections"]["opened"] for c in two], [1, 2])

    def test_header_fields_can_be_in_a_file(self):
        with server() as target, tempfile.TemporaryDirectory() as folder:
            name = f"{folder}/fields"
            with open(name, "w") as file:
                file.write("X-A: 1\n\nX-B: 2\r\n")
            cell = self.json_run(target.url + "/", "-H", f"@{name}", "-n",
                                 "1")[0]
            self.assertEqual(cell["config"]["http.header"],
                             ["X-A: 1", "X-B: 2"])
            done = run("run", target.url, "-H", "@/no/such/file")
            self.assertIn("/no/such/file", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_a_status_is_no_failure(self):
        with server() as target:
            [cell] = self.json_run(target.url + "/status/503", "-n", "10")
            self.assertEqual(cell["status"], {"503": 10})

    def test_a_model_needs_no_url(self):
        [cell] = self.json_run("--engine", "sim", "--client", "fifo-lazy",
                               "--pool-size", "32", "--callers", "64",
                               "-d", "10m")
        self.assertEqual(cell["config"]["target.url"], "sim://server")
        self.assertEqual(cell["duration_ns"], 600_000_000_000)
        self.assertEqual(cell["rate"]["limit_per_s"], 3200)

    def test_strict_says_what_the_verdict_says(self):
        with server() as target:
            done = run("run", target.url + "/", "-d", "300ms", "--strict",
                       "--format", "json")
            [cell] = cells(done.stdout)
            self.assertEqual(done.returncode,
                             5 if cell["client"]["is_limit"] else 0)
            self.assertEqual("--strict" in done.stderr, done.returncode == 5)


class Streams(unittest.TestCase):
    def test_stdout_is_the_result_and_stderr_one_line_per_cell(self):
        with server() as target:
            done = run("run", target.url + "/", "-n", "60", "-c", "1,2",
                       "--format", "json")
            json.loads(done.stdout)
            self.assertRegex(done.stderr, r"\A\[1/2\] [^\n]*\n\[2/2\] [^\n]*\n\Z")

    def test_quiet_is_quiet(self):
        with server() as target:
            done = run("run", target.url + "/", "-n", "60", "-q")
            self.assertEqual(done.stderr, "")
            self.assertNotEqual(done.stdout, "")

    def test_nothing_is_colored_off_a_terminal(self):
        with server() as target:
            done = run("run", target.url + "/", "-n", "60",
                       env={**os.environ, "TERM": "xterm"})
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_color_can_be_forced(self):
        with server() as target:
            done = run("run", target.url + "/", "-n", "60", "--color",
                       "always", env={**os.environ, "NO_COLOR": "1"})
            self.assertIn("\x1b[", done.stdout)
            self.assertNotIn("\x1b", done.stderr)

    def test_a_full_disk_is_an_error(self):
        with server() as target, open("/dev/full", "w") as full:
            done = subprocess.run(
                [PROGRAM, "run", target.url + "/", "-n", "60", "-q"],
                stdout=full, stderr=subprocess.PIPE, text=True,
                timeout=BOUND_S)
            self.assertEqual(done.returncode, 1)
            self.assertIn("stdout", done.stderr)


class Files(unittest.TestCase):
    def test_a_result_goes_to_a_file_and_comes_back(self):
        with server() as target, tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "result.json")
            done = run("run", target.url + "/", "-n", "60", "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(os.listdir(folder), ["result.json"])
            with open(name) as file:
                text = file.read()
            cells(text)
            again = run("report", name, "--format", "json")
            self.assertEqual(again.stdout, text)
            for kind in ("text", "csv", "httpc-bench"):
                done = run("report", name, "--format", kind)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(done.stdout, "")

    def test_several_files_make_one_csv_table_and_can_be_added_up(self):
        with server() as target, tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, n) for n in ("a.json", "b.json")]
            for name in names:
                run("run", target.url + "/", "-n", "60", "-o", name)
            rows = run("report", *names, "--format", "csv").stdout.splitlines()
            self.assertEqual(len(rows), 3)
            merged = run("report", "--merge", *names, "--format", "json")
            [cell] = json.loads(merged.stdout)["cells"]
            self.assertEqual(cell["counts"]["completed"], 120)

    def test_what_is_no_result_is_refused(self):
        done = run("report", __file__)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn(__file__, done.stderr)


class Limits(unittest.TestCase):
    def test_nobody_listens(self):
        done = run("run", "http://127.0.0.1:1/", "-c", "4", "--format", "json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("127.0.0.1", done.stderr)
        self.assertIn("refused", done.stderr)
        for cell in cells(done.stdout):
            self.assertEqual(cell["counts"]["completed"], 0)
            # It gives up after 1 s: under 100 attempts per connection and
            # second.
            self.assertLess(cell["connections"]["dial_failed"], 400)

    def test_a_name_that_does_not_exist(self):
        done = run("run", "http://no-such-name.invalid/", "--format", "json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-name.invalid", done.stderr)
        for cell in json.loads(done.stdout or '{"cells":[]}')["cells"]:
            self.assertEqual(cell["counts"]["issued"], 0)

    def test_descriptors_that_are_not_there(self):
        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))

        done = run("run", "http://127.0.0.1:1/", "-c", "30000",
                   preexec_fn=lower)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\b30\d\d\d\b.*\b1000\b")

    def test_the_soft_limit_is_raised(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 1000:
            self.skipTest("the hard limit is too low")

        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))

        with server() as target:
            done = run("run", target.url + "/", "-c", "200", "-n", "400",
                       "--format", "json", preexec_fn=lower)
            self.assertEqual(done.returncode, 0, done.stderr)
            [cell] = cells(done.stdout)
            self.assertEqual(cell["connections"]["opened"], 200)

    def test_a_target_that_dies_is_counted_and_costs_nothing(self):
        with server() as target:
            process = start("run", target.url + "/", "-c", "8", "-d", "3s",
                            "--warmup", "0s", "--format", "json")
            until(lambda: connections(target.port) >= 8, "the connections")
            until(lambda: stats(target.port)["read"] > 100, "the load")
            target.process.kill()
            out, errors = process.communicate(timeout=BOUND_S)
            [cell] = cells(out)
            self.assertGreater(cell["counts"]["completed"], 0, errors)
            self.assertGreater(cell["counts"]["failed"], 0)
            self.assertLess(cell["counts"]["failed"], 8 * 3000)
            known = {"closed", "reset", "connect_refused", "send"}
            self.assertLessEqual(set(failures(cell)), known)
            # While it is down, dials back off and nothing spins.
            self.assertLess(cell["client"]["cpu_s"], 1.5)


if __name__ == "__main__":
    unittest.main()
