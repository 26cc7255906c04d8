"""A daemon with data, a backend, and a browser that has entered the console."""

import contextlib
import http.client
import json
from urllib.parse import quote

from consoling import DB, INSTANCE


class Stage:
    """A daemon with data, and a browser that has entered its console."""

    def __init__(self, site, browser, axe):
        self.site, self.browser = site, browser
        with open(axe, encoding="utf-8") as file:
            self.axe = file.read()
        self.fill()
        entry, self.address = site.console()
        browser.open(entry)
        browser.see(".facts")
        self.first_paint = self.paint()
        self.own = [self.address]

    def paint(self):
        """After how many milliseconds the page that is open showed something."""
        return self.browser.until(
            lambda: self.browser.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"), "the first paint")

    def fill(self):
        """Data that every check finds."""
        do = self.site.do
        for name, seats in (("attic", 4), ("hall", 40), ("kitchen", 8), ("library", 12), ("workshop", 16)):
            do("set", f"rooms/{name}", f'name="{name.title()}"', f"seats={seats}", "heated=true", "--until", "committed")
        do("set", "rooms/hall/lamps/ceiling", "watts=60", "--until", "committed")
        do("set", "public/notice", 'text="Welcome"', "--until", "committed")
        do("rtdb", "set", "/rooms/hall", '{"name":"Hall","seats":40}')

    def begin(self):
        """Has the browser where every check begins."""
        windows = self.browser.driver.window_handles
        for window in windows[1:]:
            self.browser.driver.switch_to.window(window)
            self.browser.driver.close()
        self.browser.driver.switch_to.window(windows[0])
        self.browser.resize(1280)
        self.browser.open(self.address + "/")
        self.browser.see(".facts")

    @contextlib.contextmanager
    def administrator(self):
        """Has the browser before a daemon that the backend takes for an administrator, until the check ends."""
        entry, address = self.site.console("administrator-console", socket_path=self.site.start_administrator())
        self.own.append(address)
        try:
            self.browser.open(entry)
            self.browser.see(".facts")
            yield
        finally:
            self.browser.open("about:blank")
            self.site.stop("administrator-console")
            self.site.stop("administrator")

    def forgive(self, *words):
        """Forgets complaints with one of these words: what the check has brought about itself."""
        self.browser.read_logs()
        self.browser.complaints = [
            (level, text) for level, text in self.browser.complaints if not any(word in text for word in words)]

    def data(self, path="", **more):
        """The address of a place in the data, behind the #."""
        parameters = {"db": DB, "path": path, **more}
        return "#/data?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value)

    def write_elsewhere(self, path, fields):
        """Writes to the backend past the daemon."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=20)
        connection.request(
            "PATCH", f"/v1/projects/demo/databases/(default)/documents/{path}", json.dumps({"fields": fields}),
            {"Authorization": "Bearer owner", "Content-Type": "application/json"})
        assert connection.getresponse().status == 200

    def delete_elsewhere(self, path):
        """Deletes a document of the backend past the daemon."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=20)
        connection.request("DELETE", f"/v1/projects/demo/databases/(default)/documents/{path}", headers={"Authorization": "Bearer owner"})
        assert connection.getresponse().status == 200

    def write_node_elsewhere(self, path, value):
        """Writes to the tree of the backend past the daemon."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=20)
        connection.request("PUT", f"/{path}.json?ns={INSTANCE.split('//')[1].split('.')[0]}", json.dumps(value),
                           {"Authorization": "Bearer owner"})
        assert connection.getresponse().status == 200

    def write_many_elsewhere(self, collection, count):
        """Writes so many documents to the backend past the daemon, five hundred at a time."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=120)
        root = "projects/demo/databases/(default)/documents"
        for begin in range(0, count, 500):
            writes = [{"update": {"name": f"{root}/{collection}/d{number:06}", "fields": {"n": {"integerValue": str(number)}}}}
                      for number in range(begin, min(begin + 500, count))]
            connection.request("POST", f"/v1/{root}:commit", json.dumps({"writes": writes}),
                               {"Authorization": "Bearer owner", "Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, body[:500]

    def backend_document(self, path):
        """A document as the backend has it, in the JSON of REST."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=20)
        connection.request(
            "GET", f"/v1/projects/demo/databases/(default)/documents/{path}", headers={"Authorization": "Bearer owner"})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        return body.get("fields", {}) if answer.status == 200 else None


def rows(browser):
    """How many documents are on the page."""
    return browser.run("return document.querySelectorAll('tr[data-path]').length")
