"""The Python in the documents runs, and prints what they say."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", ["README.md", "python/README.md", "GUIDE.md"])
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = [part.split("```", 1)[0] for part in text.split("```python\n")[1:]]
    assert blocks, f"{name} has Python in it"
    # The blocks of one document follow one another.
    source = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
    assert test.examples
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)
