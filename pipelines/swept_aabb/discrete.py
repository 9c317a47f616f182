#!/usr/bin/env python3
"""Moves a box for one step and pushes it out of the wall that it then overlaps. It looks only at where the
box ends: one that is fast enough is past the wall by then."""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adapters"))
from candidate import serve


def step(box, wall, velocity, dt, **_):
    moved = {side: [at + v * dt for at, v in zip(box[side], velocity)] for side in ("min", "max")}
    if overlap(moved, wall):
        back = moved["max"][0] - wall["min"][0]
        moved = {side: [moved[side][0] - back, moved[side][1]] for side in moved}
    return moved


def overlap(a, b):
    return all(a["min"][n] < b["max"][n] and b["min"][n] < a["max"][n] for n in (0, 1))


serve(step)
