"""`report --merge`: parts of one measurement make the whole. The parts are made
here, from what was saved, and added up here too."""
import copy
import json
import os
import tempfile
import unittest

from harness import check, run, server

LATENCIES = ("response", "service", "pool_wait", "first_byte", "connect")
# Dicts whose numbers add up.
SUMS = ("counts", "bytes", "connections", "status")
SERVER_SUMS = ("accepted", "read", "written")


def lowest(index):
    """The least value of an HdrHistogram bucket, 3 significant digits."""
    shift = 0 if index < 2048 else index // 1024 - 1
    return (index - shift * 1024) << shift


def measured(*args):
    done = run("run", *args, "-q", "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def merged(*parts):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for part in parts:
            names.append(os.path.join(folder, f"{len(names)}.json"))
            with open(names[-1], "w") as file:
                json.dump(part, file)
        done = run("report", "--merge", *names, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def with_cell(result, cell, **changes):
    """The same result with this cell alone."""
    part = copy.deepcopy(result)
    part["cells"] = [dict(copy.deepcopy(cell), **changes)]
    return part


# --- dealing one cell out to two ---------------------------------------------

def deal_numbers(cell, path, names, one, other):
    for name in names:
        whole = cell[path][name]
        one[path][name] = whole // 3
        other[path][name] = whole - whole // 3


def deal_latency(whole, one, other):
    """Even buckets here, odd ones there, each with bounds and sum of its own."""
    one["buckets"] = whole["buckets"][0::2]
    other["buckets"] = whole["buckets"][1::2]
    for half in (one, other):
        half["count"] = sum(count for _, count in half["buckets"])
        if not half["buckets"]:
            half["min_ns"] = half["max_ns"] = half["sum_ns"] = 0
            continue
        is_first = half["buckets"][0] == whole["buckets"][0]
        is_last = half["buckets"][-1] == whole["buckets"][-1]
        half["min_ns"] = (whole["min_ns"] if is_first
                          else lowest(half["buckets"][0][0]))
        half["max_ns"] = (whole["max_ns"] if is_last
                          else lowest(half["buckets"][-1][0]))
    one["sum_ns"] = whole["sum_ns"] // 2
    other["sum_ns"] = whole["sum_ns"] - one["sum_ns"]
    if not other["buckets"]:
        one["sum_ns"], other["sum_ns"] = whole["sum_ns"], 0


def halves(result):
    cell, = result["cells"]
    one, other = with_cell(result, cell), with_cell(result, cell)
    a, b = one["cells"][0], other["cells"][0]
    for path in SUMS:
        names = [n for n in cell[path] if n != "abandoned_oldest_ns"]
        deal_numbers(cell, path, names, a, b)
    deal_numbers(cell, "server", SERVER_SUMS, a, b)
    for name in LATENCIES:
        deal_latency(cell["latency"][name], a["latency"][name],
                     b["latency"][name])
    for whole, x, y in zip(cell["failures"], a["failures"], b["failures"]):
        x["count"] = whole["count"] // 3
        y["count"] = whole["count"] - x["count"]
    a["client"]["cpu_s"] = b["client"]["cpu_s"] = cell["client"]["cpu_s"] / 2
    for whole, x, y in zip(cell["series"], a["series"], b["series"]):
        x["values"] = [value // 3 for value in whole["values"]]
        y["values"] = [w - v for w, v in zip(whole["values"], x["values"])]
    return one, other


class Merge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with server("--fault", "close", "--fault-share", "5",
                    "--jitter", "3ms") as target:
            cls.rounds = measured(target.url + "/rnd?c=500", "-n", "2000",
                                  "--client", "fifo-lazy", "--pool-size", "4",
                                  "--callers", "8", "--pool-on-close-pending",
                                  "fail", "--run-repeat", "2")

    def test_two_halves_are_the_whole(self):
        for cell in self.rounds["cells"]:
            whole = with_cell(self.rounds, cell)
            one, other = halves(whole)
            self.assertNotEqual(one, whole)
            self.assertEqual(merged(one, other), whole)
            self.assertEqual(merged(other, one), whole)

    def test_two_rounds_are_their_sum(self):
        first, second = self.rounds["cells"]
        result = merged(with_cell(self.rounds, first),
                        with_cell(self.rounds, second, round=1))
        both, = result["cells"]
        check(both)
        self.assertEqual(both["counts"]["issued"], 4000)
        self.assertGreater(both["counts"]["failed"], 0)
        for path in SUMS:
            for name in both[path]:
                if name == "abandoned_oldest_ns":
                    continue
                self.assertEqual(both[path][name], first[path].get(name, 0)
                                 + second[path].get(name, 0), (path, name))
        for name in SERVER_SUMS:
            self.assertEqual(both["server"][name],
                             first["server"][name] + second["server"][name])
        self.assertEqual(
            {kind["kind"]: kind["count"] for kind in both["failures"]},
            self.sum_of((kind["kind"], kind["count"])
                        for cell in (first, second)
                        for kind in cell["failures"]))
        for name in LATENCIES:
            self.check_latency(*(cell["latency"][name]
                                 for cell in (both, first, second)))

    @staticmethod
    def sum_of(pairs):
        sums = {}
        for key, count in pairs:
            sums[key] = sums.get(key, 0) + count
        return sums

    def check_latency(self, both, first, second):
        self.assertEqual(dict(map(tuple, both["buckets"])), self.sum_of(
            map(tuple, first["buckets"] + second["buckets"])))
        self.assertEqual(both["count"], first["count"] + second["count"])
        self.assertEqual(both["min_ns"],
                         min(first["min_ns"], second["min_ns"]))
        self.assertEqual(both["max_ns"],
                         max(first["max_ns"], second["max_ns"]))
        total = sum(part["mean_ns"] * part["count"]
                    for part in (first, second))
        self.assertAlmostEqual(both["mean_ns"] * both["count"] / total, 1, 9)
        # Nearest rank, counted out here.
        left = -(-both["count"] // 2)
        for index, count in both["buckets"]:
            left -= count
            if left <= 0:
                break
        self.assertEqual(both["percentiles"]["50"],
                         max(min(lowest(index + 1) - 1, both["max_ns"]),
                             both["min_ns"]))


if __name__ == "__main__":
    unittest.main()
