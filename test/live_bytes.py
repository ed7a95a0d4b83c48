#!/usr/bin/python3
"""The most bytes alive at one time, for every call in a trace: live_bytes.py TRACE

A trace is what `nereus run --trace FILE` writes; src/vm/trace.h says what its lines mean. This script knows nothing of
plans and places. A buffer is alive from a write to the last touch before it is written anew, and no longer, even if the
program keeps its memory for longer. What a frame was handed stays until it leaves: arguments are borrowed, results are
written where the caller wants them. Frames and objects live from their first line to their last, scratch during its
kernel.
"""
import sys
from collections import defaultdict

TOUCHES = ("read", "write", "part", "hold")


def spans_of(touches):
    """When one buffer is alive. touches: (time, what, until) in order; until: for a hold, when its frame leaves."""
    spans = []
    kept = 0                                            # held until then: a write is not a new value
    for i, (time, what, until) in enumerate(touches):
        if what == "hold":
            following = touches[i + 1][1] if i + 1 < len(touches) and touches[i + 1][0] <= until else "read"
            anew = time > kept and following in ("write", "part")
            kept = max(kept, until)
        else:
            anew = what == "write" and time > kept and (not spans or spans[-1][1] < time)
        if anew or not spans:
            spans.append([time, time])
        spans[-1][1] = max(time, kept)
    return spans


def most_alive(lines):
    now = 0
    opened, lives, scratch, sizes = {}, [], defaultdict(int), {}    # lives: first, last, bytes
    touches, ends = defaultdict(list), {}
    for line in lines:
        word, *rest = line.split()
        if word == "work":                              # for those who count that
            continue
        if word not in TOUCHES:
            now += 1
        if word == "frame" or word == "born":
            opened[word, rest[0]] = now, int(rest[1])
        elif word == "leave" or word == "died":
            first, size = opened.pop(("frame" if word == "leave" else "born", rest[0]))
            lives.append((first, now, size))
            if word == "leave":
                ends[rest[0]] = now
        elif word == "kernel":
            scratch[now] = int(rest[0])
        elif word in TOUCHES:
            frame, name, size = rest if word == "hold" else (None, *rest)
            sizes[name] = int(size)
            touches[name].append((now, word, frame))
        elif word != "copy":
            sys.exit(f"live_bytes: unknown line '{line}'")
    lives += [(first, now, size) for first, size in opened.values()]
    for name, found in touches.items():
        found = [(time, what, ends.get(frame, now)) for time, what, frame in found]
        lives += [(first, last, sizes[name]) for first, last in spans_of(found)]
    change = defaultdict(int)                           # by time: what comes to life, less what died the moment before
    for first, last, size in lives:
        change[first] += size
        change[last + 1] -= size
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
