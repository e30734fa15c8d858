"""Steps as people see them: by mouse, by keyboard, and by themselves, in both themes and on a phone."""

import json
import time

import linsep as package
import pytest
from conftest import ROOT
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_pages import keep

IRIS = ROOT / "examples" / "iris.csv"
PETALS = ["--features", "petal_length,petal_width"]
PAGES = {
    "steps-fit.html": ["fit", IRIS, "--positive", "setosa", *PETALS],
    "steps-race.html": ["race", IRIS, "--positive", "virginica", *PETALS, "--max-epochs", 40],
    "steps-xor.html": [
        "fit",
        ROOT / "examples" / "xor.csv",
        "--method",
        "perceptron",
        "--max-epochs",
        5,
    ],
    "steps-one.html": ["fit", ROOT / "examples" / "100-101.csv"],
    "steps-wide.html": ["fit", ROOT / "examples" / "breast_cancer.csv"],
    "steps-all.html": ["race", IRIS, "--positive", "versicolor", "--methods", "all", "--max-epochs", 9],
}


@pytest.fixture
def steps(look, linsep):
    """Open the page of the steps of a run."""

    def steps(page, theme="light", width=1000):
        return look(linsep(page, *PAGES[page], option="--trace"), theme, width)

    return steps


def text(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector).text


def press(browser, *keys):
    for key in keys:
        ActionChains(browser).send_keys(key).perform()
    return text(browser, ".controls output")


def told(browser):
    return json.loads(browser.execute_script("return document.getElementById('steps').textContent"))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 1000), ("light", 360)])
def test_steps_are_whole_in_both_themes_and_on_a_phone(steps, page, theme, width):
    browser = steps(page, theme, width)
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    drawings = browser.find_elements(By.TAG_NAME, "svg")
    assert drawings and all(drawing.size["width"] > 200 for drawing in drawings)
    assert all(drawing.get_attribute("aria-label") for drawing in drawings)
    colour = browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert colour.startswith("rgba(255, 255, 255" if theme == "light" else "rgba(20, 23, 26")
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(wide) <= 0
    # Rows are seen in every picture, wherever they were drawn.
    for panel in browser.find_elements(By.CSS_SELECTOR, ".panel"):
        rows = panel.find_elements(By.CSS_SELECTOR, "#rows, use")
        box = browser.execute_script("return arguments[0].getBoundingClientRect().width", rows[0])
        assert box > 100
    time.sleep(0.6)
    keep(browser, f"{page}-{theme}-{width}.png")


def test_buttons_and_the_slider_go_through_the_steps(steps):
    browser = steps("steps-fit.html")
    words = [step["words"] for step in told(browser)["runs"][0]["steps"]]
    assert (
        words[1].startswith("row ") and "is wrong: w·z = -" in words[1] and "corrected to 0" in words[1]
    )
    back, _, on = browser.find_elements(By.CSS_SELECTOR, ".controls button")
    assert text(browser, ".panel .words") == words[0] and not back.is_enabled()
    assert text(browser, ".controls output") == f"step 0 of {len(words) - 1}"
    on.click()
    assert text(browser, ".panel .words") == words[1] and text(browser, ".panel .when") == "epoch 1"
    ring = browser.find_element(By.CSS_SELECTOR, ".panel .ring")
    assert ring.is_displayed() and ring.get_attribute("class") == "ring wrong"
    on.click()
    back.click()
    assert text(browser, ".panel .words") == words[1]
    slider = browser.find_element(By.CSS_SELECTOR, ".controls input")
    browser.execute_script(
        "arguments[0].value = arguments[0].max; arguments[0].dispatchEvent(new Event('input'))", slider
    )
    assert text(browser, ".panel .words") == words[-1] and not on.is_enabled()
    assert words[-1] == "separated: all 150 rows on their own side" and not ring.is_displayed()
    assert words[-1] in slider.get_attribute("aria-valuetext")


def test_keys_go_through_the_steps(steps):
    browser = steps("steps-xor.html")
    last = len(told(browser)["runs"][0]["steps"]) - 1
    assert press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT) == f"step 2 of {last}"
    assert press(browser, Keys.ARROW_LEFT) == f"step 1 of {last}"
    assert press(browser, Keys.END) == f"step {last} of {last}"
    assert press(browser, Keys.ARROW_RIGHT) == f"step {last} of {last}"
    assert press(browser, Keys.HOME) == f"step 0 of {last}"
    # A focus that is seen, on everything that takes one.
    kinds = []
    for _ in range(4):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        focused = browser.switch_to.active_element
        kinds.append(focused.tag_name)
        assert focused.value_of_css_property("outline-style") != "none"
    assert kinds == ["button", "button", "input", "select"]
    # Arrows choose a pace where a pace is chosen.
    assert press(browser, Keys.ARROW_DOWN) == f"step 0 of {last}"


def test_it_plays_when_asked_and_stops_at_the_end(steps):
    browser = steps("steps-fit.html")
    last = len(told(browser)["runs"][0]["steps"]) - 1
    time.sleep(0.5)
    assert text(browser, ".controls output") == f"step 0 of {last}"
    Select(browser.find_element(By.TAG_NAME, "select")).select_by_visible_text("fast")
    play, words = (browser.find_element(By.CSS_SELECTOR, own) for own in (".play", ".words"))
    browser.execute_script("document.activeElement.blur()")
    press(browser, Keys.SPACE)
    assert play.get_attribute("aria-label") == "pause" and words.get_attribute("aria-live") == "off"
    press(browser, Keys.SPACE)
    assert play.get_attribute("aria-label") == "play" and words.get_attribute("aria-live") == "polite"
    play.click()
    until = time.time() + 20
    while text(browser, ".controls output") != f"step {last} of {last}" and time.time() < until:
        time.sleep(0.1)
    time.sleep(0.5)
    assert text(browser, ".controls output") == f"step {last} of {last}"
    assert play.get_attribute("aria-label") == "play"
    # From the end it begins anew.
    play.click()
    assert text(browser, ".controls output") == f"step 0 of {last}"


def test_a_line_passes_through_the_row_that_it_was_corrected_for(steps):
    browser = steps("steps-fit.html")
    for step in told(browser)["runs"][0]["steps"]:
        if step["kind"] == "wrong":
            (a, b, c), (x, y) = step["line"], step["at"]
            assert abs(a * x + b * y + c) < 0.01
    press(browser, Keys.ARROW_RIGHT)
    time.sleep(0.8)
    plane, ring = (browser.find_element(By.CSS_SELECTOR, own) for own in (".plane", ".ring"))
    ends = [float(v) for v in plane.get_attribute("d").replace("M", "").replace("L", " ").split()]
    x, y = (float(ring.get_attribute(name)) for name in ("cx", "cy"))
    (x1, y1), (x2, y2) = ends[:2], ends[2:]
    off = abs((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    assert off < 0.5


def test_methods_stand_side_by_side_and_wait_for_each_other(steps):
    browser = steps("steps-race.html")
    runs = told(browser)["runs"]
    names = [own.text for own in browser.find_elements(By.CSS_SELECTOR, ".panel h3 span:first-child")]
    assert names == ["joint", "fine", "perceptron"]
    tops = [panel.location["y"] for panel in browser.find_elements(By.CSS_SELECTOR, ".panel")]
    assert len(set(tops)) == 1
    shortest = min(len(run["steps"]) for run in runs)
    press(browser, *[Keys.ARROW_RIGHT] * (shortest + 3))
    shown = [own.text for own in browser.find_elements(By.CSS_SELECTOR, ".words")]
    expected = [run["steps"][min(shortest + 3, len(run["steps"]) - 1)]["words"] for run in runs]
    assert shown == expected
    # A projection is a dashed line.
    together = [k for k, step in enumerate(runs[0]["steps"]) if step["kind"] == "together"]
    press(browser, Keys.HOME, *[Keys.ARROW_RIGHT] * together[0])
    plane = browser.find_element(By.CSS_SELECTOR, ".panel .plane")
    assert plane.value_of_css_property("stroke-dasharray") != "none"
    # The marker in the chart goes along with the epochs.
    now = browser.find_element(By.ID, "now2")
    press(browser, Keys.END)
    places = runs[2]["places"]
    assert [float(now.get_attribute(own)) for own in ("cx", "cy")] == places[-1]


def test_who_wants_no_motion_gets_none(steps, browser):
    steps("steps-fit.html")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    press(browser, Keys.ARROW_RIGHT)
    plane = browser.find_element(By.CSS_SELECTOR, ".plane")
    drawn = plane.get_attribute("d")
    time.sleep(0.6)
    assert plane.get_attribute("d") == drawn


def test_without_a_script_the_end_is_seen(look, linsep):
    path = linsep("steps-fit.html", *PAGES["steps-fit.html"], option="--trace")
    text = path.read_text(encoding="utf-8")
    still = path.with_name("still.html")
    still.write_text(text.replace("<script>", '<script type="text/plain">'), encoding="utf-8")
    browser = look(still)
    assert browser.find_element(By.CSS_SELECTOR, ".plane").get_attribute("d").startswith("M")
    assert "separated: all 150 rows" in browser.find_element(By.CSS_SELECTOR, ".words").text
    assert not browser.find_element(By.CSS_SELECTOR, ".controls").is_displayed()
    browser.find_element(By.TAG_NAME, "summary").click()
    rows = browser.find_elements(By.CSS_SELECTOR, "details td")
    assert any("is wrong: w·z" in cell.text for cell in rows)


def test_names_in_the_data_do_nothing(look, tmp_path):
    pd = pytest.importorskip("pandas")
    evil = "</script><img src=x onerror=alert(1)>"
    frame = pd.DataFrame(
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], columns=[evil, "<b>"], index=[evil, "b", "c"]
    )
    path = tmp_path / "evil.html"
    package.race(frame, [evil, "<i>", "<i>"], trace=True).write_trace(path, title=evil)
    browser = look(path)
    assert browser.find_elements(By.TAG_NAME, "img") == []
    press(browser, Keys.END)
    assert evil in browser.find_element(By.CSS_SELECTOR, ".legend").text
