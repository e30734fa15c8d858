"""Run the notebooks and store what their cells print and draw: `make notebooks`."""

import base64
import hashlib
import io
from pathlib import Path

import nbclient
import nbformat
from PIL import Image


def run(path: Path) -> nbformat.NotebookNode:
    """Return the notebook with the outputs of a fresh run, without times and versions."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False)
    client.execute()
    notebook.metadata.language_info = {"name": "python"}
    notebook.metadata.ran = digest(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = smaller(data["image/png"])
    return notebook


def digest(notebook: nbformat.NotebookNode) -> str:
    """Return a name for the code, by which outputs of other code are found out."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\n".join(code).encode()).hexdigest()


def smaller(png: str) -> str:
    """Return a picture in 64 colours, which take a third of the bytes and look the same."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    out = io.BytesIO()
    picture.quantize(64, dither=Image.Dither.NONE).save(out, "png", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.ipynb")):
        nbformat.write(run(path), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")
