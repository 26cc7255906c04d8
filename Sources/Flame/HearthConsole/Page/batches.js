// A table of batches, for the queue and for the dead letters: live, selectable, page by page.

import { get } from "./api.js";
import { cell, emptyState, errorState, make, newID, replace, selection, waiting } from "./dom.js";
import { ageElement, bytes, count, counted, writerText } from "./quantity.js";
import { go, hrefTo } from "./route.js";
import { Rows } from "./rows.js";
import { pathsText } from "./steering.js";

const PAGE_SIZE = 50;
/** How often the causes are asked for: the daemon looks at all batches then. */
const CAUSES_MILLISECONDS = 2_000;
/** What an empty page says of a list that goes on: a question looks at a part of the list. */
const lookedOn = ["Nothing here yet",
    "A thousand batches were looked at, none of them has this cause. Next looks at those behind them."];

/** The part that both sections share. A section gives `name`, `heading`, `load(db, after)` with `{ items, hasMore, next }`,
 * where `next` is the number behind which the next page begins, `columns`, `cells(item)`, `bulk(ids)`, `empty`, and
 * `showExtra(element, db)` for what stands above the table. */
export class BatchList {
    constructor(daemon, parameters, section) {
        Object.assign(this, { daemon, section });
        this.ending = new AbortController();
        this.chosen = new Set();
        this.pages = [null];
        this.picker = make("div.row");
        this.extra = make("div.stack.tight");
        this.bulk = make("div.row");
        this.body = make("tbody");
        this.table = make("div.panel", {}, make("div.panel-head", {}, this.bulk), make("div.panel-content", {}, waiting()),
            make("div.panel-foot"));
        this.element = make("div.stack.tight", {}, make("div.page-head", {}, make("h1", {}, section.heading), this.picker), this.extra,
            this.table);
        this.rows = new Rows(this.body, {
            key: (item) => String(section.idOf(item)), sign: (item) => section.sign(item), render: (item) => this.row(item),
        });
        this.update(parameters);
        daemon.on("overview sample", () => this.refresh(), this.ending.signal);
    }

    close() {
        this.ending.abort();
    }

    update(parameters) {
        const isOther = parameters.db !== this.parameters?.db || parameters.cause !== this.parameters?.cause;
        this.parameters = parameters;
        if (isOther) {
            this.pages = [null];
            this.chosen.clear();
            this.items = null;
        }
        this.refresh();
        return true;
    }

    /** The database that is shown. */
    get database() {
        return this.daemon.database(this.parameters.db);
    }

    // Once a second at most, and never two at a time.
    async refresh() {
        if (!this.database || this.isLoading) return;
        this.isLoading = true;
        const { parameters } = this;
        try {
            const page = await this.section.load(this.database.db, this.pages.at(-1), PAGE_SIZE, parameters);
            if (parameters === this.parameters && !this.ending.signal.aborted) this.show(page);
        } catch (error) {
            if (!this.ending.signal.aborted) this.fail(error);
        } finally {
            this.isLoading = false;
            if (parameters !== this.parameters) this.refresh();
        }
    }

    content() {
        return this.table.querySelector(".panel-content");
    }

    fail(error) {
        if (this.items && (error.code === "UNREACHABLE" || error.code === "UNAVAILABLE")) return;  // The banner tells.
        this.items = null;
        replace(this.content(), errorState(error, () => this.refresh()));
    }

    show(page) {
        const isFirst = !this.items;
        this.items = page.items;
        this.next = page.next;
        const ids = new Set(page.items.map((item) => this.section.idOf(item)));
        for (const id of this.chosen) if (!ids.has(id)) this.chosen.delete(id);
        this.showPicker();
        this.rows.show(page.items);
        if (!page.items.length) replace(this.content(), emptyState(...(page.hasMore ? lookedOn : this.section.empty(this.parameters))));
        else if (isFirst || !this.content().contains(this.body)) replace(this.content(), this.head());
        this.showBulk();
        this.showFoot(page);
        this.section.showExtra?.(this.extra, this.database.db, this.parameters);
    }

    showPicker() {
        const names = this.daemon.databases.map((database) => database.db);
        if (this.pickerNames === `${names} ${this.database.db}`) return;
        this.pickerNames = `${names} ${this.database.db}`;
        const change = (event) => go(this.section.name, { db: event.target.value });
        replace(this.picker, names.length > 1 && selection(names, this.database.db, { onchange: change, "aria-label": "Database" }));
    }

    head() {
        this.all = make("input", { type: "checkbox", "aria-label": "Choose all of this page", onchange: () => this.chooseAll() });
        return make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, this.section.heading),
            make("thead", {}, make("tr", {}, make("th", { scope: "col" }, this.all),
                this.section.columns.map((name) => make("th", { scope: "col" }, name)),
                make("th", { scope: "col" }, make("span.unseen", {}, "Actions")))), this.body));
    }

    row(item) {
        const id = this.section.idOf(item);
        const box = make("input", {
            type: "checkbox", checked: this.chosen.has(id), "aria-label": `Choose batch ${id}`, "data-action": "choose",
            onchange: (event) => this.choose(id, event.target.checked),
        });
        return make("tr", { "data-batch": id }, make("td.choose", {}, box), this.section.cells(item, this.database.db),
            make("td.actions", {}, make("div.row.end", {}, this.section.actions(item, this.database.db, () => this.refresh()))));
    }

    choose(id, isChosen) {
        if (isChosen) this.chosen.add(id);
        else this.chosen.delete(id);
        this.showBulk();
    }

    chooseAll() {
        for (const item of this.items) this.choose(this.section.idOf(item), this.all.checked);
        for (const box of this.body.querySelectorAll('[data-action="choose"]')) box.checked = this.all.checked;
    }

    showBulk() {
        const ids = [...this.chosen].sort((one, other) => one - other);
        if (this.all) {
            this.all.checked = ids.length > 0 && ids.length === this.items.length;
            this.all.indeterminate = ids.length > 0 && ids.length < this.items.length;
        }
        const sign = JSON.stringify([ids, this.items.length > 0, this.database.db, this.parameters.cause]);
        if (sign === this.bulkSign) return;
        this.bulkSign = sign;
        const text = ids.length ? `${counted(ids.length, "batch", "batches")} chosen` : this.section.hint;
        replace(this.bulk, make("span.quiet", {}, this.items.length ? text : ""),
            this.items.length > 0 && this.section.bulk(ids, this.database.db, this.parameters, () => this.refresh()));
    }

    showFoot(page) {
        const foot = this.table.querySelector(".panel-foot");
        foot.hidden = this.pages.length === 1 && !page.hasMore;
        const sign = `${this.pages.length} ${page.hasMore}`;
        if (foot.dataset.sign === sign) return;
        foot.dataset.sign = sign;
        replace(foot, make("span.grow", {}, `Page ${this.pages.length}`),
            make("button", { type: "button", disabled: this.pages.length === 1, onclick: () => this.turn(-1) }, "Before"),
            make("button", { type: "button", disabled: !page.hasMore, onclick: () => this.turn(1) }, "Next"));
    }

    turn(step) {
        if (step < 0) this.pages.pop();
        else this.pages.push(this.next);
        this.chosen.clear();
        this.refresh();
    }
}

/** The cells that both tables begin with: number, what, who, when. */
export function batchCells(batch, state, hrefOf) {
    const paths = batch.paths.slice(0, 3).map((path) => make("a.mono.break", { href: hrefOf(path) }, path));
    const more = batch.paths.length - 3;
    return [
        cell("Batch", { kind: "th", scope: "row", id: newID("batch") }, make("span.number", {}, `#${batch.id}`)),
        cell("State", {}, make("span", {}, state)),
        cell("What", {}, make("div", {}, paths.map((path) => make("div", {}, path)), more > 0 && make("div.quiet", {}, `and ${more} more`),
            make("div.small.quiet", {}, bytes(batch.byteCount)))),
        cell("Who", {}, make("div", {}, make("div.break", {}, writerText(batch.writer)),
            batch.user && make("div.small.quiet.break", {}, `for ${batch.user}`))),
        cell("When", {}, make("div", {}, ageElement(make("time"), batch.writtenAt), " ago")),
    ];
}

/** What counts as the same batch: its age alone is no change. */
export function batchSign(batch) {
    const { ageSeconds, why, ...rest } = batch;
    return JSON.stringify([rest, why?.replace(/\d+(\.\d+)?\s*(ms|s)\b/g, "")]);
}

/** A button in a row. */
export function rowButton(text, action, label, onclick, kind = "") {
    return make(`button${kind}`, { type: "button", "data-action": action, "aria-label": label, onclick }, text);
}

/** The name of a batch for a screen reader: its number and what it writes to. */
export function batchName(batch) {
    return `batch ${batch.id}, ${pathsText(batch.paths)}`;
}

/** Shows the causes of a list, each a way to see only the batches of the cause. `text` makes a cause readable. */
export async function showCauses(element, section, db, chosen, text = (cause) => cause) {
    const asked = JSON.stringify([db, chosen]);
    if (element.asked === asked && Date.now() - element.askedAt < CAUSES_MILLISECONDS) return;
    Object.assign(element, { asked, askedAt: Date.now() });
    const { causes, isComplete } = await get(`${section.name}/causes`, { db }).catch(() => ({ causes: [] }));
    const sign = JSON.stringify([db, chosen, causes.map(({ cause, count: number }) => [cause, number]), isComplete]);
    if (element.dataset.sign === sign) return;
    element.dataset.sign = sign;
    const focus = element.contains(document.activeElement) ? document.activeElement.dataset.cause : null;
    replace(element, (causes.length > 0 || chosen) && causeList(causes, section, db, chosen, isComplete, text));
    if (focus !== null) element.querySelector(`[data-cause="${CSS.escape(focus)}"]`)?.focus();
}

function causeList(causes, section, db, chosen, isComplete, text) {
    const total = causes.reduce((sum, { count: number }) => sum + number, 0);
    const link = (name, cause, number, title) => make("a.button", {
        href: hrefTo(section.name, { db, cause }), title, "data-cause": cause ?? "",
        "aria-current": (cause ?? "") === (chosen ?? "") ? "true" : null,
    }, name, make("span.chip", {}, count(number)));
    return make("nav.row", { "aria-label": "Causes" }, link("All", null, total, counted(total, "batch", "batches")),
        causes.map(({ cause, count: number, message }) => link(text(cause), cause, number, message)),
        isComplete === false && make("span.quiet", {}, "Only the first 10,000 are counted."));
}
