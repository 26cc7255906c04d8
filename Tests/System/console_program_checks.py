"""What is checked of programs: what they read, what the cache saves them, their budgets, and who may see that."""

import json
import os

from consoling import GUEST, Listening
from selenium.webdriver.common.keys import Keys

PANEL = '[data-panel="reads"]'


def programs(stage):
    """Programs are shown with their listeners, writes and bytes while they last."""
    browser = stage.browser
    with Listening(stage.site, "rooms") as listening:
        browser.click(".tabs a", "Programs")
        row = f'tr[data-pid="{listening.process.pid}"]'
        browser.see(row)
        browser.click(f"{row} summary")
        browser.see(f"{row} details li", "rooms")
        browser.until(lambda: browser.run("return document.querySelector(arguments[0]).open", f"{row} details"), "the list stays open")
        browser.see(f'{row} [data-label="Writes"]', "0")
        browser.see(f'{row} [data-label="Bytes"]', " out")
    browser.gone(row)


def told(site, *words):
    """The rows of `hearth ledger`, by their program or query."""
    lines = site.do("ledger", "--json", *words).splitlines()
    rows = [json.loads(line) for line in lines]
    return {row.get("program", row.get("query", row.get("day"))): row for row in rows}


def shown(browser):
    """The numbers of each row of the page's ledger: reads, alone, and saved."""
    return {name: [int(text.split(" ")[0].replace(",", "")) for text in texts] for name, texts in browser.run(
        "return [...document.querySelectorAll('tr[data-reads]')].map((row) => [row.dataset.reads,"
        " ['Reads', 'Alone', 'Saved'].map((label) => row.querySelector(`[data-label=${label}]`).textContent)])")}


def agrees(stage, *words):
    """Waits until the page's rows are those of `hearth ledger`."""
    def is_so():
        rows, page = told(stage.site, *words), shown(stage.browser)
        return rows and {name: [row["reads"], row["aloneReads"], row["savedReads"]] for name, row in rows.items()} == page
    stage.browser.until(is_so, f"the page and hearth ledger {' '.join(words)} agree")


def reads(stage):
    """Each program is shown with what it read, what that would have cost alone, and what the cache saved."""
    browser, site = stage.browser, stage.site
    browser.click(".tabs a", "Programs")
    with Listening(site, "rooms") as first, Listening(site, "rooms") as second:
        for listening in (first, second):
            browser.see(f'tr[data-pid="{listening.process.pid}"] summary', "1")
        browser.until(lambda: told(site)["hearth"]["savedReads"] > 0, "two equal listeners save reads")
        agrees(stage)
        browser.see(f"{PANEL} .panel-foot", "saved since")
        # By mouse the queries, by keyboard the listeners and the days.
        browser.click(f"{PANEL} label", "By query")
        browser.see('tr[data-reads="rooms"]')
        agrees(stage, "--by", "query")
        browser.tab_to(f"{PANEL} input[type=radio]:checked")
        browser.press(Keys.ARROW_RIGHT)
        browser.see(f"{PANEL} caption + thead th", "Listener")
        browser.until(lambda: len(browser.driver.find_elements("css selector", "tr[data-reads]")) >= 2, "both listeners have a row")
        browser.press(Keys.ARROW_RIGHT)
        agrees(stage, "--by", "day")
        browser.click(f"{PANEL} label", "30 days")
        agrees(stage, "--by", "day", "--since", "720h")


def budget(stage):
    """A budget that is used up is shown with its program, and whose it is."""
    browser, site = stage.browser, stage.site
    site.do("get", "rooms/hall", "--source", "server")
    folder = os.path.join(site.folder, "conf.d")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "budget.toml")
    with open(path, "w") as file:
        file.write('[ledger]\nreadBudget = 1000000\nuidReadBudget = 1\nonBudget = "stop"\n')
    try:
        site.do("reload", "--wait")
        browser.click(".tabs a", "Programs")
        row = 'tr[data-reads="hearth"]'
        browser.see(f"{row} .chip.bad", "stopped, its user's")
        browser.see(f"{row} [data-label=Budget]", "of 1")
        browser.see(f"{PANEL} .panel-foot", "1 a user, then stop")
        assert site.call("get", "rooms/hall", "--source", "server").returncode != 0, "the budget holds"
    finally:
        os.remove(path)
        site.do("reload", "--wait")
    browser.see(f'{PANEL} tr[data-reads="hearth"] [data-label=Budget]', "none")
    site.do("get", "rooms/hall", "--source", "server")


def own_programs(stage):
    """A user without rights sees his own programs and their reads, and nobody else's."""
    if os.geteuid() != 0:
        return
    browser, site = stage.browser, stage.site
    entry, address = site.console("reader", user=GUEST)
    stage.own.append(address)
    with Listening(site, "rooms"):
        browser.open(entry)
        browser.see("#who", GUEST)
        browser.go(stage.data("public"))
        browser.see('tr[data-path="public/notice"]', "Welcome")
        browser.click(".tabs a", "Programs")
        browser.see('tr[data-reads="hearth console"]')
        browser.see("tr[data-pid]", GUEST)
        owners = browser.run("return [...document.querySelectorAll('tr[data-reads] th .quiet, tr[data-pid] [data-label=User]')]"
                             ".map((cell) => cell.textContent)")
        assert owners and all(owner.endswith(GUEST) for owner in owners), f"others are shown: {owners}"
        assert 'data-reads="hearth"' not in browser.driver.page_source, "another user's program is shown"
    browser.open("about:blank")
    stage.forgive("status of 403")
    site.stop("reader")


CHECKS = [programs, reads, budget, own_programs]
