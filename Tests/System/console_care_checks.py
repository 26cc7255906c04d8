"""What is checked of the page as a whole: access for all, its own origin, losses, and a user of few rights."""

import os
import re
import signal
import time
from urllib.parse import quote

from console_data_checks import many
from consoling import DB, GUEST, INSTANCE, Listening

# What the whole page may weigh, uncompressed.
PAGE_BYTES_MAX = 300_000
# How long is measured what an idle daemon with an open page uses, how often at most, and the share of a processor that
# cannot be told from nothing.
# A debug build on a slow machine takes some 1 %.
IDLE_SECONDS, IDLE_TRIES, IDLE_SHARE_MAX = 5, 4, 0.02
SECTIONS = ["overview", "data", "queue", "dead-letters", "programs"]


def accessible(stage):
    """Axe finds nothing to mend in any section, light and dark, wide and narrow; nothing is wider than the window."""
    browser = stage.browser
    places = [f"#/{section}" for section in SECTIONS] + [
        stage.data("rooms"), stage.data("rooms/hall"), stage.data("rooms", view="query"),
            f"#/data?db={quote(INSTANCE, safe='')}&path=/rooms", f"#/data?db={quote(INSTANCE, safe='')}&path=/rooms&view=keys"]
    with Listening(stage.site, "rooms"):
        for width, dark in ((1280, False), (400, True)):
            browser.resize(width, dark=dark)
            for place in places:
                browser.go(place)
                browser.until(lambda: not browser.run("return document.querySelector('main [aria-busy]')"), f"{place} is loaded")
                check_axe(stage, f"{place} at {width}")
                assert browser.run("return document.documentElement.scrollWidth") <= width, f"{place} is wider than {width}"
    browser.go(stage.data("rooms/hall"))
    browser.click('button[data-action="edit"]')
    browser.see("dialog[open]")
    check_axe(stage, "the dialog")


def check_axe(stage, place):
    browser = stage.browser
    if not browser.run("return Boolean(window.axe)"):
        browser.run(stage.axe + "; window.axe = axe;")
    found = browser.run_async("return (await axe.run(document, { resultTypes: ['violations'] })).violations"
                              ".map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary}`);")
    assert not found, f"{place}: {found}"


def motion(stage):
    """Who wants no motion gets none."""
    browser = stage.browser
    browser.resize(1280, reduced_motion=True)
    browser.go(stage.data("rooms"))
    row = browser.see('tr[data-path="rooms/hall"]')
    browser.run("arguments[0].classList.add('flash')", row)
    assert browser.run("return getComputedStyle(arguments[0]).animationName", row) == "none"


def files(stage):
    """The page's files are small, and none makes markup of text or names another host."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/Flame/HearthConsole/Page")
    sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
    assert sizes and sum(sizes.values()) < PAGE_BYTES_MAX, f"{sum(sizes.values())} bytes in {len(sizes)} files"
    for name in sizes:
        if name.endswith(".ico"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        found = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write\(|\beval\(|new Function|https?://[a-z0-9.]+", text)
        strange = [word for word in found if word not in ("http://www.w3.org", "https://")]
        assert not strange, f"{name} has {strange}"


def own_origin(stage):
    """No page has asked anybody but its own console, and none has complained."""
    browser = stage.browser
    browser.read_logs()
    strange = {url for url in browser.requests
               if not any(url.startswith(own + "/") for own in stage.own) and not re.match(r"(file|data|about|blob|chrome):", url)}
    assert not strange, f"requests to others: {sorted(strange)[:5]}"
    assert any(url.startswith(stage.address + "/api/") for url in browser.requests), "no request was seen at all"
    wrong = [text for level, text in browser.complaints if level in ("SEVERE", "WARNING")]
    assert not wrong, f"{len(wrong)} complaints: {wrong[:3]}"


def guest(stage):
    """A user of few rights sees what is his, and is told of the rest."""
    if os.geteuid() != 0:
        return
    browser, site = stage.browser, stage.site
    entry, address = site.console("guest", user=GUEST)
    stage.own.append(address)
    browser.open(entry)
    browser.see("#who", GUEST)
    browser.go(stage.data("public"))
    browser.see('tr[data-path="public/notice"]', "Welcome")
    browser.go(stage.data("rooms"))
    browser.see(".note-box.bad", "may not")
    assert "Hall" not in browser.driver.page_source
    browser.go("#/queue?db=" + quote(DB, safe=""))
    browser.see("main .note-box")
    browser.go(stage.data("public/notice"))
    browser.see('li[data-field="text"]')
    browser.click('button[data-action="edit"]')
    browser.fill(browser.see('dialog [data-field="text"] [data-part="value"]'), "Hello")
    browser.click('dialog [data-action="confirm"]')
    browser.until(lambda: stage.backend_document("public/notice") == {"text": {"stringValue": "Hello"}}, "what he may write is written")
    browser.open("about:blank")
    stage.forgive("status of 403")  # Chromium notes each answer above 399; here they are what is checked.
    site.stop("guest")


def backend_lost(stage):
    """A lost backend is told, what is written meanwhile is marked with its writer, and all is sent once it is back."""
    browser, site = stage.browser, stage.site
    with Listening(site, "rooms"):
        site.stop("emulator", signal.SIGKILL)
        try:
            browser.see("#banner", "The backend does not answer")
            browser.see("#state", "offline")
            browser.see("main", "Last error")
            browser.see("[data-next]")
            browser.until(lambda: re.match(r"next attempt in \d+ s|being tried", browser.find("[data-next]").text), "the next attempt")
            browser.click('main [data-action="retry"]')
            browser.see("#toasts", "The backend is being tried")
            browser.go(stage.data("rooms"))
            site.do("update", "rooms/library", "seats=13")
            browser.go("#/queue?db=" + quote(DB, safe=""))
            browser.see("tr[data-batch]", "The backend does not answer")
            browser.gone("#toasts .toast")
            browser.click('[data-bulk="retry"]')
            browser.see("#toasts", "The backend is being tried")
            browser.go(stage.data("rooms"))
            browser.see('tr[data-path="rooms/library"].pending', "pending")
            browser.until(lambda: "by " in browser.find('tr[data-path="rooms/library"]').text, "who wrote it is told")
            browser.click('tr[data-path="rooms/library"] a')
            browser.see(".note.warn", "Waiting to be sent")
        finally:
            site.start_backend()
        site.do("queue", "retry")
        browser.gone("#banner")
        browser.gone(".note.warn", "Waiting to be sent")
    browser.until(lambda: stage.backend_document("rooms/library")["seats"] == {"integerValue": "13"}, "the backend has it")


def daemon_lost(stage):
    """A lost daemon is told, and the page goes on by itself once it is back."""
    browser, site = stage.browser, stage.site
    browser.go(stage.data("rooms"))
    browser.see('tr[data-path="rooms/hall"]')
    site.stop("daemon")
    try:
        browser.see("#banner", "The daemon does not answer")
    finally:
        site.start_daemon()
    browser.gone("#banner")
    stage.forgive("status of 503")
    site.do("set", "rooms/after", "seats=2", "--until", "committed")
    browser.see('tr[data-path="rooms/after"]')
    site.do("delete", "rooms/after", "--until", "committed")
    browser.gone('tr[data-path="rooms/after"]')


def idle(stage):
    """A page that is open while nothing happens costs next to nothing: the daemon, and the console."""
    stage.browser.see(".facts")
    pids = [stage.site.processes[name].pid for name in ("daemon", "console")]
    for _ in range(IDLE_TRIES):  # What an earlier check has left to do may take a moment.
        before = [processor_seconds(pid) for pid in pids]
        time.sleep(IDLE_SECONDS)
        shares = [(processor_seconds(pid) - then) / IDLE_SECONDS for pid, then in zip(pids, before)]
        if max(shares) < IDLE_SHARE_MAX:
            return
    raise AssertionError(f"daemon {shares[0]:.1%} and console {shares[1]:.1%} of a processor")


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def console_lost(stage):
    """A console that ends is told."""
    browser, site = stage.browser, stage.site
    entry, address = site.console("other")
    stage.own.append(address)
    browser.open(entry)
    browser.see(".facts")
    site.stop("other")
    browser.see("#banner", "The console does not answer")
    stage.forgive("ERR_")


CHECKS = [files, accessible, motion, guest, backend_lost, daemon_lost, idle, many, console_lost, own_origin]
