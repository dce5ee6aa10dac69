"""`serve`: readiness, ends, and what it says."""
import os
import signal
import unittest
import urllib.request

from harness import BOUND_S, Server, run, server, start, stats


class Serve(unittest.TestCase):
    def test_a_signal_stops_it_with_its_counts(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            target = Server()
            with urllib.request.urlopen(target.url + "/") as answer:
                self.assertEqual(answer.read(), b"Hello world!")
            target.process.send_signal(number)
            out, errors = target.process.communicate(timeout=BOUND_S)
            self.assertEqual(target.process.returncode, 0)
            self.assertEqual(out, "")
            self.assertIn(f"serving on {target.url}/", errors)
            self.assertIn("accepted 1 connections, read 1 requests, wrote 1",
                          errors)

    def test_it_ends_with_the_pipe_to_its_parent(self):
        for _ in range(3):
            parent_read, parent_write = os.pipe()
            ready_read, ready_write = os.pipe()
            process = start("serve", "--port", "0", "--ready-fd",
                            str(ready_write), "--parent-fd", str(parent_read),
                            pass_fds=[ready_write, parent_read])
            os.close(ready_write)
            os.close(parent_read)
            with open(ready_read) as ready:
                port = int(ready.read())
            self.assertIsNone(process.poll())
            self.assertEqual(stats(port)["read"], 0)
            os.close(parent_write)
            process.communicate(timeout=BOUND_S)
            self.assertEqual(process.returncode, 0)

    def test_a_taken_port_is_an_error(self):
        with server() as target:
            done = run("serve", "--port", str(target.port))
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(target.port), done.stderr)

    def test_quiet_is_quiet(self):
        target = Server("--quiet")
        self.assertEqual(target.stop(), "")


if __name__ == "__main__":
    unittest.main()
