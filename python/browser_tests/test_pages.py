"""Pages as people see them: in a browser, light and dark, wide and narrow, by mouse and by keyboard."""

import os
import subprocess
from pathlib import Path

import linsep as package
import numpy as np
import pytest
from conftest import ROOT
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

IRIS = ROOT / "examples" / "iris.csv"
PAGES = {
    "separable.html": ["decide", IRIS, "--positive", "setosa", "--margin", "max"],
    "inseparable.html": ["decide", IRIS, "--positive", "virginica", "--explain"],
    "quasi.html": ["decide", ROOT / "examples" / "treated.csv"],
    "classes.html": ["decide", IRIS, "--pairs", "--one-vs-rest", "--argmax"],
    "plane.html": ["decide", IRIS, "--positive", "setosa", "--features", "sepal_length,sepal_width"],
    "line.html": ["fit", ROOT / "examples" / "xor.csv", "--max-epochs", 5],
    "fit.html": ["fit", IRIS, "--positive", "setosa"],
    "race.html": ["race", IRIS, "--positive", "virginica", "--methods", "all", "--max-epochs", 50],
    "study.html": ["reproduce", "all", "--scale", 0.005, "--runs", 1, "-o", "study"],
}
# Somebody who wants to keep what was seen says where.
KEPT = os.environ.get("SCREENSHOTS")


def keep(browser, name):
    if KEPT:
        height = browser.execute_script("return document.documentElement.scrollHeight")
        width = browser.execute_script("return window.innerWidth")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.save_screenshot(str(Path(KEPT) / name))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 1000), ("light", 360)])
def test_a_page_is_whole_in_both_themes_and_on_a_phone(look, linsep, page, theme, width):
    browser = look(linsep(page, *PAGES[page]), theme, width)
    assert browser.find_element(By.TAG_NAME, "h1").is_displayed()
    drawings = browser.find_elements(By.TAG_NAME, "svg")
    assert drawings and all(drawing.size["width"] > 200 for drawing in drawings)
    # Drawings say in words what they show.
    assert all(drawing.get_attribute("aria-label") for drawing in drawings)
    colour = browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert colour.startswith("rgba(255, 255, 255" if theme == "light" else "rgba(20, 23, 26")
    # The page itself never scrolls sideways; wide tables and drawings do so by themselves.
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(wide) <= 0
    keep(browser, f"{page}-{theme}-{width}.png")


def test_a_cell_says_what_it_means(look, linsep):
    browser = look(linsep("classes.html", *PAGES["classes.html"]))
    cells = browser.find_elements(By.CSS_SELECTOR, ".points .dot")
    assert len(cells) == 9
    ActionChains(browser).move_to_element(cells[-1]).perform()
    assert "virginica against the rest: inseparable" in browser.find_element(By.ID, "tip").text


def test_every_row_of_a_small_table_is_a_point(look, linsep):
    browser = look(linsep("inseparable.html", *PAGES["inseparable.html"]))
    points = browser.find_elements(By.CSS_SELECTOR, ".points .dot")
    assert len(points) == 150
    assert len(browser.find_elements(By.CSS_SELECTOR, ".ring.conflict")) == 6
    assert "6 rows" in browser.find_element(By.CSS_SELECTOR, ".lead").text


def test_a_point_tells_its_row_under_the_mouse(look, linsep):
    browser = look(linsep("separable.html", *PAGES["separable.html"]))
    tip = browser.find_element(By.ID, "tip")
    assert not tip.is_displayed()
    point = browser.find_elements(By.CSS_SELECTOR, ".points .dot")[-1]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(browser).move_to_element(point).perform()
    assert tip.is_displayed() and "sepal_length" in tip.text and "row " in tip.text
    ActionChains(browser).move_to_element(browser.find_element(By.TAG_NAME, "footer")).perform()
    assert not tip.is_displayed()


def test_points_are_reached_without_a_mouse(look, linsep):
    browser = look(linsep("separable.html", *PAGES["separable.html"]))
    tip = browser.find_element(By.ID, "tip")

    def press(key):
        ActionChains(browser).send_keys(key).perform()
        return browser.switch_to.active_element

    point = press(Keys.TAB)
    assert point.tag_name == "circle" and tip.is_displayed()
    first = tip.text
    places = [float(point.get_attribute("cx"))]
    for _ in range(3):
        places.append(float(press(Keys.ARROW_RIGHT).get_attribute("cx")))
    assert places == sorted(places) and tip.text != first
    last = press(Keys.END)
    everywhere = browser.find_elements(By.CSS_SELECTOR, ".points .dot")
    assert float(last.get_attribute("cx")) == max(float(p.get_attribute("cx")) for p in everywhere)
    press(Keys.ESCAPE)
    assert not tip.is_displayed()


def test_two_features_are_drawn_as_they_are_with_the_line(look, linsep):
    browser = look(linsep("plane.html", *PAGES["plane.html"]))
    headings = [heading.text for heading in browser.find_elements(By.TAG_NAME, "h2")]
    assert headings[0] == "The rows and the line"
    # It is the same picture as the one along the hyperplane, turned: that is left out.
    assert "The rows, seen along the hyperplane" not in headings
    figure = browser.find_elements(By.TAG_NAME, "figure")[0]
    words = [text.text for text in figure.find_elements(By.TAG_NAME, "text")]
    assert "sepal_length" in words and "sepal_width" in words
    assert len(figure.find_elements(By.CSS_SELECTOR, ".plane")) == 1
    assert len(figure.find_elements(By.CSS_SELECTOR, ".edge")) == 2
    tip = browser.find_element(By.ID, "tip")
    points = figure.find_elements(By.CSS_SELECTOR, ".dot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", figure)
    ActionChains(browser).move_to_element(points[-1]).perform()
    assert tip.is_displayed() and "sepal_length" in tip.text
    # Rows that are alike are one point.
    told = [point.get_attribute("aria-label") for point in points]
    assert len(told) < 150 and any(text.startswith("3 rows, ") for text in told)
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()


def test_a_million_rows_are_a_small_page(look, linsep, tmp_path):
    array = tmp_path / "million.npy"
    program = ROOT / "target" / "debug" / "linsep"
    size = ["--rows", "1000000", "--features", "5", "--seed", "1", "-q", "-o", array]
    subprocess.run([program, "generate", *size], check=True)
    page = linsep("million.html", "decide", array)
    assert page.stat().st_size < 1_000_000
    browser = look(page)
    # The nearest rows are there, and can be pointed at; all others are cells.
    assert len(browser.find_elements(By.CSS_SELECTOR, ".points .dot")) == 6
    assert "1,000,000" in browser.find_element(By.CSS_SELECTOR, ".lead").text


def test_the_page_of_python_has_the_names_of_python(look, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, "<yes>", "no & never")
    y[7] = "<yes>" if y[7] != "<yes>" else "no & never"
    path = tmp_path / "names.html"
    package.decide(X, y, explain=True).report(path, title="names & labels")
    browser = look(path)
    assert browser.title.startswith("names & labels: ")
    lead = browser.find_element(By.CSS_SELECTOR, ".lead").text
    assert "no & never" in lead and "<yes>" in lead
    cells = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "td")]
    # Rows and features are counted from 0 there.
    assert "7" in cells and "x0" in cells and "x3" not in cells
    assert len(browser.find_elements(By.CSS_SELECTOR, ".points .dot")) == 60
