"""What is checked of queue, dead letters and the Realtime Database."""

import re
from urllib.parse import quote

from selenium.webdriver.common.keys import Keys

from consoling import DB, INSTANCE, Listening

# Of the very first page, with which the browser itself still begins, and of the best of some later ones.
FIRST_PAINT_MILLISECONDS_MAX = 1_000
PAINT_MILLISECONDS_MAX = 300


def overview(stage):
    """The overview shows both databases, live figures and graphs."""
    browser = stage.browser
    browser.see(f'section[data-db="{DB}"] h2', DB)
    browser.see(f'section[data-db="{INSTANCE}"]')
    browser.see(f'section[data-db="{DB}"] [data-state]')
    assert len(browser.driver.find_elements("css selector", ".graph svg")) == 5
    browser.until(lambda: browser.run("return document.querySelectorAll('.graph path').length") > 0, "a line in a graph")
    fact = ("return [...document.querySelectorAll('section[data-db] .fact')]"
            ".find((e) => e.innerText.startsWith('Listeners')).querySelector('dd').innerText")
    before = int(browser.run(fact))
    with Listening(stage.site, "rooms"):
        browser.until(lambda: int(browser.run(fact)) > before, "a new listener is counted")
    browser.until(lambda: int(browser.run(fact)) == before, "a listener that went is counted")
    assert stage.first_paint < FIRST_PAINT_MILLISECONDS_MAX, f"first paint after {stage.first_paint:.0f} ms"
    paints = []
    for _ in range(5):
        browser.open("about:blank")
        browser.open(stage.address + "/")
        browser.see(".facts")
        paints.append(stage.paint())
    assert min(paints) < PAINT_MILLISECONDS_MAX, f"painted after {[round(paint) for paint in paints]} ms"


def queue(stage):
    """Waiting batches are held, edited, released and cancelled, each after a look at what follows."""
    browser, site = stage.browser, stage.site
    site.do("network", "off")
    try:
        for number in range(3):
            site.do("set", f"waiting/w{number}", f"n={number}")
        browser.go("#/queue?db=" + quote(DB, safe=""))
        browser.until(lambda: len(batches(browser)) == 3, "three batches wait")
        first = browser.find("tr[data-batch]", "waiting/w0")
        batch = first.get_attribute("data-batch")
        browser.click(f'tr[data-batch="{batch}"] [data-action="hold"]')
        browser.see("dialog .consequences li")
        browser.see("dialog li[data-batch]", "waiting/w0")
        browser.press(Keys.ENTER)
        browser.see(f'tr[data-batch="{batch}"] [data-state="held"]')
        browser.click(f'tr[data-batch="{batch}"] [data-action="edit"]')
        browser.fill(browser.see('dialog [data-field="n"] [data-part="value"]'), "77")
        browser.click('dialog [data-action="confirm"]')
        browser.gone("dialog[open]")
        cancelled = browser.find("tr[data-batch]", "waiting/w2").get_attribute("data-batch")
        browser.click(f'tr[data-batch="{cancelled}"] [data-action="choose"]')
        browser.click('[data-bulk="cancel"]', "chosen")
        browser.click('dialog [data-action="confirm"]')
        browser.gone(f'tr[data-batch="{cancelled}"]')
        browser.click('[data-bulk="release"]', "all")
        browser.click('dialog [data-action="confirm"]')
        browser.gone(".chip[data-state='held']")
        browser.click(".tabs a", "Overview")
        browser.see(".note.warn", "An administrator keeps the daemon from the backend")
        oldest = ("return [...document.querySelectorAll(arguments[0] + ' .fact')].find((e) => e.innerText.startsWith('Oldest'))"
                  ".querySelector('dd').innerText")
        age = browser.run(oldest, f'section[data-db="{DB}"]')
        assert re.fullmatch(r"\d+ (s|min)", age), f"the oldest batch is {age} old"
        browser.click('[data-action="connect"]')
        browser.gone('[data-action="connect"]')
        browser.click(".tabs a", "Queue")
    finally:
        site.do("network", "on")
    browser.until(lambda: stage.backend_document("waiting/w0") == {"n": {"integerValue": "77"}}, "the backend has what was edited")
    browser.see(".note-box", "Nothing waits")
    assert stage.backend_document("waiting/w2") is None
    browser.click(".tabs a", "Dead letters")
    browser.see(f'tr[data-batch="{cancelled}"]', "CANCELLED")
    browser.click(f'tr[data-batch="{cancelled}"] [data-action="dropDeadLetters"]')
    browser.click('dialog [data-action="confirm"]')
    browser.gone(f'tr[data-batch="{cancelled}"]')


def waiting(stage):
    """Waiting batches are told with who, what, when and why, and steered by what they wait for."""
    browser, site = stage.browser, stage.site
    site.do("network", "off")
    try:
        for number in range(3):
            site.do("set", f"grouped/g{number}", f"n={number}")
        browser.go("#/queue?db=" + quote(DB, safe=""))
        cause = 'nav[aria-label="Causes"] a[data-cause="{}"]'.format
        browser.see(cause("networkOff"), "3")
        first, second, third = (browser.find("tr[data-batch]", f"grouped/g{number}").get_attribute("data-batch") for number in range(3))
        row = browser.find(f'tr[data-batch="{first}"]').text
        assert re.search(r"\S+ \([^,()]+, \d+\)", row), f"nobody is named: {row}"
        assert re.search(r"\d+ (s|min) ago", row), f"no time is told: {row}"
        assert "An administrator keeps the daemon from the backend" in row, f"no reason is told: {row}"
        browser.click(f'tr[data-batch="{second}"] [data-action="hold"]')
        browser.click('dialog [data-action="confirm"]')
        browser.see(f'tr[data-batch="{third}"]', f"behind #{second}")
        browser.click(cause("behindHeld"))
        browser.until(lambda: batches(browser) == {third}, "what waits behind the held batch")
        browser.click('[data-bulk="cancel"]', "behind a held batch")
        browser.see("dialog .consequences li", "1 batch")
        browser.click('dialog [data-action="confirm"]')
        browser.see(".note-box", "Nothing waits for this")
        browser.click(cause("held"))
        browser.until(lambda: batches(browser) == {second}, "the held batch")
        browser.click('[data-bulk="release"]', "all: held")
        browser.click('dialog [data-action="confirm"]')
        browser.click(cause(""))
        browser.until(lambda: batches(browser) == {first, second}, "what is left")
        browser.gone(".chip[data-state='held']")
    finally:
        site.do("network", "on")
    for number in range(2):
        expected = {"n": {"integerValue": str(number)}}
        browser.until(lambda: stage.backend_document(f"grouped/g{number}") == expected, "the backend has the others")  # noqa: B023
    assert stage.backend_document("grouped/g2") is None
    site.do("dead-letters", "drop", "--all", "--yes")


def letters(stage):
    """Dead letters are shown by cause, edited and sent again, retried and dropped by cause."""
    browser, site = stage.browser, stage.site
    for number in range(3):
        site.call("set", f"secrets/s{number}", f"n={number}", "--until", "committed")
    section = f'section[data-db="{DB}"]'
    browser.see(f"{section} tbody th", "PERMISSION_DENIED")
    browser.click(f"{section} tbody a", "Show")
    browser.see("nav[aria-label='Causes'] a[aria-current]", "PERMISSION_DENIED")
    browser.click(".tabs a", "Dead letters")
    browser.until(lambda: len(batches(browser)) == 3, "three dead letters")
    browser.click("nav[aria-label='Causes'] a", "PERMISSION_DENIED")
    browser.see("nav[aria-label='Causes'] a[aria-current]", "PERMISSION_DENIED")
    letter = browser.find("tr[data-batch]", "secrets/s0").get_attribute("data-batch")
    browser.click(f'tr[data-batch="{letter}"] [data-action="edit"]')
    browser.fill(browser.see('dialog [data-field="n"] [data-part="value"]'), "55")
    browser.click('dialog [data-action="confirm"]')
    browser.until(lambda: letter not in batches(browser) and len(batches(browser)) == 3, "it was rejected again")
    old = batches(browser)
    browser.click('[data-bulk="retryDeadLetters"]', "all of PERMISSION_DENIED")
    browser.see("dialog .consequences li", "3")
    browser.click('dialog [data-action="confirm"]')
    browser.gone("dialog[open]")
    browser.until(
        lambda: len(batches(browser)) == 3 and not old & batches(browser), "all were rejected again, under new numbers")
    browser.click('[data-bulk="dropDeadLetters"]', "all of PERMISSION_DENIED")
    browser.see("dialog li[data-batch]", "secrets/s0")
    browser.press(Keys.ESCAPE)
    browser.gone("dialog[open]")
    assert len(batches(browser)) == 3, "Escape leaves everything as it was"
    browser.click('[data-bulk="dropDeadLetters"]', "all of PERMISSION_DENIED")
    browser.click('dialog [data-action="confirm"]')
    browser.see(".note-box", "PERMISSION_DENIED")


def keyboard(stage):
    """Queue, dead letters, programs and graphs are used by keyboard alone."""
    browser, site = stage.browser, stage.site
    site.do("network", "off")
    try:
        for number in range(2):
            site.do("set", f"typed/t{number}", f"n={number}")
        enter_section(browser, "queue")
        browser.until(lambda: len(batches(browser)) == 2, "two batches wait")
        held, cancelled = (browser.find("tr[data-batch]", f"typed/t{number}").get_attribute("data-batch") for number in range(2))
        order(browser, f'tr[data-batch="{held}"] [data-action="hold"]')
        browser.see(f'tr[data-batch="{held}"] [data-state="held"]')
        order(browser, f'tr[data-batch="{held}"] [data-action="release"]')
        browser.gone(f'tr[data-batch="{held}"] [data-state="held"]')
        browser.tab_to(f'tr[data-batch="{cancelled}"] [data-action="choose"]')
        browser.press(Keys.SPACE)
        browser.run("document.querySelector('.brand').focus()")
        order(browser, '[data-bulk="cancel"]')
        browser.gone(f'tr[data-batch="{cancelled}"]')
        enter_section(browser, "dead-letters")
        browser.see(f'tr[data-batch="{cancelled}"]', "CANCELLED")
        browser.tab_to('nav[aria-label="Causes"] a')
        browser.press(Keys.ENTER)
        order(browser, f'tr[data-batch="{cancelled}"] [data-action="dropDeadLetters"]')
        browser.gone(f'tr[data-batch="{cancelled}"]')
    finally:
        site.do("network", "on")
    enter_section(browser, "overview")
    browser.until(lambda: browser.run("return document.querySelectorAll('.graph path').length") > 0, "a line in a graph")
    browser.tab_to(".graph svg")
    browser.press(Keys.ARROW_LEFT)
    moment = "return document.querySelector('.graph svg').getAttribute('aria-label').match(/\\d\\d:\\d\\d:\\d\\d/)?.[0]"
    read = browser.until(lambda: browser.run(moment), "the arrow keys read a graph")
    count = "return document.querySelector('.graph path').getAttribute('d')"
    drawn = browser.run(count)
    browser.until(lambda: browser.run(count) != drawn, "the graph goes on")
    assert browser.run(moment) == read, "the moment that is read stays while the graph goes on"
    with Listening(site, "rooms") as listening:
        enter_section(browser, "programs")
        row = f'tr[data-pid="{listening.process.pid}"]'
        browser.see(f"{row} summary")
        browser.tab_to(f"{row} summary")
        browser.press(Keys.ENTER)
        browser.see(f"{row} details li", "rooms")


def enter_section(browser, name):
    browser.run("document.querySelector('.brand').focus()")
    browser.tab_to(f'.tabs a[href="#/{name}"]')
    browser.press(Keys.ENTER)


def order(browser, selector):
    """Gives an order by keyboard, after a look at what follows."""
    browser.tab_to(selector)
    browser.press(Keys.ENTER)
    browser.see("dialog .consequences li")
    browser.tab_to('dialog [data-action="confirm"]')
    browser.press(Keys.ENTER)
    browser.gone("dialog[open]")


def batches(browser):
    """The numbers of the batches on the page."""
    return set(browser.run("return [...document.querySelectorAll('tr[data-batch]')].map((row) => row.dataset.batch)"))


def realtime(stage):
    """Nodes of the Realtime Database are browsed, added, changed and deleted, live."""
    browser, site = stage.browser, stage.site
    browser.go(f"#/data?db={quote(INSTANCE, safe='')}&path=/rooms")
    browser.click('tr[data-child="hall"] a')
    browser.see('tr[data-child="seats"] .value', "40")
    site.do("rtdb", "set", "/rooms/hall/seats", "41")
    browser.see('tr[data-child="seats"] .value', "41")
    browser.click('tr[data-child="seats"] [data-action="edit"]')
    browser.fill(browser.see('dialog [data-part="value"]'), "9007199254740993")
    browser.click('dialog [data-action="confirm"]')
    browser.see('tr[data-child="seats"] .value', "9007199254740993")
    browser.click('button[data-action="add"]')
    browser.see('dialog [data-part="key"]').send_keys("colour")
    browser.find('dialog [data-part="value"]').send_keys("red")
    browser.click('dialog [data-action="confirm"]')
    browser.see('tr[data-child="colour"] .value', '"red"')
    browser.click('tr[data-child="colour"] [data-action="delete"]')
    browser.click('dialog [data-action="confirm"]')
    browser.gone('tr[data-child="colour"]')


CHECKS = [overview, queue, waiting, letters, keyboard, realtime]
