#!/usr/bin/env python3
"""Moves a box for one step, and stops it at the wall that its path meets first: the swept test."""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adapters"))
from candidate import serve


def step(box, wall, velocity, dt, **_):
    t = min(dt, contact(box, wall, velocity))
    return {side: [at + v * t for at, v in zip(box[side], velocity)] for side in ("min", "max")}


def contact(box, wall, velocity):
    """When the box first touches the wall, else never."""
    enter, leave = 0.0, float("inf")
    for n in (0, 1):
        ahead, behind = wall["min"][n] - box["max"][n], wall["max"][n] - box["min"][n]
        if velocity[n] == 0:
            if ahead >= 0 or behind <= 0:
                return float("inf")
            continue
        near, far = sorted((ahead / velocity[n], behind / velocity[n]))
        enter, leave = max(enter, near), min(leave, far)
    return enter if enter < leave else float("inf")


serve(step)
