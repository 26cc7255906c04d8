// A table of documents: live, with what waits marked, and what changed flashing.

import { cell, make } from "./dom.js";
import { moment, writerText } from "./quantity.js";
import { hrefTo } from "./route.js";
import { Rows } from "./rows.js";
import { canonicalFields, shown } from "./values.js";

const PREVIEW_FIELD_COUNT_MAX = 12;

/** The table. `isWholePath` shows paths in the place of ids, for documents of several collections. */
export class DocumentTable {
    constructor(db, isWholePath = false) {
        Object.assign(this, { db, isWholePath });
        this.body = make("tbody");
        this.element = make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, "Documents"),
            make("thead", {}, make("tr", {}, ["Document", "Fields", "State", "Changed"].map((name) => make("th", { scope: "col" }, name)))),
            this.body));
        this.rows = new Rows(this.body,
            { key: ({ path }) => path, sign: documentSign, render: (document) => this.row(document), flashes: true });
    }

    /** Shows documents in their order. */
    show(documents) {
        this.rows.show(documents);
    }

    row(document) {
        return make(`tr${document.hasPendingWrites ? ".pending" : ""}`, { "data-path": document.path },
            cell("Document", { kind: "th", scope: "row" }, make("a.mono.break", {
                href: hrefTo("data", { db: this.db, path: document.path }), "data-action": "open",
            }, this.isWholePath ? document.path : document.id)),
            cell("Fields", {}, preview(document.fields)),
            cell("State", { class: "tight" }, stateOf(document)),
            cell("Changed", { class: "tight" }, make("span.quiet", {}, moment(document.updateTime))));
    }
}

function documentSign(document) {
    return JSON.stringify([canonicalFields(document.fields ?? {}), document.hasPendingWrites, document.writers, document.updateTime]);
}

function preview(fields = {}) {
    const names = Object.keys(fields);
    if (!names.length) return make("span.quiet", {}, "no fields");
    const shownNames = names.slice(0, PREVIEW_FIELD_COUNT_MAX);
    const parts = shownNames.flatMap((name, place) => [
        place ? "  " : "", make("span.name", {}, `${name} `), make("span", {}, shown(fields[name], 1)),
    ]);
    return make("div.value.preview", {}, parts, names.length > shownNames.length && `  and ${names.length - shownNames.length} more`);
}

/** Whether something of a document waits for the backend, and who wrote what waits. */
export function stateOf({ hasPendingWrites, writers }) {
    if (!hasPendingWrites) return make("span.quiet", {}, "committed");
    const who = (writers ?? []).map(writerText);
    return make("div", {}, make("span.chip.warn", { title: who.join("\n"), "data-pending": "" }, "pending"),
        who.length > 0 && make("div.small.quiet.break", {}, `by ${who.slice(0, 2).join(", ")}${who.length > 2 ? " and others" : ""}`));
}

/** Documents as a stream tells of them: the first time whole, then by what changed. */
export class LiveDocuments {
    constructor() {
        this.documents = new Map();
        this.order = [];
    }

    /** Takes an event of the stream. */
    took({ documents, order, removed, isWhole }) {
        if (isWhole) {
            this.documents = new Map();
            this.order = [];
        }
        for (const path of removed ?? []) this.documents.delete(path);
        for (const document of documents) {
            if (!this.documents.has(document.path)) this.order.push(document.path);
            this.documents.set(document.path, document);
        }
        this.order = (order ?? this.order).filter((path) => this.documents.has(path));
    }

    /** All, in order. */
    get all() {
        return this.order.map((path) => this.documents.get(path));
    }
}
