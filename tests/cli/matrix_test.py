"""`matrix`: the own server, the plan, the defaults."""
import os
import signal
import unittest

from harness import (BOUND_S, cells, is_alive, own_server, run, server, start,
                     until)


class Matrix(unittest.TestCase):
    def test_lists_make_cells_on_an_own_server(self):
        done = run("matrix", "--client", "fifo-lazy,random-trylock",
                   "--pool-size", "8,32", "--callers", "32,64", "-d", "200ms",
                   "--warmup", "0s", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = cells(done.stdout)
        self.assertEqual(len(measured), 8)
        for cell in measured:
            self.assertTrue(cell["server"]["is_own"])
            self.assertTrue(cell["server"]["is_reconciled"])
            self.assertTrue(cell["config"]["target.url"].endswith("/wait/10"))
        self.assertIn("8 cells, about 1.6s", done.stderr)
        self.assertEqual(done.stderr.count("\n["), 8)

    def test_the_defaults_are_those_of_the_help(self):
        done = run("matrix", "-n", "2000", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = [(c["config"]["client"], c["config"]["pool.size"],
                 c["config"]["load.callers"]) for c in cells(done.stdout)]
        self.assertEqual(seen, [(client, size, 1024)
                                for client in ("fifo-lazy", "random-trylock",
                                               "random-mux-failfast")
                                for size in (32, 256)])

    def test_a_client_without_a_pool_needs_no_size(self):
        done = run("matrix", "--client", "none", "--callers", "4",
                   "-d", "200ms", "--warmup", "0s", "--format", "json")
        cell, = cells(done.stdout)
        self.assertEqual(cell["skipped"], None)
        self.assertGreater(cell["counts"]["completed"], 0)

    def test_cells_that_are_skipped_take_no_time(self):
        done = run("matrix", "--client", "none,fifo-lazy", "--pool-size", "4",
                   "--callers", "4", "-d", "200ms", "--warmup", "100ms",
                   "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([cell["skipped"] is None
                          for cell in cells(done.stdout)], [False, True])
        self.assertIn("2 cells, about 300ms\n", done.stderr)

    def test_server_flags_reach_the_own_server(self):
        done = run("matrix", "--client", "fifo-lazy", "--pool-size", "4",
                   "--callers", "4", "-n", "100",
                   "--server-max-requests-per-connection", "5", "-q",
                   "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        [cell] = cells(done.stdout)
        self.assertEqual(cell["server"]["limits"]
                         ["max_requests_per_connection"], "5")
        self.assertGreaterEqual(cell["connections"]["opened"], 20)

    def test_a_model_needs_no_server(self):
        done = run("matrix", "--engine", "sim", "--pool-size", "8,32",
                   "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("matrix on a modelled server: 6 cells\n", done.stderr)
        measured = cells(done.stdout)
        self.assertEqual([c["config"]["pool.size"] for c in measured],
                         [8, 32] * 3)
        for cell in measured:
            self.assertEqual(cell["duration_ns"], 3_000_000_000)
            self.assertIn("modelled, not measured", cell["notes"][0])

    def test_a_url_needs_no_own_server(self):
        with server() as target:
            done = run("matrix", target.url + "/", "--client", "dedicated",
                       "-c", "1,2", "-n", "50", "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("own server", done.stderr)
            self.assertEqual(len(cells(done.stdout)), 2)

    def test_an_own_server_that_dies_is_told(self):
        process = start("matrix", "--client", "fifo-lazy", "--pool-size", "4",
                        "--callers", "4", "-d", "1s")
        _, child = own_server(process)
        os.kill(child, signal.SIGKILL)
        _, errors = process.communicate(timeout=BOUND_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn("killed by signal 9", errors)

    def test_no_own_server_is_left(self):
        process = start("matrix", "--client", "fifo-lazy", "--pool-size", "4",
                        "--callers", "4", "-n", "50")
        _, child = own_server(process)
        process.communicate(timeout=BOUND_S)
        self.assertEqual(process.returncode, 0)
        until(lambda: not is_alive(child), "the own server ends")


if __name__ == "__main__":
    unittest.main()
