"""Very many connections from one process to one other."""
import resource
import unittest

from harness import cells, run, server

CONNECTIONS = 16384
DESCRIPTORS = 20000


class Scale(unittest.TestCase):
    def test_16384_connections_at_once(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < DESCRIPTORS:
            self.skipTest(f"needs {DESCRIPTORS} descriptors, allowed: {hard}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        with server() as target:
            done = run("run", target.url + "/", "-c", str(CONNECTIONS), "-n",
                       str(4 * CONNECTIONS), "--format", "json", timeout=150)
            self.assertEqual(done.returncode, 0, done.stderr)
            [cell] = cells(done.stdout)
            self.assertEqual(cell["connections"]["opened"], CONNECTIONS)
            self.assertEqual(cell["counts"]["completed"], 4 * CONNECTIONS)
            self.assertEqual(cell["counts"]["failed"], 0)
            print("peak memory:",
                  cell["client"]["peak_rss_bytes"] // 1048576, "MiB")


if __name__ == "__main__":
    unittest.main()
