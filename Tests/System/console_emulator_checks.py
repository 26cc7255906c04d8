"""What is checked of an emulator's own page: each function is one check, its first line the name."""

import http.client
import json
import os
import re

from selenium.webdriver.common.keys import Keys

import console_values
from console_care_checks import check_axe
from console_data_checks import add_field
from console_emulator_stage import RULES, EmulatorStage, token


def emulated(stage):
    """The emulator's stage, made when a check first needs it; its page is open then."""
    if not hasattr(stage, "emulator"):
        stage.emulator = EmulatorStage(stage)
    stage.emulator.begin()
    return stage.emulator


def sections(stage):
    """An emulator's page has its own sections, and a daemon's page has none of them."""
    names = "return [...document.querySelectorAll('.tabs a')].filter((a) => a.offsetParent).map((a) => a.getAttribute('href'))"
    assert stage.browser.run(names) == ["#/overview", "#/data", "#/queue", "#/dead-letters", "#/programs"]
    watched = emulated(stage)
    assert stage.browser.run(names) == ["#/data", "#/requests", "#/rules"]
    stage.browser.go("#/queue")
    stage.browser.see(".tree")
    watched.browser.go(watched.data("rooms"))
    watched.browser.see('tr[data-path="rooms/hall"]')
    assert not watched.browser.run(
        "return [...document.querySelectorAll('main .segments')].some((choice) => choice.offsetParent)"
    ), "an emulator has no cache to choose"


def guarded(stage):
    """An emulator's console refuses other hosts, other origins, a used secret and whoever has no cookie."""
    watched = emulated(stage)
    port = int(watched.address.rsplit(":", 1)[1])

    def status(method, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        return connection.getresponse().status
    assert status("GET", "/api/rules") == 401
    assert status("GET", "/api/rules", Host="evil.example") == 421
    assert status("GET", "/api/rules", Origin="http://evil.example") == 403
    assert status("GET", "/api/rules", Sec_Fetch_Site="cross-site") == 403
    form = "application/x-www-form-urlencoded"
    assert status("POST", "/enter", Content_Type=form, Origin="http://evil.example") == 403
    assert status("POST", "/enter", Content_Type=form) == 403, "a secret that is none"
    assert not os.path.exists(watched.entry), "the file with the used secret is still there"
    assert os.stat(os.path.dirname(watched.entry)).st_mode & 0o077 == 0


def data(stage):
    """Documents and nodes of an emulator are shown live, and made, edited and deleted."""
    watched, browser = emulated(stage), stage.browser
    browser.click('.tree [role="treeitem"] .line', "rooms")
    browser.click('tr[data-path="rooms/hall"] a')
    browser.see('li[data-field="seats"] .value', "40")
    watched.write("rooms/hall", {"seats": {"integerValue": "41"}}, "owner")
    browser.see('li[data-field="seats"] .value', "41")
    browser.click('button[data-action="edit"]')
    browser.fill(browser.see('dialog [data-field="seats"] [data-part="value"]'), "42")
    browser.click('dialog [data-action="confirm"]')
    browser.see('li[data-field="seats"] .value', "42")
    assert watched.document("rooms/hall")["seats"] == {"integerValue": "42"}
    every_type(watched, browser)
    nodes(watched, browser)


def every_type(watched, browser):
    browser.go(watched.data("types"))
    browser.click('button[data-action="add"]')
    browser.see("dialog[open]")
    browser.fill(browser.find('dialog [data-part="id"]'), "every")
    for number, (kind, text, _) in enumerate(console_values.TYPED):
        add_field(browser, f"f{number}", kind, text)
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.see('li[data-field="f0"]')
    fields = watched.document("types/every")
    for number, (kind, text, expected) in enumerate(console_values.TYPED):
        found = fields.get(f"f{number}")
        assert expected is None or console_values.plain(found) == console_values.plain(expected), f"{kind} {text!r} became {found}"
    browser.see('.tree [role="treeitem"]', "types")
    browser.click('button[data-action="delete"]')
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.until(lambda: watched.document("types/every") is None, "the document is gone")
    # The page goes to the collection by itself, and must not do so after the next address.
    browser.until(lambda: "every" not in browser.run("return location.hash"), "the page shows the collection")


def nodes(watched, browser):
    browser.go("#/data?db=demo-default-rtdb&path=/rooms/hall")
    browser.see('tr[data-child="seats"]', "40")
    watched.call("PUT", "/rooms/hall/seats.json?ns=demo-default-rtdb", 44, "owner")
    browser.see('tr[data-child="seats"]', "44")
    browser.click('tr[data-child="seats"] [data-action="edit"]')
    browser.fill(browser.see('dialog [data-part="value"]'), "45")
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.see('tr[data-child="seats"]', "45")
    assert watched.call("GET", "/rooms/hall/seats.json?ns=demo-default-rtdb", None, "owner")[1] == 45
    browser.click('tr[data-child="name"] [data-action="delete"]')
    browser.click('dialog [data-action="confirm"]')
    browser.gone('tr[data-child="name"]')


def requests(stage):
    """A request appears while it comes, with who asked, what the rules said, and the expression that decided."""
    watched, browser = emulated(stage), stage.browser
    browser.go("#/requests")
    assert watched.write("rooms/hall", {"seats": {"integerValue": "1"}}, "bob") == 403
    first = "tbody tr:first-child "
    browser.see(first + '[data-verdict="denied"]')
    browser.see(first, "bob")
    browser.see(first, "PERMISSION_DENIED")
    ground = browser.see(first + '[data-part="ground"]')
    assert "line 4, column 31: request.auth.uid == 'ann' is false" in ground.text, ground.text
    assert watched.write("rooms/hall", {"seats": {"integerValue": "50"}}, "ann") == 200
    browser.see(first + '[data-verdict="allowed"]')
    watched.write("rooms/hall", {"seats": {"integerValue": "51"}}, "owner")
    browser.see(first, "the owner")
    browser.choose(browser.find('[data-part="which"]'), "denied")
    browser.see(first, "bob")
    browser.click(first + '[data-part="ground"] a')
    browser.see('.code .decided[data-line="4"]')
    realtime(watched, browser)


def realtime(watched, browser):
    rules = {"rules": {"open": {".read": True}, "rooms": {".read": "auth != null && auth.uid == 'ann'"}}}
    assert watched.call("PUT", "/.settings/rules.json?ns=demo-default-rtdb", rules, "owner")[0] == 200
    assert watched.call("GET", "/rooms.json?ns=demo-default-rtdb")[0] == 401
    browser.go("#/requests")
    browser.see("tbody tr", "Realtime.Get")
    browser.see('tbody tr [data-part="ground"]', "auth != null is false")
    browser.click('tbody tr:first-child [data-part="ground"] a')
    browser.see('.code .decided[data-line="1"]')


def tree_rules(stage):
    """Rules of the Realtime Database are painted, edited, tried, refused by line and column, and published."""
    watched, browser = emulated(stage), stage.browser
    address = watched.tree_rules(method="write", path="/rooms/hall", uid="bob")
    own = '{"rules": {\n  "rooms": {"$room": {".read": true,\n    ".write": "auth != null && auth.uid == \'ann\'"}}\n}}'
    assert watched.call("PUT", "/.settings/rules.json?ns=demo-default-rtdb", json.loads(own), "owner")[0] == 200
    assert watched.call("PUT", "/rooms/hall/seats.json?ns=demo-default-rtdb", 1)[0] == 401
    browser.go(address)
    browser.see(".code .tone.false", "!= null")
    browser.click('button[data-action="try"]')
    browser.see('[aria-label="Result of the trial"] [data-verdict="denied"]')
    edit(browser, own.replace("'ann'", "'bob'"))
    browser.choose(browser.find('[data-part="resource"]'), "value")
    browser.see('[data-part="value"]')
    browser.fill(browser.find('[data-part="new-value"]'), '{"seats": 2}')
    browser.click('button[data-action="try"]')
    browser.see('[aria-label="Result of the trial"] [data-verdict="allowed"]')
    browser.see('[aria-label="Result of the trial"]', "as edited")
    check_axe(stage, "the trial of a tree")
    edit(browser, own.replace("auth.uid == ", "auth.uid + "))
    press_at_top(browser, 'button[data-action="publish"]')
    problem = browser.see('[data-part="rules-problem"]')
    assert re.match(r"Line 3, column \d+: ", problem.text), problem.text
    edit(browser, own.replace("'ann'", "'bob'"))
    press_at_top(browser, 'button[data-action="publish"]')
    browser.see('.code [data-line="3"]', "'bob'")
    # A token in the headers would be an administrator's here, whom no rule is asked about.
    assert watched.call("PUT", f"/rooms/hall/seats.json?ns=demo-default-rtdb&auth={token('bob')}", 2)[0] == 200
    browser.see('.code [data-line="3"] .tone.true', "== 'bob'")


def drafts(stage):
    """What was edited and not published stays with its database while the rules of another are edited."""
    watched, browser = emulated(stage), stage.browser
    edited = ((watched.tree_rules(), '{"rules": {}}'), (watched.rules(), "// of documents"))
    for address, text in edited:
        browser.go(address)
        browser.see("ol.code")
        edit(browser, text)
    for address, text in edited + edited:
        browser.go(address)
        browser.until(lambda: browser.run("return document.querySelector('[data-part=source]')?.value") == text, f"{text} is in the editor")
    for address, _ in edited:
        browser.go(address)
        press_at_top(browser, 'button[data-action="discard"]')
        browser.see("ol.code")


def rules(stage):
    """Rules are painted with what they came to, edited, tried, refused by line and column, and published."""
    watched, browser = emulated(stage), stage.browser
    watched.write("rooms/hall", {"seats": {"integerValue": "1"}}, "bob")
    watched.write("rooms/hall", {"seats": {"integerValue": "1"}}, "ann")
    browser.go(watched.rules(method="update", path="rooms/hall", uid="bob"))
    browser.see('.code [data-line="4"] .tone.both', "== 'ann'")
    browser.see('.code [data-line="10"] .tone.never')
    browser.click("summary", "Counts of")
    counts = browser.see('tr[data-tone="both"]').text
    assert re.search(r"true \d+×, false \d+×", counts), counts
    browser.click('button[data-action="try"]')
    browser.see('[aria-label="Result of the trial"] [data-verdict="denied"]')
    browser.see('[aria-label="Result of the trial"] [data-part="ground"]', "line 4, column 31")
    edit(browser, RULES.replace("'ann'; }", "'ann' || request.auth.uid == 'bob'; }"))
    browser.click('button[data-action="try"]')
    browser.see('[aria-label="Result of the trial"] [data-verdict="allowed"]')
    browser.see('[aria-label="Result of the trial"]', "as edited")
    assert watched.write("rooms/hall", {"seats": {"integerValue": "2"}}, "bob") == 403, "rules that were only tried count"
    good = browser.run("return document.querySelector('[data-part=source]').value")
    edit(browser, good.replace("allow read: if true;", "allow read: if ;"))
    press_at_top(browser, 'button[data-action="publish"]')
    problem = browser.see('[data-part="rules-problem"]')
    assert re.match(r"Line 6, column \d+: ", problem.text), problem.text
    edit(browser, good)
    press_at_top(browser, 'button[data-action="publish"]')
    browser.see('.code [data-line="4"]', "'bob'")
    assert watched.write("rooms/hall", {"seats": {"integerValue": "3"}}, "bob") == 200
    browser.see('.code [data-line="4"] .tone.true', "== 'bob'")


def edit(browser, text):
    if not browser.run("return document.querySelector('[data-part=source]')"):
        press_at_top(browser, ".segments label", "Edit")
    area = browser.see('[data-part="source"]')
    browser.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", area, text)


def press_at_top(browser, *what):
    """Clicks what the head of the page would lie over if the page were scrolled just so far."""
    browser.run("window.scrollTo(0, 0)")
    browser.click(*what)


def pages_at_once(stage):
    """Two pages of an emulator, and one of the daemon, are open at once and all live."""
    watched, browser = emulated(stage), stage.browser
    browser.go(watched.data("rooms"))
    browser.see('tr[data-path="rooms/library"]')
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open(watched.address + "/" + watched.data("rooms/library"))
    browser.see('li[data-field="seats"]')
    browser.click('button[data-action="edit"]')
    browser.fill(browser.see('dialog [data-field="seats"] [data-part="value"]'), "77")
    browser.click('dialog [data-action="confirm"]')
    browser.see('li[data-field="seats"] .value', "77")
    second = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open(stage.address + "/" + stage.data("rooms"))
    browser.see('tr[data-path="rooms/library"]')
    browser.driver.switch_to.window(first)
    browser.see('tr[data-path="rooms/library"]', "77")
    watched.write("rooms/library", {"seats": {"integerValue": "78"}}, "owner")
    browser.see('tr[data-path="rooms/library"]', "78")
    browser.driver.switch_to.window(second)
    browser.see('li[data-field="seats"] .value', "78")


def keyboard(stage):
    """Requests and rules of an emulator are used by keyboard alone."""
    watched, browser = emulated(stage), stage.browser
    watched.call("GET", "/v1/projects/demo/databases/(default)/documents/secrets/one", None, "bob")
    browser.run("document.querySelector('.brand').focus()")
    browser.tab_to('.tabs a[href="#/requests"]')
    browser.press(Keys.ENTER)
    browser.see('[data-verdict="denied"]', "denied")
    browser.tab_to('[data-part="which"]')
    browser.press("D")
    browser.until(lambda: browser.run("return document.querySelector('[data-part=which]').value") == "denied", "the list is chosen by a letter")
    browser.tab_to('tbody tr:first-child [data-action="try"]')
    browser.press(Keys.ENTER)
    browser.until(lambda: browser.run("return document.querySelector('[data-part=path]')?.value") == "secrets/one", "the trial is filled in")
    browser.tab_to('.segments input[value="force"]')
    browser.press(Keys.ARROW_RIGHT)
    browser.see('[data-part="source"]')
    browser.tab_to('[data-part="source"]')
    browser.press(Keys.CONTROL, Keys.END)
    browser.press("// by keyboard")
    browser.press(Keys.TAB)
    assert browser.run("return document.activeElement.dataset.part") != "source", "the tab key stays in the editor"
    browser.tab_to('button[data-action="try"]')
    browser.press(Keys.ENTER)
    browser.see('[aria-label="Result of the trial"] [data-verdict="denied"]')
    browser.run("document.querySelector('.brand').focus()")
    browser.tab_to('button[data-action="publish"]')
    browser.press(Keys.ENTER)
    browser.see(".code", "// by keyboard")
    browser.tab_to("ol.code")
    browser.press(Keys.END)


def accessible(stage):
    """Axe finds nothing to mend in an emulator's page, light and dark, wide and narrow; nothing is wider than the window."""
    watched, browser = emulated(stage), stage.browser
    watched.write("rooms/hall", {"seats": {"integerValue": "1"}}, "cat")
    for width, dark in ((1280, False), (400, True), (400, False)):
        browser.resize(width, dark=dark)
        for place in ("#/data", watched.data("rooms"), watched.data("rooms/hall"), "#/requests", watched.rules()):
            browser.go(place)
            browser.until(lambda: not browser.run("return document.querySelector('main [aria-busy]')"), f"{place} is loaded")
            if place == watched.rules():
                browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
            check_axe(stage, f"{place} at {width}")
            assert browser.run("return document.documentElement.scrollWidth") <= width, f"{place} is wider than {width}"
        press_at_top(browser, ".segments label", "Edit")
        browser.see('[data-part="source"]')
        browser.choose(browser.find('[data-part="method"]'), "update")
        browser.choose(browser.find('[data-part="resource"]'), "fields")
        check_axe(stage, f"the rules' editor at {width}")
        assert browser.run("return document.documentElement.scrollWidth") <= width, f"the rules' editor is wider than {width}"
        press_at_top(browser, 'button[data-action="discard"]')


def lost(stage):
    """An emulator that ends takes its console with it, and the page says so."""
    watched, browser = emulated(stage), stage.browser
    stage.site.stop("watched")
    browser.see("#banner", "The console does not answer")
    stage.forgive("ERR_")
    del stage.emulator
    assert watched.port


CHECKS = [sections, guarded, data, requests, rules, tree_rules, drafts, pages_at_once, keyboard, accessible, lost]
