"""What is checked of the section of data: each function is one check, its first line the name."""

import json
import os
import re

from selenium.webdriver.common.keys import Keys

import console_values
from console_stage import rows
from consoling import INSTANCE

# Documents of the collection that is too large to hold, pages of it that are turned, and what may be held meanwhile.
BROWSED_COUNT = int(os.environ.get("HEARTH_BROWSED", 100_000))
PAGES_TURNED = 20
HELD_BYTES_MAX = 24 << 20


def values(stage):
    """Values of every type go through text and back unchanged, inside the browser."""
    for case in stage.browser.run_async(console_values.SCRIPT):
        assert case is True, case


def browsing(stage):
    """The tree, a collection and a document are reached by mouse."""
    browser = stage.browser
    browser.click(".tabs a", "Data")
    browser.click('.tree [role="treeitem"] .line', "rooms")
    browser.see('tr[data-path="rooms/hall"]')
    browser.click('tr[data-path="rooms/hall"] a')
    browser.see('li[data-field="seats"] .value', "40")
    browser.see('li[data-field="seats"] .type', "integer")
    browser.click('section[aria-label="Collections below"] a', "lamps")
    browser.see('tr[data-path="rooms/hall/lamps/ceiling"]')
    browser.click(".crumbs a", "rooms")
    browser.see('tr[data-path="rooms/attic"]')


def backend_tree(stage):
    """The tree asks for the backend's own list too, and shows why the backend does not give the list."""
    browser = stage.browser
    stage.write_elsewhere("untouched/one", {"n": {"integerValue": "1"}})
    browser.click(".tabs a", "Data")
    browser.see('.tree [role="treeitem"] .line', "rooms")
    assert not browser.run("return document.querySelector('.tree').innerText.includes('untouched')"), "the cache does not know it"
    # Only administrators may list collections, and this daemon speaks to the backend as a user.
    browser.click(".browser nav label", "Backend")
    browser.see(".tree", "require admin authentication")
    browser.click(".browser nav label", "Cache")
    browser.see('.tree [role="treeitem"] .line', "rooms")


def administrators_tree(stage):
    """A daemon with an administrator's rights gets the backend's list, and a collection of the list opens from the backend."""
    browser = stage.browser
    stage.write_elsewhere("unseen/one", {"n": {"integerValue": "1"}})
    with stage.administrator():
        browser.click(".tabs a", "Data")
        browser.see('.tree [role="treeitem"]')
        assert not browser.run("return document.querySelector('.tree').innerText.includes('unseen')"), "the cache does not know it"
        browser.click(".browser nav label", "Backend")
        # Only what nobody read before shows that the list is the backend's.
        browser.see('.tree [role="treeitem"] .line', "unseen")
        browser.see('.tree [role="treeitem"] .line', "rooms")
        browser.click('.tree [role="treeitem"] .line', "unseen")
        browser.see('tr[data-path="unseen/one"]')


def keys_of_the_backend(stage):
    """The tree and a page show the keys of the backend's tree, part by part, without a value."""
    browser = stage.browser
    stage.write_node_elsewhere("unread", {f"k{number:03}": {"text": "hush-hush"} for number in range(250)})
    browser.click(".tabs a", "Data")
    line = '.tree [role="treeitem"] .line'
    browser.click(".browser nav label", "Backend")
    browser.see(".browser nav p", "without values")
    browser.click(line, INSTANCE.split("//")[1])
    browser.see('section[aria-label="Keys"] tr[data-key="unread"]')
    browser.click(line, "unread")
    browser.see(line, "k199")
    browser.gone(line, "k200")
    browser.click(line, "more…")
    browser.see(line, "k249")
    # Beside the tree stands a page of the same keys.
    browser.see('tr[data-key="k099"]')
    browser.click('button[data-action="next"]')
    browser.see('tr[data-key="k100"]')
    browser.click('button[data-action="next"]')
    browser.see('tr[data-key="k249"]')
    browser.click('button[data-action="before"]')
    browser.see('tr[data-key="k100"]')
    assert "hush-hush" not in browser.driver.page_source
    browser.click('tr[data-key="k100"] a')
    browser.see('tr[data-key="text"]')
    browser.click('a[data-action="values"]')
    browser.see('tr[data-child="text"]', "hush-hush")
    browser.click('a[data-action="keys"]')
    browser.see('tr[data-key="text"]')
    stage.forgive("status of 403")  # This daemon may not list Firestore's collections.


def keyboard(stage):
    """Sections, tree, document and dialog are used by keyboard alone."""
    browser = stage.browser
    browser.run("document.activeElement.blur()")
    browser.press(Keys.TAB)
    assert "skip" in browser.focus(), browser.focus()
    browser.press(Keys.ENTER)
    browser.until(lambda: browser.run("return document.activeElement.id") == "main", "the skip link leads to the content")
    browser.run("document.activeElement.blur(); document.querySelector('.brand').focus()")
    browser.tab_to('.tabs a[href="#/data"]')
    browser.press(Keys.ENTER)
    browser.see('[role="treeitem"]', "rooms")
    browser.tab_to('[role="treeitem"]')
    browser.press(Keys.HOME)
    walk_tree(browser)
    browser.see('tr[data-path="rooms/hall"]')
    browser.tab_to('tr[data-path="rooms/hall"] a')
    browser.press(Keys.ENTER)
    browser.see('li[data-field="seats"]')
    browser.tab_to('button[data-action="edit"]')
    browser.press(Keys.ENTER)
    browser.see("dialog[open]")
    trap(browser)
    browser.press(Keys.ESCAPE)
    browser.gone("dialog[open]")
    browser.until(lambda: browser.run("return document.activeElement.dataset.action") == "edit", "the focus goes back to the button")
    ring = "const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2"
    browser.press(Keys.TAB)
    assert browser.run(ring), f"the focus cannot be seen on {browser.focus()}"


def walk_tree(browser):
    name = "return document.activeElement.querySelector(':scope > .line .name')?.innerText"
    for _ in range(30):
        if browser.run(name) == "rooms":
            browser.press(Keys.ENTER)
            return
        stops = browser.run("return document.querySelectorAll('.tree [tabindex=\"0\"]').length")
        assert stops == 1, f"{stops} items of the tree are stops of the tab key"
        browser.press(Keys.ARROW_DOWN)
    raise AssertionError("the arrow keys do not lead to rooms")


def trap(browser):
    """The tab key goes round in the dialog: never to what lies behind."""
    inside = "const e = document.activeElement; return e === document.body || Boolean(e.closest('dialog'))"
    for _ in range(40):
        browser.press(Keys.TAB)
        assert browser.run(inside), f"the focus left the dialog: {browser.focus()}"


def every_type(stage):
    """A document with every type is made by form, and the backend has it to the last bit."""
    browser = stage.browser
    browser.go(stage.data("types"))
    browser.click('button[data-action="add"]')
    browser.see("dialog[open]")
    browser.fill(browser.find('dialog [data-part="id"]'), "every")
    for number, (kind, text, _) in enumerate(console_values.TYPED):
        add_field(browser, f"f{number}", kind, text)
    add_parts(browser)
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.see('li[data-field="f0"]')
    fields = browser.until(lambda: stage.backend_document("types/every"), "the backend has the document")
    for number, (kind, text, expected) in enumerate(console_values.TYPED):
        found = fields.get(f"f{number}")
        assert expected is None or console_values.plain(found) == console_values.plain(expected), f"{kind} {text!r} became {found}"
    stamp = len(console_values.TYPED) - 2
    assert "timestampValue" in fields[f"f{stamp}"], fields[f"f{stamp}"]
    assert fields["map"] == {"mapValue": {"fields": {"inner": {"integerValue": "7"}}}}, fields["map"]
    assert fields["array"] == {"arrayValue": {"values": [{"stringValue": "first"}]}}, fields["array"]


def add_field(browser, name, kind, text):
    browser.run("document.querySelector('dialog .dialog-body > .editor > .row > [data-action=\"add-field\"]').click()")
    line = browser.driver.find_elements("css selector", "dialog .dialog-body > .editor > .editor > .editor")[-1]
    line.find_element("css selector", '[data-part="name"]').send_keys(name)
    browser.choose(line.find_element("css selector", '[data-part="kind"]'), kind)
    if text is None:
        return line
    control = line.find_element("css selector", '[data-part="value"]')
    if control.tag_name == "select":
        browser.choose(control, text)
    else:
        browser.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", control, text)
    return line


def add_parts(browser):
    line = add_field(browser, "map", "map", None)
    browser.run("arguments[0].querySelector('.editor-below [data-action=\"add-field\"]').click()", line)
    inner = line.find_element("css selector", ".editor-below")
    inner.find_element("css selector", '[data-part="name"]').send_keys("inner")
    browser.choose(inner.find_element("css selector", '[data-part="kind"]'), "integer")
    inner.find_element("css selector", '[data-part="value"]').send_keys("7")
    line = add_field(browser, "array", "array", None)
    browser.run("arguments[0].querySelector('[data-action=\"add-element\"]').click()", line)
    line.find_element("css selector", '.editor-below [data-part="value"]').send_keys("first")


def editing(stage):
    """A field is changed, a wrong one is refused where it stands, and a document is deleted."""
    browser, site = stage.browser, stage.site
    site.do("set", "rooms/cellar", "seats=1", "other=2", "--until", "committed")
    browser.go(stage.data("rooms/cellar"))
    browser.see('li[data-field="seats"]')
    browser.click('button[data-action="edit"]')
    seats = browser.see('dialog [data-field="seats"] [data-part="value"]')
    browser.fill(seats, "9223372036854775808")
    browser.click('dialog [data-action="confirm"]')
    browser.see("dialog .problem", "9223372036854775807")
    assert seats.get_attribute("aria-invalid") == "true"
    # Somebody else changes another field meanwhile; only what is changed here is written.
    site.do("update", "rooms/cellar", "other=3", "--until", "committed")
    browser.fill(seats, "9223372036854775807")
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    expected = {"seats": {"integerValue": "9223372036854775807"}, "other": {"integerValue": "3"}}
    browser.until(lambda: stage.backend_document("rooms/cellar") == expected, "the backend has both changes")
    browser.see('li[data-field="other"] .value', "3")
    browser.click('button[data-action="delete"]')
    browser.until(lambda: browser.run("return document.activeElement.dataset.action") == "leave", "the focus begins on the way back")
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.until(lambda: stage.backend_document("rooms/cellar") is None, "the backend has deleted the document")


def hostile(stage):
    """What a document holds stays text, whatever it looks like."""
    text = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    body = {"constructor": text, "toString": text, "<b>name</b>": text}
    stage.site.do("set", "hostile/<b>id<", *(f"`{name}`={json.dumps(value)}" for name, value in body.items()), "--until", "committed")
    browser = stage.browser
    browser.go(stage.data("hostile"))
    browser.see("tr[data-path] a", "<b>id<")
    browser.click("tr[data-path] a", "<b>id<")
    browser.see("li[data-field] .name", "constructor")
    browser.see("li[data-field] .value", text)
    assert browser.run("return document.querySelectorAll('main img, main script, main b').length") == 0
    assert "owned" not in browser.driver.title


def two_pages(stage):
    """Two pages are open at once: what one writes shows in the other, and flashes."""
    browser, driver = stage.browser, stage.browser.driver
    browser.go(stage.data("rooms"))
    browser.see('tr[data-path="rooms/attic"]')
    browser.run("""window.flashes = []; new MutationObserver((changes) => changes.forEach(({ target }) => {
        if (target.classList?.contains('flash')) window.flashes.push(target.dataset.path);
    })).observe(document.querySelector('main'), { attributes: true, subtree: true, attributeFilter: ['class'] });""")
    first = driver.current_window_handle
    driver.switch_to.new_window("window")
    browser.resize(1280)
    browser.open(stage.address + "/" + stage.data("rooms/attic"))
    browser.see('li[data-field="seats"]')
    browser.click('button[data-action="edit"]')
    browser.fill(browser.see('dialog [data-field="seats"] [data-part="value"]'), "5")
    browser.click('dialog [data-action="confirm"]')
    browser.see('li[data-field="seats"] .value', "5")
    driver.switch_to.window(first)
    browser.until(lambda: "seats 5" in browser.find('tr[data-path="rooms/attic"] .value').text, "the other page shows the change")
    browser.until(lambda: "rooms/attic" in browser.run("return window.flashes"), "the row flashes")


def thousand(stage):
    """A thousand documents change while they are browsed by pages; no more is held than a page."""
    browser, site = stage.browser, stage.site
    write_many(site, 0)
    browser.go(stage.data("sensors"))
    browser.see('tr[data-path="sensors/s0000"]')
    browser.until(lambda: rows(browser) == 50, "a page of fifty")
    browser.click('button[data-action="next"]')
    browser.see('tr[data-path="sensors/s0050"]')
    write_many(site, 1)
    for number in (50, 99):
        browser.until(lambda: "round 1" in browser.find(f'tr[data-path="sensors/s{number:04}"] .value').text,
            "the page shows the last state")
    assert rows(browser) == 50, rows(browser)
    browser.click('button[data-action="before"]')
    browser.until(lambda: "round 1" in browser.find('tr[data-path="sensors/s0000"] .value').text, "so does the page before")


def many(stage):
    """A collection of very many documents is browsed by pages, and neither the page nor the console holds it."""
    browser, site = stage.browser, stage.site
    stage.write_many_elsewhere("many", BROWSED_COUNT)
    browser.go(stage.data("many"))
    # The daemon may be at work on what was written still.
    browser.see('tr[data-path="many/d000000"]', seconds=60)
    console, page = resident_bytes(site.processes["console"].pid), heap_bytes(browser)
    for number in range(1, PAGES_TURNED + 1):
        browser.click('button[data-action="next"]')
        browser.see(f'tr[data-path="many/d{number * 50:06}"]')
        # The cache holds the first of the next page already; the others come from the backend.
        browser.until(lambda: rows(browser) == 50, "a page of fifty")
    grown = resident_bytes(site.processes["console"].pid) - console, heap_bytes(browser) - page
    assert max(grown) < HELD_BYTES_MAX, f"the console has grown by {grown[0]} bytes, the page by {grown[1]}"
    # What a query finds is no more than a page either.
    browser.go(stage.data("many", view="query"))
    browser.click('[data-action="run"]')
    browser.see('[data-part="plan"]', "Examined")
    assert 0 < rows(browser) <= 500, rows(browser)


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def heap_bytes(browser):
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]


def write_many(site, round_number):
    path = os.path.join(site.folder, "sensors.json")
    with open(path, "w") as file:
        for number in range(1000):
            file.write(json.dumps({"id": f"s{number:04}", "value": number, "round": round_number}) + "\n")
    site.do("import", path, "--collection", "sensors", "--id", "id")


def query(stage):
    """A query by form tells its plan and its time, and wrong input is refused."""
    browser = stage.browser
    browser.go(stage.data("rooms", view="query"))
    browser.click('[data-action="add-condition"]')
    browser.click('[data-action="run"]')
    browser.see(".problem", "field")
    browser.see('.condition [data-part="field"]').send_keys("seats")
    browser.choose(browser.find('[data-part="op"]'), "GREATER_THAN_OR_EQUAL")
    browser.choose(browser.find('.condition [data-part="kind"]'), "integer")
    browser.find('.condition [data-part="value"]').send_keys("12", Keys.ENTER)
    plan = browser.see('[data-part="plan"]', "Examined").text
    assert "Plan" in plan and re.search(r"Time\s+\S+ (µs|ms|s)", plan), plan
    browser.until(lambda: rows(browser) == 3, "three rooms have so many seats")
    browser.fill(browser.find('[data-part="limit"]'), "2")
    browser.click('[data-action="run"]')
    browser.until(lambda: rows(browser) == 2, "two rooms of three")
    browser.click("button", "Next")
    browser.until(lambda: rows(browser) == 1 and browser.find('tr[data-path="rooms/hall"]'), "the third room is on the next page")


def comparison(stage):
    """Cache and backend are compared document by document."""
    browser, site = stage.browser, stage.site
    for name in ("same", "changed", "gone"):
        site.do("set", f"compared/{name}", "n=1", "same=true", "--until", "committed")
    stage.write_elsewhere("compared/elsewhere", {"n": {"integerValue": "2"}})
    stage.write_elsewhere("compared/changed", {"n": {"integerValue": "3"}, "same": {"booleanValue": True}})
    stage.delete_elsewhere("compared/gone")
    browser.go(stage.data("compared", view="query"))
    browser.click('[data-action="compare"]')
    browser.see('[data-part="comparison"]', "Equal")
    browser.see('tr[data-path="compared/elsewhere"][data-kind="onlyInBackend"]')
    browser.see('tr[data-path="compared/gone"][data-kind="onlyInCache"]')
    changed = browser.see('tr[data-path="compared/changed"][data-kind="different"]')
    sides = [changed.find_element("css selector", f'[data-label="{side}"]').text for side in ("Cache", "Backend")]
    assert "n 1" in sides[0] and "n 3" in sides[1], sides
    assert "same" not in "".join(sides), f"a field that is equal is shown: {sides}"
    assert rows(browser) == 3, rows(browser)


CHECKS = [values, browsing, backend_tree, administrators_tree, keys_of_the_backend, keyboard, every_type, editing, hostile,
          two_pages, thousand, query, comparison]
