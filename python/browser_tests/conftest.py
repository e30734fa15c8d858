"""A headless browser, and the pages that it opens."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).parents[2]
# Nothing that a browser does by itself.
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, until the last test is over."""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def look(browser):
    """Open a page with a theme and a width; return the browser.

    In the end there must have been no error, and nothing loaded.
    """

    def look(path, theme="light", width=1000):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": theme}]},
        )
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(f"file://{path}")
        return browser

    yield look
    assert browser.get_log("browser") == []
    requests = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in requests
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith(("file://", "data:"))] == []
    assert sum(url.startswith("file://") for url in asked) <= 1


@pytest.fixture(scope="session")
def linsep(tmp_path_factory):
    """Run the program in a folder of its own; return what it wrote."""
    folder = tmp_path_factory.mktemp("pages")
    program = os.environ.get("LINSEP", ROOT / "target" / "debug" / "linsep")

    def run(page, *arguments, option="--report"):
        path = folder / page
        if not path.exists():
            command = [program, "-q", *map(str, arguments), option, path]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            assert done.returncode in (0, 1), done.stderr
        return path

    return run
