"""Headless Chromium for tests of a page: waits for conditions, and remembers every request and every complaint."""

import json
import os
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WAIT_SECONDS = 20
# What may change while it is being looked at.
PASSING = (NoSuchElementException, StaleElementReferenceException, JavascriptException)


def browser_paths():
    """Chromium and its driver; `None` for what the machine lacks."""
    return shutil.which("chromium"), shutil.which("chromedriver")


class Browser:
    """One browser, with a profile of its own."""

    def __init__(self, folder):
        chromium, driver = browser_paths()
        options = Options()
        options.binary_location = chromium
        for flag in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                     "--no-default-browser-check", f"--user-data-dir={folder}"):
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium's sandbox is not for root.
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.requests, self.complaints = [], []
        self.resize(1280)

    def close(self):
        self.driver.quit()

    def resize(self, width, height=860, dark=False, reduced_motion=False):
        """Has the page believe in a window of this width, and in what its person prefers."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}]})

    def open(self, address):
        self.driver.get(address)

    def go(self, fragment):
        """Goes to a section, as a link does."""
        self.run("location.hash = arguments[0]", fragment)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, body, *arguments):
        """What an asynchronous function of this body returns."""
        script = ("const done = arguments[arguments.length - 1];"
                  f"(async (...given) => {{ {body} }})(...arguments).then((value) => done([value]), (error) => done(String(error)));")
        answer = self.driver.execute_async_script(script, *arguments)
        assert isinstance(answer, list), answer
        return answer[0]

    def until(self, condition, what, seconds=WAIT_SECONDS):
        """Waits until a function is true, and returns what it returned."""
        end, last = time.monotonic() + seconds, None
        while True:
            try:
                found = condition()
                if found:
                    return found
            except PASSING as error:
                last = error
            if time.monotonic() > end:
                why = f" ({type(last).__name__})" if last else ""
                raise AssertionError(f"waited in vain: {what}{why}; the page shows: {self.glance()}")
            time.sleep(0.02)

    def glance(self):
        """The beginning of what the page shows, for people."""
        try:
            text = self.run("return (document.querySelector('dialog') ?? document.body).innerText")
            return " | ".join((text or "").split("\n"))[:600]
        except Exception as error:  # The page may be what is wrong.
            return type(error).__name__

    def find(self, selector, text=None):
        """The first element of a selector that is shown and holds a text."""
        for element in self.driver.find_elements(By.CSS_SELECTOR, selector):
            if element.is_displayed() and (text is None or text in element.text):
                return element
        raise NoSuchElementException(f"{selector} {text or ''}")

    def see(self, selector, text=None, seconds=WAIT_SECONDS):
        """Waits until an element is shown, and returns it."""
        return self.until(lambda: self.find(selector, text), f"{selector} {text or ''}".strip(), seconds)

    def gone(self, selector, text=None):
        """Waits until no such element is shown."""
        def is_gone():
            try:
                self.find(selector, text)
                return False
            except NoSuchElementException:
                return True
        self.until(is_gone, f"no {selector} {text or ''}".strip())

    def click(self, selector, text=None):
        """Clicks by mouse what can be clicked by then."""
        def clicks():
            try:
                element = self.find(selector, text)
                if not element.is_enabled():
                    return False
                element.click()
                return True
            except Exception as error:
                if "intercepted" in str(error) or "not interactable" in str(error):
                    return False
                raise
        self.until(clicks, f"a click on {selector} {text or ''}".strip())

    def fill(self, element, text):
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(text)

    def choose(self, select, value):
        """Chooses of a list by keyboard's effect: the value is set and the page hears of it."""
        self.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }));", select, value)

    def press(self, *keys):
        """Presses keys where the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def retype(self, text):
        """Types a text in the place of what the focused field holds."""
        field = self.driver.switch_to.active_element
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)

    def focused(self, selector):
        """Waits until the focus is on an element of a selector."""
        self.until(lambda: self.run("return document.activeElement?.matches(arguments[0]) ?? false", selector), f"the focus on {selector}")

    def reach(self, selector):
        """Goes with the tab key from the head of the page to an element of a selector."""
        self.run("document.querySelector('.brand').focus()")
        self.tab_to(selector)

    def tab_to(self, selector, count_max=60):
        """Goes with the tab key to an element of a selector; fails if it cannot be reached so."""
        for _ in range(count_max):
            if self.run("return document.activeElement?.matches(arguments[0]) ?? false", selector):
                return
            self.press(Keys.TAB)
        raise AssertionError(f"{selector} is not within {count_max} steps of the tab key; the focus is on {self.focus()}")

    def focus(self):
        return self.run("const e = document.activeElement; return e ? e.outerHTML.slice(0, 120) : ''")

    def read_logs(self):
        """Takes what the browser has noted: requests of the pages, and complaints of scripts and of the policy."""
        for entry in self.driver.get_log("browser"):
            self.complaints.append((entry["level"], entry["message"]))
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    def screenshot(self, path):
        self.driver.save_screenshot(path)
