#!/usr/bin/env python3
"""Reads every #include and fails on one that its layer may not have."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = re.compile(r"^(sys/|net/if\.h|netinet/|arpa/|[a-z_0-9]+(\.h)?$)")

# layer: (our layers, third-party headers); itself always.
LAYERS = {
    "base": ("", "fmt/"),
    "http": ("base", "llhttp.h"),
    "net": ("base", "ares openssl/"),
    "record": ("base", ""),
    "plan": ("base http", ""),
    "load": ("base plan", ""),
    "engine": ("base http net plan record/sample", "event2/ curl/"),
    "pool": ("base plan engine/transport engine/loop.hh", ""),
    "report": ("base plan record", "nlohmann/ fmt/"),
    "suite": ("base plan", ""),
    "run": ("base http net record plan load engine pool report suite", ""),
    "server": ("base http net", "event2/"),
    "capi": ("base plan record report suite run server", "httpdyno/"),
}
OUTSIDE = {
    "cli": "httpdyno/ CLI/ fmt/",
    "bindings": "httpdyno/",
    "tests/capi": "httpdyno/ cmocka.h",
}
THIRD_PARTY = re.compile(r"^(fmt|event2|nlohmann|CLI|httpdyno|openssl|curl|"
                         r"nghttp2|benchmark)/|^(llhttp|ares|cmocka)")


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1), found.group(2)


def starts_with_any(name, prefixes):
    return any(name.startswith(prefix) for prefix in prefixes.split())


def fault_in_layer(layer, name):
    ours, third = LAYERS[layer]
    if THIRD_PARTY.match(name):
        return not starts_with_any(name, third)
    if (ROOT / "src" / name).exists():
        own = name.split("/")[0]
        allowed = [layer] + ours.split()
        return not any(own == a or name.startswith(a) for a in allowed)
    return not SYSTEM.match(name)


def fault_outside(folder, path, name):
    if THIRD_PARTY.match(name):
        return not starts_with_any(name, OUTSIDE[folder])
    if (path.parent / name).exists() or (ROOT / folder / name).exists():
        return False
    return (ROOT / "src" / name).exists() or not SYSTEM.match(name)


def main():
    faults = []
    seen = 0
    for path in sorted((ROOT / "src").rglob("*.*")):
        layer = path.relative_to(ROOT / "src").parts[0]
        if path.suffix == ".h":
            faults.append(f"{path}: only the public headers are .h files")
        if path.suffix not in (".cc", ".hh"):
            continue
        for number, _, name in includes(path):
            seen += 1
            if fault_in_layer(layer, name):
                faults.append(f"{path}:{number}: {layer} may not include {name}")
    for folder in OUTSIDE:
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix not in (".c", ".cc", ".h", ".hh"):
                continue
            for number, _, name in includes(path):
                seen += 1
                if fault_outside(folder, path, name):
                    faults.append(
                        f"{path}:{number}: {folder} may not include {name}")
    if seen < 100:
        faults.append(f"only {seen} includes were found: is the tree there?")
    print("\n".join(faults) or f"{seen} includes, all in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
