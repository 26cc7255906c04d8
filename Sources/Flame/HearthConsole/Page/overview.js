// The section "Overview": how every database stands now, and how the last hour went.

import { post } from "./api.js";
import { toast } from "./dialog.js";
import { cell, emptyState, make, replace, waiting } from "./dom.js";
import { Graph } from "./graph.js";
import { ageElement, bytes, count, counted, duration, moment, rate } from "./quantity.js";
import { hrefTo } from "./route.js";
import { steer } from "./steering.js";

/** What a state means for people, and its colour. */
export const states = {
    live: ["good", "The backend answers and somebody listens."],
    idle: ["good", "Nobody listens, and nothing waits."],
    connecting: ["info", "The backend is being tried."],
    offline: ["warn", "The backend does not answer. Programs read from the cache, and their writes wait."],
    "network off": ["warn", "An administrator keeps the daemon from the backend."],
    degraded: ["bad", "The daemon does less than it should."],
    unreachable: ["bad", "The daemon does not answer."],
};

/** The whole section. */
export class OverviewView {
    constructor(daemon) {
        this.daemon = daemon;
        this.title = "Overview";
        this.ending = new AbortController();
        this.panels = make("div.stack", {}, waiting("Asking the daemon…"));
        this.graphs = graphs();
        this.hour = make("section.stack.tight", { "aria-labelledby": "hour" }, make("h2", { id: "hour" }, "The last hour"),
            make("div.graphs", {}, this.graphs.map((graph) => graph.element)));
        this.element = make("div.stack", {}, make("h1.unseen", {}, "Overview"), this.panels, this.hour);
        daemon.on("overview", () => this.show(), this.ending.signal);
        daemon.on("sample history", () => this.showHour(), this.ending.signal);
        if (daemon.overview) this.show();
        this.showHour();
    }

    update() {
        return true;
    }

    close() {
        this.ending.abort();
        this.graphs.forEach((graph) => graph.close());
    }

    show() {
        const { daemon, databases, identity } = this.daemon.overview;
        const focus = document.activeElement?.dataset?.focus;
        const problem = identity?.problem && make("p.note.bad", {}, identity.problem);
        if (databases.length) replace(this.panels, problem, databases.map((database) => panel(database, this.daemon.takenAt)));
        else replace(this.panels, make("section.panel", {}, daemon.isReachable ? nothing() : gone(daemon.error)));
        if (focus) this.panels.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
    }

    showHour() {
        for (const graph of this.graphs) graph.show(this.daemon.samples);
    }
}

function graphs() {
    const seconds = (number) => duration(number);
    const perSecond = (number) => `${rate(number)}/s`;
    return [
        new Graph({ title: "Queue", series: [{ name: "batches", of: (sample) => sample.queue }], text: rate, floor: 10 }),
        new Graph({
            title: "Writes", text: perSecond, floor: 10, series: [
                { name: "accepted", of: (sample) => sample.acceptedPerSecond },
                { name: "committed", of: (sample) => sample.committedPerSecond },
            ],
        }),
        new Graph({
            title: "Commit time", text: seconds, floor: 0.01, series: [
                { name: "backend", of: (sample) => sample.commitSeconds },
                { name: "disk", of: (sample) => sample.storeCommitSeconds },
            ],
        }),
        new Graph({ title: "Longest turn", text: seconds, floor: 0.001,
            series: [{ name: "", of: (sample) => sample.longestTurnSeconds }] }),
        new Graph({ title: "Snapshots", text: perSecond, floor: 10, series: [{ name: "", of: (sample) => sample.snapshotsPerSecond }] }),
    ];
}

function nothing() {
    return emptyState("No database is open",
        "The daemon opens a database when the first program asks for it, or you have no right in any.");
}

function gone(error) {
    return make("div.note-box.bad", {}, make("p.title", {}, "The daemon does not answer"), make("p", {}, error?.message ?? ""),
        make("p", {}, "Look at ", make("code", {}, "systemctl status hearthd"), ". This page goes on by itself once the daemon is back."));
}

function panel(database, takenAt) {
    const [colour, meaning] = states[database.state] ?? ["", ""];
    const isFirestore = database.service === "firestore";
    return make("section.panel", { "data-db": database.db, "aria-label": database.db },
        make("div.panel-head", {}, make("h2.break", {}, isFirestore ? database.db : database.instance ?? database.db),
            make("span.chip", {}, isFirestore ? "Cloud Firestore" : "Realtime Database"),
            make(`span.chip.dot.${colour || "plain"}`, { title: meaning, "data-state": database.state }, database.state),
            make("span.grow"), links(database)),
        make("dl.facts", {}, facts(database)), trouble(database, takenAt), causes(database));
}

function links(database) {
    const link = (text, section) =>
        make("a.button", { href: hrefTo(section, { db: database.db }), "data-focus": `${section} ${database.db}` }, text);
    return make("div.row", {}, link("Data", "data"), link("Queue", "queue"));
}

function facts(database) {
    const held = database.heldBatches ? `${count(database.heldBatches)} held` : "none held";
    const known = (text) => database.queueBatches === null ? "the store cannot be read" : text;
    return [
        fact("Queue", count(database.queueBatches), known(held), database.heldBatches ? "warn" : ""),
        fact("Oldest in the queue", oldest(database),
            known(database.oldestWrittenAt ? moment(database.oldestWrittenAt) : "nothing waits")),
        fact("Dead letters", count(database.deadLetters),
            known(database.deadLetters ? "wait for a decision" : "nothing was rejected"), database.deadLetters ? "bad" : ""),
        fact("Listeners", count(database.listeners), `${counted(database.clients, "program")}, ${counted(database.targets, "target")}`),
        database.service === "firestore"
            ? fact("Cached documents", count(database.cachedDocuments), bytes(database.cacheBytes))
            : fact("Kept places", count(database.keptPlaces), `${bytes(database.cacheBytes)} on disk`),
        fact("User", database.user || "nobody", database.upstream),
    ];
}

function oldest(database) {
    if (database.queueBatches === null) return "?";
    return database.oldestWrittenAt ? ageElement(make("time"), database.oldestWrittenAt) : "–";
}

function fact(name, text, note, colour) {
    return make(`div.fact${colour ? `.${colour}` : ""}`, {}, make("dt", {}, name), make("dd", {}, text), make("dd.more", {}, note));
}

// The last error, when the next attempt comes, why the daemon is degraded, and what the database has lost.
function trouble(database, takenAt) {
    const lines = [...database.degradedReasons, ...database.losses].map((reason) => make("p.note.bad", {}, reason));
    if (!database.isNetworkEnabled) lines.push(networkOff(database));
    if (database.lastError) lines.push(lastError(database, takenAt));
    return lines.length ? make("div.panel-body.stack.tight", {}, lines) : null;
}

function networkOff(database) {
    const connect = async () => {
        try {
            await post("network", { db: database.db, isEnabled: true });
            toast("The daemon may connect to the backend again.");
        } catch (error) {
            toast(error.message);
        }
    };
    return make("div.note.warn.row", {}, make("span.grow", {}, states["network off"][1]),
        make("button", { type: "button", "data-focus": `connect ${database.db}`, "data-action": "connect", onclick: connect },
            "Let it connect"));
}

function lastError(database, takenAt) {
    const line = make("div.note.warn.row", {}, make("span.grow.break", {}, make("strong", {}, "Last error "),
        database.lastErrorAt ? ageElement(make("time"), database.lastErrorAt, (seconds) => `${duration(Math.max(seconds, 1))} ago`) : "",
        `: ${database.lastError.code}: ${database.lastError.message}`));
    if (database.nextAttemptSeconds !== null) {
        const at = takenAt + database.nextAttemptSeconds * 1000;
        line.append(make("span.number", { "data-next": "" }, nextAttempt(at)), make("button", {
            type: "button", "data-focus": `retry ${database.db}`, "data-action": "retry",
            onclick: () => steer(database.db, { order: "retry" }, "Try the backend now"),
        }, "Try now"));
    }
    return line;
}

function nextAttempt(at) {
    const element = make("time");
    return ageElement(element, new Date().toISOString(), () => {
        const seconds = Math.ceil((at - Date.now()) / 1000);
        return seconds > 0 ? `next attempt in ${seconds} s` : "being tried";
    });
}

function causes(database) {
    if (!database.deadLetterCauses?.length) return null;
    const rows = database.deadLetterCauses.map(({ cause, count: number }) => make("tr", {},
        cell("", { kind: "th", scope: "row" }, make("code", {}, cause)), cell("Dead letters", { class: "right" }, count(number)),
        cell("", { class: "actions" }, make("a", {
            href: hrefTo("dead-letters", { db: database.db, cause }), "data-focus": `cause ${cause} ${database.db}`,
        }, "Show"))));
    return make("div.scroll", {}, make("table", {}, make("caption.unseen", {}, "Dead letters by cause"),
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Rejected because of"),
            make("th.right", { scope: "col" }, "Dead letters"),
            make("th", { scope: "col" }, make("span.unseen", {}, "Links")))), make("tbody", {}, rows)));
}
