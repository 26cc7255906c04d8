// The keys of a place of the Realtime Database as the backend lists them: page by page, without values, and not live.

import { get } from "./api.js";
import { crumbs } from "./crumbs.js";
import { cell, emptyState, errorState, make, replace, waiting } from "./dom.js";
import { counted } from "./quantity.js";
import { hrefTo } from "./route.js";

const PAGE_SIZE = 100;

/** A page of keys. */
export class KeysView {
    constructor(database, parameters) {
        this.head = make("div.panel-head");
        this.content = make("div.panel-content");
        this.foot = make("div.panel-foot", { hidden: true });
        this.element = make("section.panel", { "aria-label": "Keys" }, this.head, this.content, this.foot);
        this.update(database, parameters);
    }

    close() {
        this.ending?.abort();
    }

    update(database, { path = "/" }) {
        const sign = JSON.stringify([database.db, path]);
        if (sign === this.sign) return true;
        Object.assign(this, { sign, db: database.db, path, starts: [null] });
        replace(this.head, crumbs(this.db, path, { view: "keys" }),
            make("a.button", { href: hrefTo("data", { db: this.db, path }), "data-action": "values" }, "Load values"));
        this.ask();
        return true;
    }

    async ask() {
        this.close();
        const ending = new AbortController();
        this.ending = ending;
        this.foot.hidden = true;
        replace(this.content, waiting("Asking the backend for keys…"));
        try {
            this.show(await get("node/keys", { db: this.db, path: this.path, pageSize: PAGE_SIZE, after: this.starts.at(-1) },
                ending.signal));
        } catch (error) {
            if (!ending.signal.aborted) replace(this.content, errorState(error, () => this.ask()));
        }
    }

    show({ children, next }) {
        if (children.length) replace(this.content, this.table(children));
        else replace(this.content, emptyState("No keys are here", "The backend has nothing at this place, or a value without children."));
        this.foot.hidden = false;
        replace(this.foot, make("span.grow", { role: "status" },
            `${counted(children.length, "key")}${next ? ", and more behind" : ""}, as the backend listed them; no value is loaded`),
        make("button", { type: "button", "data-action": "before", disabled: this.starts.length === 1, onclick: () => this.turn(null) },
            "Before"),
        make("button", { type: "button", "data-action": "next", disabled: !next, onclick: () => this.turn(next) }, "Next"));
    }

    table(children) {
        return make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, "Keys"),
            make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Key"))), make("tbody", {}, children.map((child) => this.row(child)))));
    }

    row({ key, mayHaveChildren }) {
        const path = `${this.path === "/" ? "" : this.path}/${key}`;
        return make("tr", { "data-key": key }, cell("Key", { kind: "th", scope: "row" }, make("a.mono.break",
            { href: hrefTo("data", { db: this.db, path, view: mayHaveChildren ? "keys" : null }), "data-action": "open" }, key)));
    }

    turn(start) {
        if (start) this.starts.push(start);
        else this.starts.pop();
        this.ask();
    }
}
