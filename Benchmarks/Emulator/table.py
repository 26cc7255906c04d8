"""Makes a table of two results of load.py: Google's emulator first, ours second."""

import json
import sys

ROWS = [
    ("listening, ms", "ready_ms", None),
    ("CPU until then, ms", "start_cpu_ms", None),
    ("resident, empty, MB", "rss_empty_mb", None),
    ("resident, 10 thousand documents, MB", "rss_10k_mb", None),
    ("resident, all documents, MB", "rss_all_mb", None),
    ("bulk load, server CPU a document, us", "bulk", "cpu_us"),
    ("bulk load, wall a document, us", "bulk", "wall_us"),
    ("get, server CPU, us", "get", "cpu_us"),
    ("get, p50, us", "get", "p50_us"),
    ("get by several processes, server CPU, us", "get_crowd", "cpu_us"),
    ("get by several processes, wall, us", "get_crowd", "wall_us"),
    ("set, server CPU, us", "set", "cpu_us"),
    ("set, p50, us", "set", "p50_us"),
    ("set by several processes, server CPU, us", "set_crowd", "cpu_us"),
    ("set by several processes, wall, us", "set_crowd", "wall_us"),
    ("equality query, 100 of 10 thousand, server CPU, us", "query", "cpu_us"),
    ("the same, wall, us", "query", "wall_us"),
    ("write heard by a listener, server CPU, us", "listen", "cpu_us"),
    ("the same, p50, us", "listen", "p50_us"),
]


def value(result, name, part):
    found = result.get(name)
    return found.get(part) if isinstance(found, dict) else found


def main():
    google, ours = (json.loads(line) for line in sys.stdin if line.startswith("{"))
    print(f"| | {google['name']} | {ours['name']} | times |")
    print("|---|---|---|---|")
    for title, name, part in ROWS:
        left, right = value(google, name, part), value(ours, name, part)
        if left is None or right is None:
            continue
        print(f"| {title} | {left} | {right} | {left / right if right else float('inf'):.1f} |")


if __name__ == "__main__":
    main()
