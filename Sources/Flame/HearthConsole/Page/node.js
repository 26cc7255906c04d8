// A node of the Realtime Database: its children page by page, live; what is there can be changed, added and deleted.

import { get, post, Stream, writeJSON } from "./api.js";
import { parsed } from "./batchediting.js";
import { crumbs } from "./crumbs.js";
import { ask, toast } from "./dialog.js";
import { cell, emptyState, errorState, labelled, make, replace, selection, waiting } from "./dom.js";
import { counted } from "./quantity.js";
import { go, hrefTo } from "./route.js";
import { Rows } from "./rows.js";
import { readDouble } from "./values.js";

const PAGE_SIZE = 100;
const SHOWN_TEXT_LENGTH_MAX = 300;

/** A node and a page of its children. */
export class NodeView {
    constructor(database, parameters) {
        this.head = make("div.panel-head");
        this.content = make("div.panel-content");
        this.foot = make("div.panel-foot", { hidden: true });
        this.body = make("tbody");
        this.table = make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, "Children"),
            make("thead", {}, make("tr", {}, ["Key", "Value", "Type"].map((name) => make("th", { scope: "col" }, name)),
                make("th", { scope: "col" }, make("span.unseen", {}, "Actions")))), this.body));
        this.element = make("section.panel", { "aria-label": "Node" }, this.head, this.content, this.foot);
        this.update(database, parameters);
    }

    close() {
        this.stream?.close();
    }

    update(database, { path = "/", after }) {
        const sign = JSON.stringify([database.db, path, after]);
        if (sign === this.sign) return true;
        this.close();
        if (database.db !== this.db || path !== this.path) this.starts = after ? [null, after] : [null];
        Object.assign(this, { sign, db: database.db, hasCache: database.hasCache !== false, path, node: null });
        this.rows = new Rows(this.body,
            { key: ({ key }) => key, sign: (child) => writeJSON(child), render: (child) => this.row(child), flashes: true });
        replace(this.body);
        this.showHead();
        this.follow();
        return true;
    }

    showHead() {
        replace(this.head, crumbs(this.db, this.path),
            this.hasCache && make("a.button",
                { href: hrefTo("data", { db: this.db, path: this.path, view: "keys" }), "data-action": "keys" }, "Keys only"),
            make("button", { type: "button", "data-action": "edit", onclick: () => editNode(this.db, this.path) }, "Edit"),
            this.path !== "/" && make("button.danger", { type: "button", "data-action": "delete", onclick: () => this.remove(this.path) },
                "Delete"),
            make("button.main", { type: "button", "data-action": "add", onclick: () => addChild(this.db, this.path) }, "Add child"));
    }

    follow() {
        this.stream?.close();
        if (!this.node) replace(this.content, waiting("Loading the node…"));
        this.stream = new Stream("node", { db: this.db, path: this.path, pageSize: PAGE_SIZE, after: this.starts.at(-1) }, {
            node: (node) => this.show(node),
            failed: (error) => replace(this.content, errorState(error, () => this.follow())),
        });
    }

    show(node) {
        this.node = node;
        this.rows.show(node.children ?? []);
        if (node.children?.length) {
            if (!this.content.contains(this.table)) replace(this.content, this.table);
        } else if (node.exists && node.value !== null) {
            replace(this.content, make("div.panel-body.stack.tight", {}, make("div.value", {}, leafText(node.value)),
                make("span.type", {}, typeof node.value)));
        } else {
            replace(this.content, emptyState("Nothing is here",
                node.isFromCache ? "The cache holds nothing at this place; the backend may."
                : "A node exists as soon as something is written to it."));
        }
        this.showFoot(node);
    }

    showFoot(node) {
        const page = node.children ?? [];
        const from = node.isFromCache ? "from the cache" : this.hasCache ? "in step with the backend" : "as the emulator has them";
        const text = `${counted(page.length, "child", "children")}${node.next ? ", and more behind" : ""}, ${from}, live`
            + (node.priority !== null && node.priority !== undefined ? `, priority ${leafText(node.priority)}` : "");
        if (this.footText === text && !this.foot.hidden) return;
        this.footText = text;
        this.foot.hidden = false;
        replace(this.foot, make("span.grow", { role: "status" }, text),
            make("button", { type: "button", disabled: this.starts.length === 1, onclick: () => this.turn(null) }, "Before"),
            make("button", { type: "button", disabled: !node.next, onclick: () => this.turn(node.next) }, "Next"));
    }

    turn(start) {
        if (start) this.starts.push(start);
        else this.starts.pop();
        this.footText = null;
        this.follow();
    }

    row(child) {
        const path = childPath(this.path, child.key);
        const value = child.kind === "object" ? make("span.quiet", {}, counted(child.childCount ?? 0, "child", "children"))
            : make("div.value.preview", {}, leafText(child.value));
        const button = (text, action, onclick, kind) => make(`button.plain${kind}`, {
            type: "button", "data-action": action, "aria-label": `${text} ${child.key}`, onclick,
        }, text);
        return make("tr", { "data-child": child.key },
            cell("Key", { kind: "th", scope: "row" },
                make("a.mono.break", { href: hrefTo("data", { db: this.db, path }), "data-action": "open" }, child.key)),
            cell("Value", {}, value), cell("Type", { class: "tight" }, make("span.type", {}, child.kind)),
            make("td.actions", {}, make("div.row.end", {}, button("Edit", "edit", () => editNode(this.db, path), ""),
                button("Delete", "delete", () => this.remove(path), ".danger"))));
    }

    async remove(path) {
        const done = await ask({
            title: "Delete the node", confirm: "Delete", isDanger: true,
            body: [make("p.mono.break", {}, path), make("ul.consequences", {}, make("li", {}, make("span", {},
                "The node and everything below it are gone here at once; at a daemon's backend, as soon as the backend takes the write.")))],
            accept: () => write(this.db, path, null, "Deleted"),
        });
        if (done && path === this.path) go("data", { db: this.db, path: path.split("/").slice(0, -1).join("/") || "/" });
    }
}

function leafText(value) {
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return text.length > SHOWN_TEXT_LENGTH_MAX ? `${text.slice(0, SHOWN_TEXT_LENGTH_MAX)}…` : text;
}

function childPath(path, key) {
    return `${path === "/" ? "" : path}/${key}`;
}

async function write(db, path, value, text) {
    const { batch } = await post("node/write", { db, writes: [{ path, value }] });
    toast(batch ? `${text} as batch #${batch}.` : `${text}.`);
    return true;
}

const nodeKinds = [
    ["string", "string"], ["number", "number"], ["boolean", "boolean"], ["json", "JSON, also objects"],
    ["timestamp", "server timestamp"], ["increment", "increment by"],
];

/** A form for what a node can be written as. */
function valueForm(value) {
    const first = { string: "string", number: "number", bigint: "number", boolean: "boolean" }[typeof value] ?? "json";
    const kind = selection(nodeKinds, first, { "data-part": "kind", onchange: () => show(null) });
    const holder = make("div");
    let input = null;
    const show = (text) => {
        const old = text ?? input?.value ?? "";
        const plain = { rows: kind.value === "json" ? 10 : 2, spellcheck: "false", "data-part": "value" };
        input = kind.value === "timestamp" ? null
            : kind.value === "boolean" ? selection(["true", "false"], old === "true" ? "true" : "false", { "data-part": "value" })
            : make(kind.value === "json" || kind.value === "string" ? "textarea" : "input", { ...plain, value: old });
        replace(holder, input && labelled("Value", input));
    };
    show(first === "json" ? writeJSON(value, "", "  ") : String(value ?? ""));
    return { element: make("div.stack.tight", {}, labelled("Type", kind), holder), read: () => readNode(kind.value, input) };
}

function readNode(kind, input) {
    switch (kind) {
        case "string": return input.value;
        case "boolean": return input.value === "true";
        case "number": return readNumber(input.value);
        case "timestamp": return { ".sv": "timestamp" };
        case "increment": return { ".sv": { increment: readNumber(input.value) } };
        default: return parsed(input);
    }
}

// A whole number keeps all its digits; NaN and infinities have no place in the Realtime Database.
function readNumber(text) {
    if (/^\s*-?\d+\s*$/.test(text)) {
        const whole = BigInt(text.trim());
        return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
    }
    const number = Number(readDouble(text));
    if (!Number.isFinite(number)) throw new Error("The Realtime Database has no NaN and no infinities.");
    return number;
}

async function editNode(db, path) {
    let form;
    try {
        form = valueForm((await get("node/value", { db, path })).value);
    } catch (error) {
        await ask({ title: "Edit the node", body: make("p.note.bad", {}, error.message), confirm: null });
        return;
    }
    await ask({
        title: "Edit the node", confirm: "Save",
        body: [make("p.mono.break", {}, path), form.element, make("p.quiet", {}, "The whole node is replaced by what you save.")],
        accept: () => write(db, path, form.read(), "Saved"),
    });
}

async function addChild(db, path) {
    const key = make("input", { type: "text", autocomplete: "off", spellcheck: "false", "data-part": "key", autofocus: true });
    const form = valueForm("");
    await ask({
        title: "Add a child", confirm: "Add", body: [make("p.mono.break", {}, path), labelled("Key", key), form.element],
        accept: () => {
            if (!key.value || /[.#$/[\]]/.test(key.value) || new TextEncoder().encode(key.value).length > 768) {
                key.setAttribute("aria-invalid", "true");
                key.focus();
                throw new Error("A key has 1 to 768 bytes, and none of . # $ / [ ].");
            }
            return write(db, childPath(path, key.value), form.read(), "Added");
        },
    });
}
