"""Was the generator the limit? `client.verdict` says so, with the remedy."""
import unittest

from harness import cells, run, server

# A machine with other work may take some of its processor from the client.
ATTEMPTS = 20


class Verdict(unittest.TestCase):
    def measure(self, target, *args):
        done = run("run", target.url + "/wait/10", "-d", "300ms", "--strict",
                   "--format", "json", *args)
        [cell] = cells(done.stdout)
        return done, cell["client"]

    def starved(self, target):
        """Callers that a full pool refuses ask again at once: that alone takes
        all of a processor."""
        for _ in range(ATTEMPTS):
            done, client = self.measure(target, "--client", "random-trylock",
                                        "--pool-size", "1", "--callers", "64")
            if client["busiest_share"] >= 0.95:
                return done, client
        self.skipTest("no processor to itself")

    def test_a_starved_client_says_so_and_what_to_do(self):
        with server() as target:
            done, client = self.starved(target)
            self.assertTrue(client["is_limit"])
            for text in ("the generator was the limit", "more threads",
                         "--cpus"):
                self.assertIn(text, client["verdict"])
            self.assertEqual(done.returncode, 5)
            self.assertIn(client["verdict"].split(";")[0], done.stderr)

    def test_a_client_that_waits_for_the_server_is_not_the_limit(self):
        with server() as target:
            done, client = self.measure(target, "-c", "4")
            self.assertFalse(client["is_limit"])
            self.assertLess(client["busiest_share"], 0.95)
            self.assertIn("was not the limit", client["verdict"])
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
