// A collection, page by page: each page is a live query of its own, so that no more is held than is shown.

import { Stream } from "./api.js";
import { crumbs } from "./crumbs.js";
import { DocumentTable, LiveDocuments } from "./documents.js";
import { emptyState, errorState, make, replace, segments, waiting } from "./dom.js";
import { counted } from "./quantity.js";
import { go, hrefTo } from "./route.js";
import { addDocument } from "./writing.js";

const PAGE_SIZE = 50;
/** Changes of so short a time are shown together. */
const FRAME_MILLISECONDS = 60;

/** A page of a collection. */
export class CollectionView {
    constructor(database, parameters) {
        this.head = make("div.panel-head");
        this.content = make("div.panel-content");
        this.foot = make("div.panel-foot");
        this.note = make("span.grow", { role: "status" });
        this.element = make("section.panel", { "aria-label": "Collection" }, this.head, this.content, this.foot);
        this.update(database, parameters);
    }

    close() {
        this.stream?.close();
        clearTimeout(this.timer);
    }

    update(database, { db, path, source = usualSource(database) }) {
        const sign = JSON.stringify([database.db, path, source]);
        if (sign === this.sign) return true;
        Object.assign(this, { sign, db: database.db, hasCache: database.hasCache !== false, path, source });
        this.starts = [null];
        this.showHead();
        this.follow();
        return true;
    }

    showHead() {
        const choose = (source) => go("data", { db: this.db, path: this.path, source: source === "cache" ? null : source }, true);
        replace(this.head, crumbs(this.db, this.path),
            this.hasCache && segments("Where from", [["cache", "Cache"], ["default", "Backend"]], this.source, choose),
            make("a.button", { href: hrefTo("data", { db: this.db, path: this.path, view: "query" }) }, "Query"),
            make("button.main", { type: "button", "data-action": "add", onclick: () => addDocument(this.db, this.path) }, "Add document"));
    }

    // One document more than is shown tells whether there is a next page.
    query() {
        const query = { collection: this.path, orderBy: [{ field: "__name__", direction: "ASCENDING" }], limit: PAGE_SIZE + 1 };
        const start = this.starts.at(-1);
        if (start) query.startAfter = [{ referenceValue: reference(this.db, start) }];
        return query;
    }

    follow() {
        this.close();
        this.live = new LiveDocuments();
        this.table = new DocumentTable(this.db);
        replace(this.content, waiting("Loading documents…"));
        this.foot.hidden = true;
        this.stream = new Stream("documents", { db: this.db, source: this.source, query: JSON.stringify(this.query()) }, {
            documents: (event) => this.took(event),
            failed: (error) => replace(this.content, errorState(error, () => this.follow())),
        });
    }

    took(event) {
        this.live.took(event);
        this.isFromCache = event.isFromCache;
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.show();
        }, FRAME_MILLISECONDS);
    }

    show() {
        const documents = this.live.all;
        const page = documents.slice(0, PAGE_SIZE);
        this.table.show(page);
        if (!page.length) this.showEmpty();
        else if (!this.content.contains(this.table.element)) replace(this.content, this.table.element);
        this.showFoot(page, documents.length > PAGE_SIZE);
    }

    showEmpty() {
        const isCache = this.source === "cache";
        replace(this.content, emptyState(isCache ? "The cache knows no document here" : "No document is here",
            isCache ? "The backend may have some that no program on this machine has read."
                : "Add a document, and the collection exists.",
            isCache && make("button", { type: "button",
                onclick: () => go("data", { db: this.db, path: this.path, source: "default" }, true) }, "Ask the backend")));
    }

    showFoot(page, hasMore) {
        const first = (this.starts.length - 1) * PAGE_SIZE;
        const text = page.length ? `Documents ${first + 1} to ${first + page.length}` : counted(0, "document");
        const from = this.isFromCache ? "from the cache" : this.hasCache ? "in step with the backend" : "as the emulator has them";
        const sign = JSON.stringify([text, from, hasMore, this.starts.length]);
        if (sign === this.footSign && !this.foot.hidden) return;
        this.footSign = sign;
        this.foot.hidden = false;
        const action = document.activeElement?.dataset?.action;
        replace(this.note, `${text}, ${from}, live`);
        const before = make("button",
            { type: "button", "data-action": "before", disabled: this.starts.length === 1, onclick: () => this.turn(null) }, "Before");
        const next = make("button", { type: "button", "data-action": "next", disabled: !hasMore,
            onclick: () => this.turn(page.at(-1).path) }, "Next");
        const had = this.foot.contains(document.activeElement);
        replace(this.foot, this.note, before, next);
        if (had) this.foot.querySelector(`[data-action="${action}"]`)?.focus();
    }

    turn(start) {
        if (start) this.starts.push(start);
        else this.starts.pop();
        this.follow();
        this.element.scrollIntoView({ block: "nearest" });
    }
}

/** Where a view of a database reads, unless its address says: a daemon's from the cache, an emulator's from the emulator. */
export function usualSource(database) {
    return database.hasCache === false ? "default" : "cache";
}

/** The full name of a document, as a reference has it. */
export function reference(db, path) {
    const [project, name] = db.split("/");
    return `projects/${project}/databases/${name}/documents/${path}`;
}
