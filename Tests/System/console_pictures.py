"""Pictures of every section of the console: light and dark, wide and narrow."""

import os
from urllib.parse import quote

from console_emulator_checks import emulated
from consoling import DB, INSTANCE, Listening

MODES = [("light", 1280, False), ("dark", 1280, True), ("light", 400, False), ("dark", 400, True)]

# What must have come before a section is whole.
SHOWN = {
    "overview": "section[data-db] table", "collection": "tr[data-path]", "document": "main dl.row > :nth-child(4)",
    "query": '[data-part="plan"]', "queue": "tr[data-batch]", "dead-letters": 'nav[aria-label="Causes"]',
    "realtime": "tr[data-child]", "programs": "tr[data-pid]", "requests": '[data-verdict="denied"]', "rules": '[data-verdict="denied"]',
    "tree-rules": '[data-verdict="denied"]', "emulator-collection": "tr[data-path]", "emulator-document": "li[data-field]",
    "emulator-node": "tr[data-child]",
}


def take_pictures(stage, folder):
    """Writes `SECTION-WIDTH-light.png` and so on into a folder, of a daemon with something to show."""
    os.makedirs(folder, exist_ok=True)
    stage.begin()
    site = stage.site
    for number in range(2):
        site.call("set", f"secrets/s{number}", f"n={number}", "--until", "committed")
    site.do("network", "off")
    try:
        site.do("update", "rooms/hall", "seats=41")
        site.do("set", "rooms/attic", 'name="Attic"', "seats=6", "heated=false")
        with Listening(site, "rooms"), Listening(site, "sensors"):
            stage.browser.see("#state", "network off")
            for name, address in places(stage):
                picture(stage, folder, name, address)
    finally:
        site.do("network", "on")
    pictures_of_emulator(stage, folder)


def pictures_of_emulator(stage, folder):
    watched = emulated(stage)
    for path in ("rooms/hall", "rooms/attic"):
        watched.write(path, {"seats": {"integerValue": "41"}}, "ann")
        watched.write(path, {"seats": {"integerValue": "42"}}, "bob")
    rules = {"rules": {"rooms": {".read": "auth != null && auth.uid == 'ann'"}}}
    watched.call("PUT", "/.settings/rules.json?ns=demo-default-rtdb", rules, "owner")
    for who in ("ann", None):
        watched.call("GET", "/rooms.json?ns=demo-default-rtdb", None, who)
    picture(stage, folder, "requests", "#/requests")
    picture(stage, folder, "emulator-collection", watched.data("rooms"))
    picture(stage, folder, "emulator-document", watched.data("rooms/hall"))
    picture(stage, folder, "emulator-node", "#/data?db=demo-default-rtdb&path=/rooms/hall")
    for name, address in (("rules", watched.rules(method="get", path="secrets/one", uid="bob")),
                          ("tree-rules", watched.tree_rules(method="read", path="/rooms", uid="bob"))):
        stage.browser.go(address)
        stage.browser.click('button[data-action="try"]')
        picture(stage, folder, name, address)


def places(stage):
    db = quote(DB, safe="")
    return [
        ("overview", "#/overview"), ("collection", stage.data("rooms")), ("document", stage.data("types/every")),
        ("query", stage.data("rooms", view="query")), ("realtime", f"#/data?db={quote(INSTANCE, safe='')}&path=/rooms/hall"),
        ("queue", f"#/queue?db={db}"), ("dead-letters", f"#/dead-letters?db={db}"), ("programs", "#/programs"),
    ]


def picture(stage, folder, name, address):
    browser = stage.browser
    browser.go(address)
    browser.until(lambda: not browser.run("return document.querySelector('main [aria-busy]')"), f"{name} is loaded")
    if name == "query":
        browser.click('[data-action="run"]')
    browser.see(SHOWN.get(name, "main"))
    for mode, width, dark in MODES:
        browser.resize(width, dark=dark)
        browser.run("window.scrollTo(0, 0); document.activeElement.blur()")
        browser.screenshot(os.path.join(folder, f"{name}-{width}-{mode}.png"))
    browser.resize(1280)
