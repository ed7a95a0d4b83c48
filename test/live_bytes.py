#!/usr/bin/python3
"""The most bytes alive at one time, for every call in a trace: live_bytes.py TRACE

A trace is what `nereus run --trace FILE` writes; src/vm/trace.h says what its lines mean. This script knows nothing of
plans and places. A buffer is alive from a write to the last touch before it is written anew, and no longer, even if the
program holds its memory for longer; frames and objects from their first line to their last; scratch during its kernel.
"""
import sys
from collections import defaultdict


def most_alive(lines):
    change = defaultdict(int)               # by time: bytes that come to life, less those that died the moment before
    scratch = defaultdict(int)
    open_things, buffers = {}, {}           # buffers: name -> [first, last, bytes]
    now = 0

    def add(first, last, size):
        change[first] += size
        change[last + 1] -= size

    for line in lines:
        word, *rest = line.split()
        if word not in ("read", "write", "part"):
            now += 1
        if word == "frame":
            open_things["frame", rest[0]] = now, int(rest[1])
        elif word == "born":
            open_things["object", rest[0]] = now, int(rest[1])
        elif word in ("leave", "died"):
            first, size = open_things.pop(("frame" if word == "leave" else "object", rest[0]))
            add(first, now, size)
        elif word == "kernel":
            scratch[now] = int(rest[0])
        elif word in ("read", "write", "part"):
            name, size = rest[0], int(rest[1])
            anew = word == "write" and name in buffers and buffers[name][1] < now
            if anew:
                add(*buffers.pop(name))
            buffers.setdefault(name, [now, now, size])[1] = now
        elif word != "copy":
            sys.exit(f"live_bytes: unknown line '{line}'")
    for first, size in open_things.values():
        add(first, now, size)
    for buffer in buffers.values():
        add(*buffer)
    alive = most = 0
    for time in sorted(set(change) | set(scratch)):
        alive += change[time]
        most = max(most, alive + scratch[time])
    return most


def main():
    calls = []
    with open(sys.argv[1], encoding="utf-8") as trace:
        for line in trace:
            if line.startswith("call "):
                calls.append([])
            else:
                calls[-1].append(line.rstrip("\n"))
    for lines in calls:
        print(most_alive(lines))


if __name__ == "__main__":
    main()
