// One document: its fields with their types, live; what waits to be sent and who wrote it; what lies below it.

import { get, Stream } from "./api.js";
import { usualSource } from "./collection.js";
import { crumbs } from "./crumbs.js";
import { stateOf } from "./documents.js";
import { emptyState, errorState, make, replace, segments, waiting } from "./dom.js";
import { ageElement, moment, writerText } from "./quantity.js";
import { go, hrefTo } from "./route.js";
import { Rows } from "./rows.js";
import { canonical, elementsOf, fieldsOf, kindOf, kinds, pathOfReference, shown, textOf } from "./values.js";
import { deleteDocument, editDocument } from "./writing.js";

const PART_COUNT_MAX = 200;
const ABOUT_MILLISECONDS = 400;

/** The whole view. */
export class DocumentView {
    constructor(database, parameters) {
        this.head = make("div.panel-head");
        this.about = make("div.panel-body.stack.tight");
        this.list = make("ul.fields");
        this.content = make("div.panel-content");
        this.below = make("section.panel", { hidden: true, "aria-label": "Collections below" });
        this.element = make("div.stack.tight", {}, make("section.panel", { "aria-label": "Document" }, this.head, this.about, this.content),
            this.below);
        this.update(database, parameters);
    }

    close() {
        this.stream?.close();
        clearTimeout(this.timer);
    }

    update(database, { path, source = usualSource(database) }) {
        const sign = JSON.stringify([database.db, path, source]);
        if (sign === this.sign) return true;
        this.close();
        Object.assign(this, { sign, db: database.db, hasCache: database.hasCache !== false, path, source, known: null, description: null });
        this.rows = new Rows(this.list, {
            key: ([name]) => name, sign: ([, value]) => canonical(value) + Boolean(value.isEstimate),
            render: ([name, value]) => fieldItem(this.db, name, value), flashes: true,
        });
        replace(this.list);
        replace(this.about);
        replace(this.content, waiting("Loading the document…"));
        this.showHead();
        this.stream = new Stream("document", { db: this.db, path, source }, {
            document: (document) => this.took(document),
            failed: (error) => replace(this.content, errorState(error)),
        });
        this.showBelow();
        return true;
    }

    showHead() {
        const exists = this.known?.exists;
        const sign = `${exists} ${this.sign}`;
        if (sign === this.headSign) return;
        this.headSign = sign;
        const choose = (source) => go("data", { db: this.db, path: this.path, source: source === "cache" ? null : source }, true);
        replace(this.head, crumbs(this.db, this.path),
            this.hasCache && segments("Where from", [["cache", "Cache"], ["default", "Backend"]], this.source, choose),
            make("button", { type: "button", "data-action": "edit", disabled: exists === undefined,
                onclick: () => editDocument(this.db, this.known) }, exists === false ? "Make" : "Edit"),
            exists && make("button.danger", { type: "button", "data-action": "delete", onclick: () => deleteDocument(this.db, this.path) },
                "Delete"));
    }

    took(document) {
        this.known = { ...document, fields: document.fields ?? {} };
        this.showHead();
        const fields = Object.entries(this.known.fields);
        this.rows.show(fields);
        if (!document.exists) replace(this.content, this.missing());
        else if (!fields.length) replace(this.content,
            emptyState("This document has no fields", "It exists all the same, and collections may lie below it."));
        else if (!this.content.contains(this.list)) replace(this.content, this.list);
        this.showAbout();
        if (this.hasCache) this.timer ??= setTimeout(() => {
            this.timer = null;
            this.describe();
        }, ABOUT_MILLISECONDS);
    }

    missing() {
        const isCache = this.source === "cache";
        return emptyState(isCache ? "The cache does not know this document" : "There is no such document",
            isCache ? "The backend may have it." : "It was deleted, or was never made.",
            isCache && make("button", { type: "button",
                onclick: () => go("data", { db: this.db, path: this.path, source: "default" }, true) }, "Ask the backend"));
    }

    // What only the daemon knows: when the document was read, and whether a query keeps it.
    async describe() {
        try {
            const { db, path } = this;
            const description = await get("document", { db, path, source: "cache" });
            if (db === this.db && path === this.path) this.description = description;
            this.showAbout();
        } catch {
            // The fields stand; what is known about them is not needed to read them.
        }
    }

    showAbout() {
        const { known, description } = this;
        const pending = known.pending ?? description?.pending ?? [];
        const facts = [
            ["State", known.exists || known.hasPendingWrites
                ? stateOf({ ...known, writers: known.writers ?? pending.map(({ writer }) => writer) }) : "not there"],
            ["Last changed", moment(known.updateTime)],
            description?.readAt && ["Read from the backend",
                ageElement(make("time"), description.readAt, (seconds) => seconds < 60 ? "just now" : moment(description.readAt))],
            description?.isHeldByQuery !== undefined && description?.isHeldByQuery !== null
                && ["Kept in the cache", description.isHeldByQuery ? "by a query" : "until room is needed"],
        ].filter(Boolean);
        replace(this.about, make("dl.row.wide", {},
            facts.map(([name, value]) => make("div", {}, make("dt.small.quiet", {}, name), make("dd", {}, value)))),
            pending.length > 0 && this.pending(pending));
    }

    pending(batches) {
        return make("div.note.warn", {}, make("p.title", {}, "Waiting to be sent"), make("ul", {}, batches.slice(0, 20).map((batch) =>
            make("li", { "data-batch": batch.id }, make("a", { href: hrefTo("queue", { db: this.db }) }, `#${batch.id}`),
                ` by ${writerText(batch.writer)}, `, ageElement(make("time"), batch.writtenAt), ` ago. ${batch.why ?? ""}`))));
    }

    async showBelow() {
        const { db, path } = this;
        this.below.hidden = true;
        const ask = (source) => get("collections", { db, below: path, pageSize: 200, source });
        // What the backend does not tell, the cache may know.
        const { collections } = await ask(this.hasCache ? this.source : null).catch(() => ask(null)).catch(() => ({ collections: [] }));
        if (db !== this.db || path !== this.path) return;
        const depth = path.split("/").length;
        const names = [...new Set(collections.map((collection) => collection.split("/")[depth]))];
        this.below.hidden = !names.length;
        replace(this.below, make("div.panel-head", {}, make("h2", {}, "Collections below")),
            make("ul.panel-body.row", {}, names.map((name) =>
            make("li", {}, make("a.button.mono", { href: hrefTo("data", { db, path: `${path}/${name}` }) }, name)))));
    }
}

const kindNames = new Map(kinds);

/** A line for a field or an element, and lines for what is inside. */
export function fieldItem(db, name, value) {
    const kind = kindOf(value);
    const parts = kind === "map" ? Object.entries(fieldsOf(value)) : kind === "array"
        ? elementsOf(value).map((element, place) => [place, element]) : [];
    const line = make("div.leaf-line", {}, make("span.name", {}, name), make("span.value", {}, valueText(db, kind, value, parts)),
        make("span.type", {}, value.isEstimate ? "server timestamp" : kindNames.get(kind) ?? "another type"));
    const more = parts.length - PART_COUNT_MAX;
    return make("li", { "data-field": name }, line, parts.length > 0 && make("ul.inner", {},
        parts.slice(0, PART_COUNT_MAX).map(([inner, part]) => fieldItem(db, inner, part)),
        more > 0 && make("li.quiet", {}, `and ${more} more`)));
}

function valueText(db, kind, value, parts) {
    if (kind === "map" || kind === "array") return make("span.quiet", {}, kind === "map" ? `{${parts.length}}` : `[${parts.length}]`);
    if (kind === "reference") return make("a", { href: hrefTo("data", { db, path: pathOfReference(value.referenceValue) }) },
        textOf(value));
    if (kind === "bytes") return [make("span.quiet", {}, `${shown(value)} `), value.bytesValue];
    return kind === "string" ? value.stringValue : shown(value);
}
