// The section "Programs": which processes use the daemon, unit by unit, and what each listens to.

import { get } from "./api.js";
import { cell, emptyState, errorState, make, replace, waiting } from "./dom.js";
import { age, bytes, count, counted } from "./quantity.js";
import { Rows } from "./rows.js";

/** The whole section. */
export class ProgramsView {
    constructor(daemon) {
        this.title = "Programs";
        this.ending = new AbortController();
        this.open = new Set();
        this.list = make("div.stack");
        this.content = make("div", {}, waiting("Asking which programs there are…"));
        this.summary = make("span.quiet");
        this.element = make("div.stack.tight", {}, make("div.page-head", {}, make("h1", {}, "Programs"), this.summary), this.content);
        this.rows = new Rows(this.list, {
            key: ({ unit, processes }) => unit ?? `user ${processes[0]?.uid}`, sign: unitSign, render: (unit) => this.unit(unit),
        });
        daemon.on("overview sample", () => this.refresh(), this.ending.signal);
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
                make("thead", {}, make("tr", {},
                    ["Process", "User", "Connected for", "Listeners", "Reads", "Writes", "Bytes", "Held for it"].map((name) =>
                    make("th", { scope: "col" }, name)))), make("tbody", {}, processes.map((process) => this.process(process))))));
    }

    process(process) {
        const held = process.sessions.reduce((sum, session) => sum + session.heldBytes, 0);
        const oldest = Math.max(0, ...process.sessions.map((session) => session.ageSeconds));
        return make("tr", { "data-pid": process.pid },
            cell("Process", { kind: "th", scope: "row" }, make("div", {}, make("div", {}, process.program ?? "no name"),
                make("div.small.quiet.number", {}, `process ${process.pid}`))),
            cell("User", {}, process.userName ?? String(process.uid)), cell("Connected", {}, age(oldest)),
            cell("Listeners", {}, this.listeners(process)),
            cell("Reads", {}, told(process.reads, count)), cell("Writes", {}, told(process.writes, count)),
            cell("Bytes", {}, told(process.bytes, bytes)),
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

// Ages change all the time; a row is made anew for them once a minute.
function unitSign({ unit, processes }) {
    return JSON.stringify([unit, processes.map(({ sessions, ...rest }) =>
        [rest, sessions.map(({ ageSeconds, ...session }) => [session, Math.floor(ageSeconds / 60)])])]);
}
