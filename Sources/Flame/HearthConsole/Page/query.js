// A query by form: its result with plan and time, and how cache and backend differ over it.

import { post } from "./api.js";
import { comparison } from "./comparison.js";
import { reference, usualSource } from "./collection.js";
import { crumbs } from "./crumbs.js";
import { attempt } from "./dialog.js";
import { DocumentTable } from "./documents.js";
import { emptyState, labelled, make, replace, segments, selection } from "./dom.js";
import { count, counted, duration } from "./quantity.js";
import { FilterForm } from "./filters.js";
import { fieldNames } from "./values.js";

const LIMIT_MAX = 500;
const inequalities = new Set(["NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_IN"]);

/** The form and what came of it. */
export class QuerySection {
    constructor(database, { path = "" }) {
        Object.assign(this, { db: database.db, hasCache: database.hasCache !== false, path, source: usualSource(database), orders: [] });
        this.scope = selection([["collection", "Collection"], ["collectionGroup", "Collection group"]], "collection",
            { "data-part": "scope" });
        this.name = make("input", { type: "text", value: path, autocomplete: "off", spellcheck: "false", placeholder: "rooms",
            "data-part": "collection" });
        this.filters = new FilterForm(this.db);
        this.orderList = make("div.conditions");
        this.limit = make("input", { type: "number", min: "1", max: String(LIMIT_MAX), value: "50", "data-part": "limit" });
        this.problem = make("p.problem", { role: "alert", hidden: true });
        this.run = make("button.main", { type: "submit", "data-action": "run" }, "Run");
        this.compare = make("button",
            { type: "button", "data-action": "compare", onclick: () => this.attempt(this.compare, () => this.difference()) },
            "Compare cache and backend");
        this.result = make("div.stack.tight", { role: "region", "aria-label": "Result" });
        this.element = make("div.stack.tight", {}, make("section.panel", { "aria-label": "Query" },
            make("div.panel-head", {}, make("h2", {}, "Query"), crumbs(this.db, path)), this.form()), this.result);
    }

    close() {}

    update(database, { path = "" }) {
        return database.db === this.db && path === this.path;
    }

    form() {
        const addOrder = make("button", { type: "button", "data-action": "add-order", onclick: () => this.addOrder() }, "Add order");
        return make("form.panel-body.stack.tight", { novalidate: true, onsubmit: (event) => this.submit(event) },
            make("div.form-grid", {}, labelled("Of", this.scope), labelled("Path or name", this.name),
                labelled(`Limit, at most ${LIMIT_MAX}`, this.limit)),
            this.filters.element, make("div.stack.tight", {}, this.orderList, make("div.row", {}, addOrder)),
            make("div.row", {}, this.hasCache && segments("Where from", [["cache", "Cache"], ["server", "Backend"], ["default", "Backend, else cache"]],
                this.source,
                (source) => { this.source = source; }), this.run, this.hasCache && this.compare), this.problem);
    }

    addOrder() {
        const field = make("input", { type: "text", "aria-label": "Order by field", placeholder: "field", autocomplete: "off",
            spellcheck: "false", "data-part": "order-field" });
        const direction = selection([["ASCENDING", "ascending"], ["DESCENDING", "descending"]], "ASCENDING", { "aria-label": "Direction" });
        const entry = { field, direction };
        const remove = make("button.plain.icon", {
            type: "button", "aria-label": "Remove this order",
            onclick: () => {
                this.orders.splice(this.orders.indexOf(entry), 1);
                line.remove();
                this.run.focus();
            },
        }, "×");
        const line = make("div.row", {}, make("span.quiet", {}, "Order by"), make("div.grow", {}, field), direction, remove);
        this.orders.push(entry);
        this.orderList.append(line);
        field.focus();
    }

    /** The query as the form has it. */
    query() {
        const name = this.name.value.trim().replace(/^\/+|\/+$/g, "");
        if (!name) throw this.refuse(this.name, "Which collection? Write a path such as rooms, or a group's name.");
        const limit = Number(this.limit.value);
        if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) throw this.refuse(this.limit,
            `The limit is a whole number from 1 to ${LIMIT_MAX}.`);
        const { match, where } = this.filters.read();
        const orderBy = this.orders.map(({ field, direction }) => {
            fieldNames(field.value.trim());
            return { field: field.value.trim(), direction: direction.value };
        });
        return { [this.scope.value]: name, ...(where.length ? { match, where } : {}), orderBy: wholeOrder(orderBy, where), limit };
    }

    refuse(input, message) {
        input.setAttribute("aria-invalid", "true");
        input.addEventListener("input", () => input.removeAttribute("aria-invalid"), { once: true });
        input.focus();
        return new Error(message);
    }

    submit(event) {
        event.preventDefault();
        this.attempt(this.run, () => this.answer(this.query(), [null]));
    }

    attempt(button, work) {
        return attempt(button, this.problem, work);
    }

    // A page of the result; `starts` has the cursor of each page before.
    async answer(query, starts) {
        const start = starts.at(-1);
        const answer = await post("query",
            { db: this.db, source: this.source, query: { ...query, ...(start ? { startAfter: start } : {}) } });
        const table = new DocumentTable(this.db, "collectionGroup" in query);
        table.show(answer.documents);
        const last = answer.documents.at(-1);
        const hasNext = last && (answer.hasMore || answer.documents.length === query.limit);
        replace(this.result, plan(answer), make("section.panel", {},
            answer.documents.length ? table.element : emptyState("No document matches", this.hasCache ? "Loosen a condition, or ask the backend." : "Loosen a condition."),
            make("div.panel-foot", {}, make("span.grow", { role: "status" }, this.summary(answer)),
                make("button", { type: "button", disabled: starts.length === 1,
                    onclick: () => this.attempt(this.run, () => this.answer(query, starts.slice(0, -1))) }, "Before"),
                make("button", { type: "button", disabled: !hasNext,
                    onclick: () => this.attempt(this.run, () => this.answer(query, [...starts, cursor(this.db, query, last)])) },
                    "Next"))));
    }

    summary({ documents, isFromCache, hasPendingWrites, durationSeconds }) {
        const from = isFromCache ? "from the cache" : this.hasCache ? "from the backend" : "found";
        return `${counted(documents.length, "document")} ${from} in ${duration(durationSeconds)}`
            + (hasPendingWrites ? ", some with writes that wait" : "");
    }

    async difference() {
        const answer = await post("compare", { db: this.db, query: this.query() });
        replace(this.result, comparison(this.db, answer));
    }
}

function plan({ plan: told, durationSeconds }) {
    if (!told) return null;
    const facts = [
        ["Plan", told.plan], ["Indexes", told.indexes?.length ? told.indexes.join(", ") : "none"],
        ["Examined", count(told.examined)], ["Matched", count(told.matched)], ["Time", duration(durationSeconds)],
    ];
    return make("section.panel", { "aria-label": "Plan", "data-part": "plan" }, make("div.panel-body.stack.tight", {},
        make("dl.row.wide", {}, facts.map(([name, text]) => make("div", {}, make("dt.small.quiet", {}, name), make("dd.break", {}, text)))),
        told.why && make("p.quiet", {}, told.why)));
}

// The order that the backend means, written out: only with all of it can a page go on behind the last document.
function wholeOrder(orderBy, where) {
    const direction = orderBy.at(-1)?.direction ?? "ASCENDING";
    const named = new Set(orderBy.map(({ field }) => field));
    const implied = [...new Set(where.filter(({ op }) => inequalities.has(op)).map(({ field }) => field))].filter((field) =>
        !named.has(field) && field !== "__name__").sort();
    const all = [...orderBy, ...implied.map((field) => ({ field, direction }))];
    return named.has("__name__") ? all : [...all, { field: "__name__", direction }];
}

function cursor(db, { orderBy }, document) {
    return orderBy.map(({ field }) => {
        if (field === "__name__") return { referenceValue: reference(db, document.path) };
        let value = { mapValue: { fields: document.fields } };
        for (const name of fieldNames(field)) value = value?.mapValue?.fields?.[name];
        return value;
    });
}
