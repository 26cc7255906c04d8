// A tree that is walked by arrow keys, as ARIA's pattern has it: one stop of the tab key, and the rest by arrows.

import { make, replace } from "./dom.js";

/** A tree of items that are loaded when they are opened.
 *
 * An item has `id`, `text`, `title`, `href` (where choosing goes) and `load()` (its items, or `null` for a leaf).
 */
export class Tree {
    constructor(label, choose) {
        this.choose = choose;
        this.open = new Set();
        this.items = new Map();
        this.element = make("ul.tree",
            { role: "tree", "aria-label": label, onkeydown: (event) => this.key(event), onclick: (event) => this.click(event) });
    }

    /** Shows the items at the top, and those below open ones again. */
    async show(items) {
        const list = await Promise.all(items.map((item) => this.node(item, 1)));
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.id : null;
        replace(this.element, list);
        this.items = new Map(list.flatMap((node) => [...this.nodesOf(node)]));
        this.mark(this.current);
        if (focused) this.focus(this.find(focused) ?? this.all()[0]);
    }

    *nodesOf(node) {
        yield [node.dataset.id, node];
        for (const inner of node.querySelectorAll('[role="treeitem"]')) yield [inner.dataset.id, inner];
    }

    async node(item, level) {
        const isOpen = item.load && this.open.has(item.id);
        const node = make(`li${item.load ? "" : ".leaf"}`, {
            role: "treeitem", tabindex: "-1", "data-id": item.id, "aria-level": level,
            "aria-expanded": item.load ? String(Boolean(isOpen)) : null,
        }, make("div.line", { title: item.title ?? item.text }, make("span.twist", { "aria-hidden": "true" }),
        make("span.name", {}, item.text)));
        node.item = item;
        if (isOpen) await this.fill(node, level);
        return node;
    }

    async fill(node, level = Number(node.getAttribute("aria-level"))) {
        const items = await node.item.load().catch((error) => [{ id: `${node.item.id} problem`, text: error.message }]);
        const list = make("ul", { role: "group" }, await Promise.all(items.map((item) => this.node(item, level + 1))));
        node.querySelector(':scope > [role="group"]')?.remove();
        if (items.length) node.append(list);
        for (const [id, inner] of this.nodesOf(node)) this.items.set(id, inner);
    }

    /** Opens or closes an item. */
    async toggle(node, isOpen = node.getAttribute("aria-expanded") !== "true") {
        if (!node.item.load) return;
        node.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) {
            this.open.add(node.item.id);
            await this.fill(node);
            this.mark(this.current);
        } else {
            this.open.delete(node.item.id);
            const group = node.querySelector(':scope > [role="group"]');
            if (group?.contains(document.activeElement)) this.focus(node);
            group?.remove();
        }
    }

    /** Marks the item that is shown beside the tree. */
    mark(id) {
        this.current = id;
        for (const node of this.element.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
        const node = this.find(id);
        node?.setAttribute("aria-current", "page");
        if (!this.element.contains(document.activeElement)) this.rove(node ?? this.all()[0]);
    }

    find(id) {
        const node = this.items.get(id);
        return node?.isConnected || (node && this.element.contains(node)) ? node : undefined;
    }

    all() {
        return [...this.element.querySelectorAll('[role="treeitem"]')];
    }

    // One item only is a stop of the tab key.
    rove(node) {
        for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
        if (node) node.tabIndex = 0;
    }

    focus(node) {
        this.rove(node);
        node?.focus();
    }

    click(event) {
        const node = event.target.closest('[role="treeitem"]');
        if (!node) return;
        this.focus(node);
        if (event.target.closest(".twist") && node.item.load) this.toggle(node);
        else this.enter(node);
    }

    enter(node) {
        if (node.item.act) node.item.act();
        else if (node.item.href) this.choose(node.item);
        if (node.item.load && node.getAttribute("aria-expanded") !== "true") this.toggle(node, true);
    }

    key(event) {
        const node = event.target.closest('[role="treeitem"]');
        if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
        const all = this.all();
        const place = all.indexOf(node);
        const isOpen = node.getAttribute("aria-expanded");
        const moves = {
            ArrowDown: () => this.focus(all[place + 1] ?? node),
            ArrowUp: () => this.focus(all[place - 1] ?? node),
            Home: () => this.focus(all[0]),
            End: () => this.focus(all.at(-1)),
            Enter: () => this.enter(node),
            " ": () => this.enter(node),
            ArrowRight: () => isOpen === "false" ? this.toggle(node, true) : isOpen && all[place + 1] && node.contains(all[place + 1])
                && this.focus(all[place + 1]),
            ArrowLeft: () => isOpen === "true" ? this.toggle(node, false)
                : this.focus(node.parentElement.closest('[role="treeitem"]') ?? node),
        };
        const move = moves[event.key] ?? (event.key.length === 1 ? () => this.type(event.key, all, place) : null);
        if (!move) return;
        event.preventDefault();
        move();
    }

    // A letter goes to the next item that begins with it.
    type(letter, all, place) {
        const rest = [...all.slice(place + 1), ...all.slice(0, place + 1)];
        const found = rest.find((node) => node.item.text.toLowerCase().startsWith(letter.toLowerCase()));
        if (found) this.focus(found);
    }
}
