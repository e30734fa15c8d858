"""linsep itself, through its Python package."""

from __future__ import annotations

from pathlib import Path

from .entrant import NOT_SEPARABLE, SEPARABLE, Answer, Entrant


def _verdict(said: str) -> str | None:
    if said == "undecided":
        return None
    return SEPARABLE if said == "separable" else NOT_SEPARABLE


def _decide(**options):
    def solve(data, watch):
        import linsep

        X, y = data
        found = linsep.decide(X, y, **options)
        bounds = f"{found.margin.lower:.9g} to {found.margin.upper:.9g}"
        note = (
            f"{found.verdict}, {found.passes} passes, {found.way}, {found.margin.kind} margin {bounds}"
        )

        def proof_checks():
            return found.proof is not None and found.verify(X, y).valid

        return Answer(found.coef, found.intercept or 0.0, _verdict(found.verdict), note, proof_checks)

    def whole(path: Path):
        import linsep

        return linsep.decide(path, **options)

    return {"solve": solve, "whole": whole, "package": "linsep", "ours": True, "threads": True}


def _fine(data, watch):
    from linsep import LinearSeparator

    X, y = data
    model = LinearSeparator("fine", max_iter=1000).fit(X, y)
    return Answer(model.coef_[0], float(model.intercept_[0]), note=f"{model.n_iter_} epochs")


ENTRANTS = [
    Entrant(
        "linsep decide",
        goal="any",
        settings="margin any (default)",
        why="a verdict and its proof, which is checked within the time",
        **_decide(),
    ),
    Entrant(
        "linsep decide, max angular",
        goal="angular",
        settings="margin max, gap 1e-6 (default)",
        why="the largest angular margin between proven bounds",
        **_decide(margin="max"),
    ),
    Entrant(
        "linsep decide, max geometric",
        goal="geometric",
        settings="margin max, kind geometric, gap 1e-6 (default)",
        why="the largest geometric margin between proven bounds",
        **_decide(margin="max", margin_kind="geometric"),
    ),
    Entrant(
        "linsep fine",
        package="linsep",
        goal="any",
        settings="method fine, at most 1,000 epochs (default)",
        why="the paper's online method, with lossless skipping",
        solve=_fine,
        ours=True,
        threads=True,
    ),
]
