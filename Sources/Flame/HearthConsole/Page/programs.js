// The section "Programs": what programs read and what the cache saves them, and which processes use the daemon, unit by
// unit, with what each listens to.

import { get } from "./api.js";
import { cell, emptyState, errorState, make, replace, waiting } from "./dom.js";
import { age, bytes, count, counted } from "./quantity.js";
import { ReadsPanel, saving, sums } from "./reads.js";
import { Rows } from "./rows.js";

const HEADS = ["Process", "User", "Connected for", "Listeners", "Reads today", "Saved today", "Writes", "Bytes", "Held for it"];

/** The whole section. */
export class ProgramsView {
    constructor(daemon) {
        this.title = "Programs";
        this.ending = new AbortController();
        this.open = new Set();
        this.list = make("div.stack");
        this.content = make("div", {}, waiting("Asking which programs there are…"));
        this.summary = make("span.quiet");
        this.readRows = [];
        this.reads = new ReadsPanel(this.ending.signal, (rows) => this.tookReads(rows));
        this.element = make("div.stack.tight", {}, make("div.page-head", {}, make("h1", {}, "Programs"), this.summary),
            this.reads.element, this.content);
        this.rows = new Rows(this.list, {
            key: ({ unit, processes }) => unit ?? `user ${processes[0]?.uid}`, sign: (unit) => this.sign(unit),
            render: (unit) => this.unit(unit),
        });
        daemon.on("overview sample", () => {
            this.refresh();
            this.reads.tick();
        }, this.ending.signal);
        this.reads.refresh();
        this.refresh();
    }

    update() {
        return true;
    }

    close() {
        this.ending.abort();
    }

    async refresh() {
        if (this.isLoading) return;
        this.isLoading = true;
        try {
            const { units } = await get("programs", {}, this.ending.signal);
            this.show(units);
        } catch (error) {
            if (!this.ending.signal.aborted && !this.units) replace(this.content,
                make("section.panel", {}, errorState(error, () => this.refresh())));
        } finally {
            this.isLoading = false;
        }
    }

    tookReads(rows) {
        this.readRows = rows;
        if (this.units) this.rows.show(this.units);
    }

    // Programs of today's ledger that a test of the program accepts, added up; null if there are none.
    readsOf(isWanted) {
        const found = this.readRows.filter(({ program }) => program && isWanted(program));
        const add = (key) => found.reduce((sum, row) => sum + Number(row[key]), 0);
        return found.length ? { reads: add("reads"), alone: add("alone"), saved: add("saved") } : null;
    }

    // The ledger knows a program by user, service and name, and no process.
    readsOfProcess({ uid, unit, program }) {
        const service = unit?.endsWith(".service") ? unit : null;
        return this.readsOf((row) => row.uid === uid && row.unit === service && row.name === (program ?? ""));
    }

    sign(unit) {
        return unitSign(unit) + JSON.stringify([unit.unit && this.readsOf((program) => program.unit === unit.unit),
            unit.processes.map((process) => this.readsOfProcess(process))]);
    }

    show(units) {
        this.units = units;
        const processCount = units.reduce((sum, { processes }) => sum + processes.length, 0);
        replace(this.summary, `${counted(processCount, "process", "processes")} in ${counted(units.length, "unit")}`);
        this.rows.show(units);
        if (!units.length) {
            replace(this.content, make("section.panel", {}, emptyState("No program is connected",
                "A program appears here as soon as it opens the daemon's socket, for example by hearth listen rooms.")));
        } else if (this.list.parentElement !== this.content) {
            replace(this.content, this.list);
        }
    }

    unit({ unit, processes }) {
        const listenerCount = processes.reduce((sum, process) => sum + process.listeners.length, 0);
        return make("section.panel", { "data-unit": unit ?? "", "aria-label": unit ?? "Without a unit" },
            make("div.panel-head", {}, make("h2.break.grow", {}, unit ?? "Without a unit"),
                make("span.quiet", {}, `${counted(processes.length, "process", "processes")}, ${counted(listenerCount, "listener")}`)),
            make("div.scroll", {}, make("table.cards.even", {}, make("caption.unseen", {}, `Processes of ${unit ?? "no unit"}`),
                make("thead", {}, make("tr", {}, HEADS.map((name) => make("th", { scope: "col" }, name)))),
                make("tbody", {}, processes.map((process) => this.process(process))))), this.foot(unit));
    }

    foot(unit) {
        const reads = unit && this.readsOf((program) => program.unit === unit);
        return reads && make("div.panel-foot", { "data-unit-reads": unit }, `Today: ${sums(reads)}`);
    }

    process(process) {
        const held = process.sessions.reduce((sum, session) => sum + session.heldBytes, 0);
        const oldest = Math.max(0, ...process.sessions.map((session) => session.ageSeconds));
        const reads = this.readsOfProcess(process);
        const add = (key) => process.sessions.reduce((sum, session) => sum + (session[key] ?? 0), 0);
        return make("tr", { "data-pid": process.pid },
            cell("Process", { kind: "th", scope: "row" }, make("div", {}, make("div", {}, process.program ?? "no name"),
                make("div.small.quiet.number", {}, `process ${process.pid}`))),
            cell("User", {}, process.userName ?? String(process.uid)), cell("Connected", {}, age(oldest)),
            cell("Listeners", {}, this.listeners(process)),
            cell("Reads", {}, told(reads?.reads, count)), cell("Saved", {}, reads ? saving(reads) : told(null)),
            cell("Writes", {}, count(add("writes"))),
            cell("Bytes", { title: "to the daemon, and from it" }, make("div", {}, `${bytes(add("receivedBytes"))} in, `,
                make("wbr"), `${bytes(add("sentBytes"))} out`)),
            cell("Held", {}, bytes(held)));
    }

    // The list stays open when the row is made anew.
    listeners({ pid, listeners }) {
        if (!listeners.length) return make("span.quiet", {}, "none");
        const key = String(pid);
        const details = make("details", {
            open: this.open.has(key),
            ontoggle: (event) => event.target.open ? this.open.add(key) : this.open.delete(key),
        }, make("summary", { "data-action": `listeners ${key}` }, count(listeners.length)),
            make("ul.stack.tight", {}, listeners.map(({ db, query }) =>
            make("li", {}, make("div.mono.break", {}, query), make("div.small.quiet.break", {}, db ?? "")))));
        return details;
    }
}

function told(number, text) {
    return number === undefined || number === null ? make("span.quiet", {}, "–") : make("span.number", {}, text(number));
}

// Ages change all the time; a row is made anew for them once a minute. Reads are of the whole program, since midnight UTC.
function unitSign({ unit, processes }) {
    return JSON.stringify([unit, processes.map(({ sessions, ...rest }) =>
        [rest, sessions.map(({ ageSeconds, ...session }) => [session, Math.floor(ageSeconds / 60)])])]);
}
