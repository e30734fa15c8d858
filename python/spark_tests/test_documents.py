"""The Python for Spark in the documents runs, and prints what they say."""

import doctest
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_examples_run(spark, tmp_path):
    text = (ROOT / "GUIDE.md").read_text(encoding="utf-8")
    # The other Python of the documents needs no cluster, and is fenced as `python`.
    blocks = [part.split("```", 1)[0] for part in text.split("```py\n")[1:]]
    # The JVM has a folder of its own, where it was started.
    source = "\n".join(blocks).replace('"rows', f'"{tmp_path}/rows')
    test = doctest.DocTestParser().get_doctest(source, {"spark": spark}, "GUIDE.md", None, 0)
    assert len(test.examples) > 5
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)
