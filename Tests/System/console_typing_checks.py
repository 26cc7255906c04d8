"""What is done by keyboard alone, from the head of the page to what the backend has: documents, queries, nodes and batches."""

from urllib.parse import quote

from selenium.webdriver.common.keys import Keys

from console_order_checks import batches, enter_section, order
from console_stage import rows
from consoling import INSTANCE

VALUE = '[data-part="value"]'


def confirm(browser):
    """Agrees to the dialog that is open."""
    browser.tab_to('dialog [data-action="confirm"]')
    browser.press(Keys.ENTER)
    browser.gone("dialog[open]")


def enter(browser, selector):
    """Goes to an element from the head of the page, and presses Enter there."""
    browser.reach(selector)
    browser.press(Keys.ENTER)


def go_to(browser, path):
    """Goes to a path by the field above the tree."""
    enter_section(browser, "data")
    browser.see('.tree [role="treeitem"] .line', "rooms")
    browser.tab_to('input[name="path"]')
    browser.retype(path)
    browser.press(Keys.ENTER)


def documents(stage):
    """A document is made, edited and deleted by keyboard alone."""
    browser = stage.browser
    go_to(browser, "typing")
    browser.see('button[data-action="add"]')
    enter(browser, 'button[data-action="add"]')
    browser.see("dialog[open]")
    browser.tab_to('dialog [data-part="id"]')
    browser.retype("one")
    browser.tab_to('dialog [data-action="add-field"]')
    browser.press(Keys.ENTER)
    browser.focused('dialog [data-part="name"]')
    browser.press("text")
    browser.tab_to(f"dialog {VALUE}")
    browser.press("by keyboard")
    confirm(browser)
    browser.see('li[data-field="text"] .value', "by keyboard")
    expected = {"text": {"stringValue": "by keyboard"}}
    browser.until(lambda: stage.backend_document("typing/one") == expected, "the backend has the document")
    enter(browser, 'button[data-action="edit"]')
    browser.see(f'dialog [data-field="text"] {VALUE}')
    browser.tab_to(f'dialog [data-field="text"] {VALUE}')
    browser.retype("again")
    confirm(browser)
    browser.see('li[data-field="text"] .value', "again")
    enter(browser, 'button[data-action="delete"]')
    browser.focused('dialog [data-action="leave"]')
    confirm(browser)
    browser.until(lambda: stage.backend_document("typing/one") is None, "the backend has deleted the document")


def queries(stage):
    """A query is asked, and cache and backend are compared, by keyboard alone."""
    browser = stage.browser
    go_to(browser, "rooms")
    browser.see('tr[data-path="rooms/hall"]')
    enter(browser, 'section[aria-label="Collection"] a[href*="view=query"]')
    browser.see('[data-action="run"]')
    enter(browser, '[data-action="add-condition"]')
    browser.focused('.condition [data-part="field"]')
    browser.press("name")
    browser.tab_to(f".condition {VALUE}")
    browser.press("Hall", Keys.ENTER)
    browser.see('[data-part="plan"]', "Examined")
    browser.until(lambda: rows(browser) == 1 and browser.find('tr[data-path="rooms/hall"]'), "one room has the name")
    enter(browser, '[data-action="compare"]')
    browser.see('[data-part="comparison"]', "Equal")


def names(stage):
    """The tree has the backend's names, and the cache's again, by keyboard alone."""
    browser = stage.browser
    enter_section(browser, "data")
    browser.see('.tree [role="treeitem"] .line', "rooms")
    browser.reach(".browser nav .segments input")
    browser.press(Keys.ARROW_RIGHT)
    browser.see(".browser nav p", "without values")
    browser.see(".tree", "require admin authentication")
    browser.press(Keys.ARROW_LEFT)
    browser.gone(".browser nav p", "without values")
    browser.see('.tree [role="treeitem"] .line', "rooms")
    stage.forgive("status of 403")  # This daemon may not list Firestore's collections.


def nodes(stage):
    """Nodes are added, changed, deleted and listed by key by keyboard alone."""
    browser = stage.browser
    browser.go(f"#/data?db={quote(INSTANCE, safe='')}&path=/rooms/hall")
    browser.see('tr[data-child="name"]')
    enter(browser, 'button[data-action="add"]')
    browser.focused('dialog [data-part="key"]')
    browser.press("shade")
    browser.tab_to(f"dialog {VALUE}")
    browser.press("blue")
    confirm(browser)
    row = 'tr[data-child="shade"]'
    browser.see(f"{row} .value", '"blue"')
    enter(browser, f'{row} [data-action="edit"]')
    browser.see(f"dialog {VALUE}")
    browser.tab_to(f"dialog {VALUE}")
    browser.retype("green")
    confirm(browser)
    browser.see(f"{row} .value", '"green"')
    enter(browser, f'{row} [data-action="delete"]')
    browser.focused('dialog [data-action="leave"]')
    confirm(browser)
    browser.gone(row)
    enter(browser, 'a[data-action="keys"]')
    browser.see('tr[data-key="seats"]')
    enter(browser, 'a[data-action="values"]')
    browser.see('tr[data-child="seats"]')


def orders(stage):
    """A dead letter is sent again, a waiting batch edited, and the backend let in again, by keyboard alone."""
    browser, site = stage.browser, stage.site
    site.do("network", "off")
    try:
        site.do("set", "typed/once", "n=1")
        enter_section(browser, "queue")
        browser.until(lambda: len(batches(browser)) == 1, "one batch waits")
        (first,) = batches(browser)
        order(browser, f'tr[data-batch="{first}"] [data-action="cancel"]')
        enter_section(browser, "dead-letters")
        browser.see(f'tr[data-batch="{first}"]', "CANCELLED")
        order(browser, f'tr[data-batch="{first}"] [data-action="retryDeadLetters"]')
        browser.gone(f'tr[data-batch="{first}"]')
        enter_section(browser, "queue")
        browser.until(lambda: len(batches(browser)) == 1, "the letter waits under another number")
        (again,) = batches(browser)
        enter(browser, f'tr[data-batch="{again}"] [data-action="edit"]')
        browser.see(f'dialog [data-field="n"] {VALUE}')
        browser.tab_to(f'dialog [data-field="n"] {VALUE}')
        browser.retype("2")
        confirm(browser)
        enter_section(browser, "overview")
        browser.see('[data-action="connect"]')
        browser.tab_to('[data-action="connect"]')
        browser.press(Keys.ENTER)
        browser.gone('[data-action="connect"]')
    finally:
        site.do("network", "on")
    browser.until(lambda: stage.backend_document("typed/once") == {"n": {"integerValue": "2"}}, "the backend has what was edited")


CHECKS = [documents, queries, names, nodes, orders]
