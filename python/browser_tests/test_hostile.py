"""Pages made of names that want to be more than text: nothing of them runs, loads or is an element.

Each page is made twice, of hostile names and of harmless ones. Both must have the same elements, and the
hostile page must show as text what the harmless one shows.
"""

import re

import linsep as package
import pandas as pd
import pytest

# Names are cut to seven characters in places: an element that they would make comes first.
START = "\"'><b>"
# What a name of a file can hold, too.
SHORT = (
    "<img src=x onerror=alert(hacked=1)><svg onload=hacked=1>' onfocus='hacked=1' autofocus "
    "`${hacked=1}` javascript:hacked=1 ]]> <!-- &lt;i> \\u003ci>\u2028\u202e\uffff\x1b[31m\x85\ntwo"
)
LONG = (
    '<script>hacked=1</script></script></style></title></svg>" onmouseover="hacked=1" --> '
    f'<a href=javascript:hacked=1>a</a><style>*{{display:none}}</style>\\"\u2029\u2067\0\r\t{SHORT}'
)
# What no page shows as it is, and what stands for it in a page or in a notebook.
ODD = re.compile(
    r"\\u\{[0-9a-f]+\}|\\[0nrt]|[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffd-\uffff]"
)
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Rows as two numbers and a label.
SEPARABLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (3, 3, 1), (4, 3, 1), (3, 5, 1)]
INSEPARABLE = [
    (0, 0, 0),
    (1, 1, 0),
    (0, 1, 1),
    (1, 0, 1),
    (5, 5, 1),
    (6, 5, 1),
    (7, 8, 0),
    (2, 1, 0),
    (6, 5, 0),
]
TABLES = {
    # Two features, or two and a text column.
    "plane-yes": (SEPARABLE, False),
    "plane-no": (INSEPARABLE, False),
    "wide-yes": (SEPARABLE, True),
    "wide-no": (INSEPARABLE, True),
    # Rows among which two are suspects.
    "audit": ([(k % 5 + 9 * (k % 2), k // 4, k % 2 ^ (k in (6, 9))) for k in range(30)], True),
    "classes": ([*INSEPARABLE, (20, 0, 2), (21, 1, 2)], True),
}
DECIDE, ALL = ["decide", "--explain"], ["decide", "--explain", "--pairs", "--one-vs-rest", "--argmax"]
# The table, the command, and the option that writes the page.
PAGES = {
    **{f"decide-{table}.html": (table, DECIDE, "--report") for table in list(TABLES)[:4]},
    "classes.html": ("classes", ALL, "--report"),
    "one-classifier.html": ("wide-no", ALL, "--report"),
    "separation.html": ("wide-yes", ["separation"], "--report"),
    "audit.html": ("audit", ["audit"], "--report"),
    "fit.html": ("wide-no", ["fit", "--max-epochs", 9], "--report"),
    "race.html": ("wide-no", ["race", "--max-epochs", 9], "--report"),
    **{
        f"{run}-{table}-steps.html": (table, [run, "--max-epochs", 9], "--trace")
        for run in ("fit", "race")
        for table in ("plane-no", "wide-yes")
    },
    "plane.svg": ("plane-no", DECIDE, "--chart"),
    "distances.svg": ("wide-yes", DECIDE, "--chart"),
    "classes.svg": ("classes", ALL, "--chart"),
    "fit.svg": ("plane-yes", ["fit"], "--chart"),
    "race.svg": ("wide-no", ["race", "--max-epochs", 9], "--chart"),
}
ANSWERS = {
    "decide": lambda X, y: package.decide(X, y, explain=True),
    "classes": lambda X, y: package.separability_matrix(X, y, argmax=True),
    "audit": package.audit,
    "fit": lambda X, y: package.fit(X, y, trace=True),
    "race": lambda X, y: package.race(X, y, max_epochs=9, trace=True),
    "separation": package.check_separation,
}

OUTLINE = """
const told = ["id", "class", "type", "href", "src", "style", "http-equiv"];
return [...document.querySelectorAll(":not(#tip)")].map(own => [own.tagName, ...own.getAttributeNames(),
  ...told.map(name => own.getAttribute(name))].join(" "));
"""
SEEN = """
const words = own => [...own.childNodes].filter(node => node.nodeType === 3).map(node => node.data);
const texts = [...document.querySelectorAll("*")].flatMap(own =>
  [own.getAttribute("aria-label") || "", ...(own.matches("script, style") ? [] : words(own))]);
return texts.join(" | ");
"""
TOUCH = """
for (const own of document.querySelectorAll("*"))
  for (const name of ["mouseover", "focus", "focusin", "mouseout"])
    own.dispatchEvent(new Event(name, {bubbles: true}));
for (const key of ["End", "Home", "ArrowRight"])
  document.body?.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
"""


def names(hostile):
    """Return what the places of a table are called."""
    places = ["id", "text", "column 1", "column 2"]
    places += [
        f"{what} {k}" for what, count in (("label", 3), ("level", 2), ("row", 30)) for k in range(count)
    ]
    if not hostile:
        return {**{place: f"plain {place}" for place in places}, "file": "plain file.parquet"}
    # One of each kind is long.
    more = {"column 2": 10_000, "label 1": 10_000, "level 1": 10_000, "row 1": 10_000}
    called = {place: f"{START}{place}{LONG}{'x' * more.get(place, 0)}" for place in places}
    return {**called, "file": f"{START}file{SHORT}.parquet"}


def frame(table, called):
    """Return a table whose last column is the label."""
    rows, text = TABLES[table]
    columns = {
        called["id"]: [called[f"row {k}"] for k in range(len(rows))],
        called["column 1"]: [a for a, _, _ in rows],
        called["column 2"]: [b for _, b, _ in rows],
        called["text"]: [called[f"level {k % 2}"] for k in range(len(rows))],
        "label": [called[f"label {label}"] for *_, label in rows],
    }
    return pd.DataFrame(columns).drop(columns=[] if text else called["text"])


@pytest.fixture(scope="module")
def made(linsep, tmp_path_factory):
    """Have a page made by the program, of hostile names or harmless ones."""
    folder = tmp_path_factory.mktemp("tables")

    def made(page, hostile):
        table, (command, *options), option = PAGES[page]
        called = names(hostile)
        data = folder / table / called["file"]
        if not data.exists():
            data.parent.mkdir(exist_ok=True)
            frame(table, called).to_parquet(data, index=False)
        arguments = [command, data, "--row-id", 1, *options]
        return linsep(f"{'hostile' if hostile else 'harmless'}-{page}", *arguments, option=option)

    return made


def plain(text):
    return ODD.sub("\ufffd", text)


def check(look, harmless, hostile, whole=True):
    """Open both pages; the hostile one may differ by its words alone."""
    found = []
    for path in (harmless, hostile):
        browser = look(path)
        browser.execute_script(TOUCH)
        scripts = (OUTLINE, SEEN, "return document.title", "return typeof hacked")
        found.append([browser.execute_script(script) for script in scripts])
    [(outline, seen, title, _), (evil_outline, evil_seen, evil_title, hacked)] = found
    assert hacked == "undefined"
    assert evil_outline == outline
    calm, evil = names(False), names(True)
    called = {calm[place]: evil[place] for place in calm}
    known = re.compile("|".join(sorted(map(re.escape, called), key=len, reverse=True)))
    expected = known.sub(lambda name: called[name[0]], title)
    # A browser makes one space of those in a title.
    assert plain(evil_title) == plain(re.sub("[ \n]+", " ", expected))
    shown = set(known.findall(seen))
    for name in shown:
        # A chart cuts names.
        assert plain(called[name] if whole else called[name][:33]) in plain(evil_seen), name
    return shown


@pytest.mark.parametrize("page", PAGES)
def test_names_are_only_text(look, made, page):
    try:
        made(page, False)
    except AssertionError as error:
        if "unexpected argument '--report'" not in str(error):
            raise
        pytest.skip("there is no such page")
    assert names(False)["file"] in check(
        look, made(page, False), made(page, True), whole=page.endswith(".html")
    )


@pytest.mark.parametrize("page", ["decide-plane-no.html", "fit-plane-no-steps.html", "plane.svg"])
def test_marks_of_direction_do_not_turn_around_what_follows(look, made, page):
    browser = look(made(page, True))
    browser.execute_script(TOUCH)
    assert TURNING.findall(browser.execute_script(SEEN)) == []


@pytest.mark.parametrize("page", ["decide-wide-no.html", "classes.html", "fit-plane-no-steps.html"])
def test_a_long_name_does_not_widen_a_page(look, made, page):
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert look(made(page, True)).execute_script(wide) <= 0


@pytest.mark.parametrize("kind", ["page", "steps", "notebook"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_names_of_python_are_only_text(look, tmp_path, answer, kind):
    paths = []
    for hostile in (False, True):
        called = names(hostile)
        table = frame("audit" if answer == "audit" else "wide-no", called).set_index(called["id"])
        numbers = table[[called["column 1"], called["column 2"]]]
        found = ANSWERS[answer](numbers, table["label"])
        paths.append(tmp_path / f"{hostile}.html")
        if kind == "notebook":
            head = "<!DOCTYPE html><meta charset='utf-8'><link rel=icon href='data:,'>"
            paths[-1].write_text(head + found._repr_html_(), encoding="utf-8", newline="")
        elif not hasattr(found, write := "report" if kind == "page" else "write_trace"):
            pytest.skip("there is no such page")
        else:
            getattr(found, write)(paths[-1], title=called["file"])
    # In a notebook a race names its methods alone.
    assert check(look, *paths) or (answer, kind) == ("race", "notebook")
