// What programs have read from Firestore as Google bills it, and what the cache has saved each of them.

import { get } from "./api.js";
import { cell, emptyState, errorState, make, replace, segments, waiting } from "./dom.js";
import { ageElement, count } from "./quantity.js";

const GROUPINGS = [["program", "By program"], ["query", "By query"], ["listener", "By listener"], ["day", "By day"]];
const SPANS = [["1", "Today"], ["7", "7 days"], ["30", "30 days"]];
// Rows of one table on the page; the rest is told by number.
const ROW_COUNT_MAX = 100;
// How often the page asks anew: days that are over come from the daemon's disk.
const REFRESH_MILLISECONDS = { 1: 2_000, 7: 15_000, 30: 15_000 };

/** The panel with the ledger of each Firestore database. `loaded` is told today's rows by program, if these were asked. */
export class ReadsPanel {
    constructor(signal, loaded) {
        Object.assign(this, { signal, loaded, by: "program", days: "1" });
        this.content = make("div", {}, waiting("Asking what was read…"));
        this.element = make("section.panel", { "aria-label": "Document reads", "data-panel": "reads" },
            make("div.panel-head", {}, make("h2.grow", {}, "Document reads"),
                segments("Rows of the table", GROUPINGS, this.by, (by) => this.choose({ by })),
                segments("Days", SPANS, this.days, (days) => this.choose({ days }))), this.content);
    }

    choose(what) {
        Object.assign(this, what);
        this.sign = null;
        this.isLoading = false;
        this.refresh();
    }

    /** Asks again, if it is time. */
    tick() {
        if (Date.now() - (this.askedAt ?? 0) >= REFRESH_MILLISECONDS[this.days]) this.refresh();
    }

    // What was asked before another choice is not shown any more.
    async refresh() {
        if (this.isLoading) return;
        this.isLoading = true;
        this.askedAt = Date.now();
        const { by, days } = this;
        const isChosen = () => by === this.by && days === this.days;
        try {
            const { ledgers } = await get("ledger", { by, days }, this.signal);
            if (!isChosen()) return;
            this.show(ledgers);
            if (by === "program" && days === "1") this.loaded(ledgers.flatMap(({ rows }) => rows));
        } catch (error) {
            if (!this.signal.aborted && isChosen() && !this.sign) replace(this.content, errorState(error, () => this.refresh()));
        } finally {
            if (isChosen()) this.isLoading = false;
        }
    }

    // A table that has not changed stays, so that what is marked or focused in it stays too.
    show(ledgers) {
        const sign = JSON.stringify(ledgers);
        if (sign === this.sign) return;
        this.sign = sign;
        const isEmpty = ledgers.every(({ rows }) => !rows.length);
        replace(this.content, isEmpty ? emptyState("Nothing was read", this.by === "listener"
            ? "A listener appears here with its query while it lasts."
            : "What a program reads from Firestore through this daemon is counted here, as Google bills it.")
            : ledgers.filter(({ rows }) => rows.length).map((ledger) => this.ledger(ledger, ledgers.length > 1)));
    }

    ledger(ledger, isOneOfMany) {
        const { db, rows, total } = ledger;
        const name = GROUPINGS.find(([by]) => by === this.by)[1].slice("By ".length);
        const heads = [name, "Reads", "Alone", "Saved", ...this.by === "program" || this.by === "listener" ? ["Budget of today"] : []];
        return [isOneOfMany && make("h3.panel-body.break", {}, db),
            make("div.scroll", {}, make("table.cards", { "data-ledger": db }, make("caption.unseen", {}, `Reads of ${db} by ${name}`),
                make("thead", {}, make("tr", {}, heads.map((head, place) =>
                    make(place > 0 && place < 4 ? "th.right" : "th", { scope: "col" }, capital(head))))),
                make("tbody", {}, rows.slice(0, ROW_COUNT_MAX).map((row) => this.row(row, heads.length))))),
            make("div.panel-foot", {}, `${sums(total)} since ${ledger.since.slice(0, 10)}, ${budgets(ledger)}`,
                rows.length > ROW_COUNT_MAX && `; ${count(rows.length - ROW_COUNT_MAX)} more rows: hearth ledger`)];
    }

    row(row, columnCount) {
        return make("tr", { "data-reads": row.program?.name ?? row.query ?? row.day ?? "" },
            cell(null, { kind: "th", scope: "row" }, name(row)),
            cell("Reads", { class: "right number" }, make("span", {}, count(row.reads))),
            cell("Alone", { class: "right number" }, make("span", {}, count(row.alone))),
            cell("Saved", { class: "right number" }, make("span", {}, saving(row))),
            columnCount > 4 && cell("Budget", {}, budget(row)));
    }
}

function name({ program, query, day, session, listensSince }) {
    if (day) return make("span.number", {}, day);
    return make("div", {}, query && make("div.mono.break", {}, query), program && make("div", {}, programText(program)),
        program && (program.unit || program.uid !== null) && make("div.small.quiet.break", {},
            [program.unit, program.userName ?? program.uid].filter((part) => part !== null).join(", ")),
        session !== null && make("div.small.quiet", {}, `session ${session}, for `, ageElement(make("time"), listensSince)));
}

function programText({ name }) {
    return name || "no name";
}

/** What was saved, and which part that is: `1,200 (83 %)`. */
export function saving({ saved, alone }) {
    return alone ? `${count(saved)} (${Math.floor(100 * Number(saved) / Number(alone))} %)` : count(saved);
}

/** Reads in a line. */
export function sums({ reads, alone, saved }) {
    return `${count(reads)} documents billed, ${count(alone)} alone, ${count(saved)} saved`;
}

function budget({ budget, stopped }) {
    if (!budget) return make("span.quiet", {}, "none");
    const part = Math.floor(100 * Number(budget.used) / Number(budget.limit));
    const owner = budget.of === "program" ? "its own" : `its ${budget.of}'s`;
    const text = stopped ? `stopped, ${owner}` : part >= 100 ? `used up, ${owner}` : `${part} %, ${owner}`;
    const kind = stopped || part >= 100 ? ".bad" : part >= 80 ? ".warn" : "";
    return make("div", {}, make(`span.chip${kind}`, {}, text),
        make("div.small.quiet.number", {}, `${count(budget.used)} of ${count(budget.limit)}`));
}

function budgets({ readBudget, uidReadBudget, stopsAtBudget }) {
    const parts = [readBudget !== null && `${count(readBudget)} a program`, uidReadBudget !== null && `${count(uidReadBudget)} a user`]
        .filter(Boolean);
    return parts.length ? `budget of a day ${parts.join(", ")}, then ${stopsAtBudget ? "stop" : "a warning"}` : "no budget for everyone";
}

function capital(text) {
    return text[0].toUpperCase() + text.slice(1);
}
