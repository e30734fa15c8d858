"""Makes the random tables of `questions.json`: names, ids, weights, missing values, dummies, timestamps.

    python3 testdata/questions/make.py
"""

import csv
import random
from pathlib import Path

HERE = Path(__file__).parent


def number(rng: random.Random, kind: str, k: int) -> str:
    if kind == "integer":
        return str(rng.randint(-3, 3))
    if kind == "decimal":
        return f"{rng.uniform(-2, 2):.2f}"
    if kind == "time":
        return str(1_700_000_000 + 60 * k + rng.randint(0, 30))
    if kind == "constant":
        return "7"
    return rng.choice(["red", "green", "blue"])


def table(seed: int, rows: int, kinds: list[str], classes: int, missing: float) -> None:
    """Writes a table with an id, columns of these kinds, a weight, trials, a group, times and labels."""
    rng = random.Random(seed)
    names = [f"{kind}{k}" for k, kind in enumerate(kinds)]
    lean = [rng.uniform(-1, 1) for _ in kinds]
    with open(HERE / f"random{seed}.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["id", *names, "weight", "trials", "group", "time", "died", "count", "label"])
        for k in range(rows):
            cells = [number(rng, kind, k) for kind in kinds]
            pull = sum(w * float(c) for w, c, kind in zip(lean, cells, kinds) if kind in ("integer", "decimal"))
            label = min(classes - 1, max(0, int((pull + 2.5 + rng.gauss(0, seed % 3)) * classes / 5)))
            if k < 2 * classes:
                label = k % classes
            trials = rng.randint(1, 3)
            beside = [
                rng.choice([0, 1, 1, 2]),
                trials,
                f"g{k // 4}",
                rng.randint(1, 9),
                1 if k % 3 else 0,
                rng.randint(0, trials),
            ]
            cells = ["" if rng.random() < missing else cell for cell in cells]
            out.writerow([f"r{seed}-{k}", *cells, *beside, f"c{label}"])


for seed in range(12):
    rng = random.Random(100 + seed)
    kinds = [rng.choice(["integer", "decimal", "decimal", "time", "constant", "word"]) for _ in range(2 + seed % 4)]
    kinds[0] = "decimal"
    table(seed, 18 + 4 * seed, kinds, 2 if seed % 3 else 3, 0.0 if seed % 2 else 0.04)
