"""What is asked about which tables, and which files are asked for beside the answers."""

from __future__ import annotations

from tables import KINDS

__all__ = ["COMMANDS", "OUTPUTS", "question"]

METHODS = "lp svm smooth corral joint fine maxover winnow perceptron pocket voted averaged".split()
METHODS += ["passive-aggressive", "sgd"]
TWO_CLASSES = [
    "decide",
    "separation",
    "decide --explain",
    "audit",
    "decide --margin max",
    "fit",
    "decide --conflict exact",
    "race --methods all",
    "decide --margin max --margin-kind geometric --explain",
    "separation --model log-binomial",
    "fit",
    "decide --stream --conflict exact --explain --margin max",
    "audit --leave-out 50",
]
MANY_CLASSES = [
    "decide --pairs",
    "decide --argmax",
    "decide --one-vs-rest",
    "decide --pairs --one-vs-rest --argmax --explain",
    "audit",
    "separation --model multinomial",
    "fit --one-vs-rest",
    "decide --pairs --margin max --conflict exact",
    "separation --model cumulative",
    "separation --model sequential --not-parallel",
]
MODELS = [
    "separation --label y --model cumulative --exclude days,died,entry,group,count,case",
    "separation --label count --model poisson --exclude days,died,entry,group,y,case",
    "separation --model cox --time days --event died --exclude entry,group,count,y,case --ties exact",
    "separation --label case --model conditional --groups group --exclude days,died,entry,count,y",
    "separation --label case --model log-binomial --exclude days,died,entry,group,count,y",
    "separation --label y --model adjacent --exclude days,died,entry,group,count,case",
    "separation --label y --model sequential --not-parallel --exclude days,died,entry,group,count,case",
    "separation --label y --model multinomial --exclude days,died,entry,group,count,case",
    "separation --model cox --time days --event died --entry entry --groups group --exclude y,count",
    "separation --label count --model negative-binomial --absorb group,y --exclude days,died,entry,case",
    "separation --label y --model cumulative --not-parallel --exclude days,died,entry,group,count,case",
    "separation --label case --absorb group,y --exclude days,died,entry,count",
]
# What is written beside the answer, so that an interrupt has something to damage.
OUTPUTS = {
    "decide": "--proof proof.json --report page.html --checkpoint run.checkpoint",
    "fit": "-o model.json --report page.html --history e.csv --checkpoint run.checkpoint --trace t.html",
    "race": "--history epochs.csv --chart race.svg --report page.html --trace steps.csv",
    "audit": "-o rows.csv --report page.html",
    "separation": "--proof proof.json",
}
ROWS = "generate --rows 300000 --features 60 --seed 2 -o rows"
# Commands without a time limit, for Ctrl-C alone: each line runs after those before it in its list.
COMMANDS = [
    ["generate --rows 400000 --features 60 --seed 1 -o rows.csv"],
    ["generate --rows 4000000 --features 60 --seed 1 -o rows.npy"],
    ["reproduce all --scale 0.1 -o study --report study.html"],
    ["reproduce study -o study"],
    ["reproduce cures -o study"],
    [
        f"{ROWS}.csv",
        "fit rows.csv --max-epochs 2 -o model.json",
        "predict model.json rows.csv -o predicted.csv",
    ],
    [f"{ROWS}.npy", "decide rows.npy --proof proof.json", "verify rows.npy proof.json --stream"],
    [f"{ROWS}.csv", "decide rows.csv --stream --cache-dir . --proof proof.json"],
]


def question(kind: str, turn: int) -> str:
    """Return what is asked about a table of this kind at this turn."""
    of_kind = {"classes": MANY_CLASSES, "models": MODELS, "levels": MODELS}.get(kind, TWO_CLASSES)
    # Kinds begin at different places, so that a short run asks everything too.
    asked = of_kind[(turn + list(KINDS).index(kind)) % len(of_kind)]
    if asked == "fit":
        method = METHODS[(turn + 3 * list(KINDS).index(kind)) % len(METHODS)]
        asked = f"fit --method {method} --max-epochs 1000000"
    return asked
