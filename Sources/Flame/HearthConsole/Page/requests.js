// The requests to an emulator, newest first, while they come: who asked for what, and which expression of the rules decided.

import { Stream } from "./api.js";
import { cell, emptyState, errorState, labelled, make, replace, selection } from "./dom.js";
import { counted, duration } from "./quantity.js";
import { hrefTo } from "./route.js";
import { Rows } from "./rows.js";
import { grounds, verdictChip } from "./verdict.js";

/** Requests that the page keeps; the emulator keeps more. */
const KEPT_COUNT_MAX = 500;
const SHOWN_COUNT_MAX = 100;
const FRAME_MILLISECONDS = 60;
const PATH_COUNT_MAX = 5;

/** The whole section. */
export class RequestsView {
    constructor(daemon) {
        this.title = "Requests";
        this.entries = [];
        this.isPaused = false;
        this.which = selection([["all", "All"], ["denied", "Denied by rules"], ["failed", "Failed"]], "all",
            { "data-part": "which", onchange: () => this.show() });
        this.words = make("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "method, path or user",
            "data-part": "words", oninput: () => this.show() });
        this.pause = make("button", { type: "button", "data-action": "pause", "aria-pressed": "false", onclick: () => this.turn() }, "Pause");
        this.note = make("span.grow", { role: "status" });
        this.body = make("tbody");
        this.table = make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, "Requests"),
            make("thead", {}, make("tr", {}, ["Time", "Request", "Who", "Status", "Rules"].map((name) => make("th", { scope: "col" }, name)))),
            this.body));
        this.rows = new Rows(this.body, { key: ({ number }) => String(number), sign: ({ number }) => String(number),
            render: row, flashes: true });
        this.content = make("div.panel-content");
        this.element = make("div", {}, make("h1.unseen", {}, "Requests"), make("section.panel", { "aria-label": "Requests" },
            make("div.panel-head.end", {}, labelled("Show", this.which), make("div.grow", {}, labelled("With the words", this.words)), this.pause,
                make("button", { type: "button", "data-action": "clear", onclick: () => this.clear() }, "Clear")),
            this.content, make("div.panel-foot", {}, this.note)));
        this.show();
        this.follow();
    }

    close() {
        this.stream?.close();
        clearTimeout(this.timer);
    }

    update() {
        return true;
    }

    // A stream that connects again begins anew; the numbers tell what is known already.
    follow() {
        this.stream = new Stream("requests", {}, {
            requests: ({ entries }) => this.took(entries),
            failed: (error) => replace(this.content, errorState(error)),
        });
    }

    took(entries) {
        if (this.isFirst !== false) this.rows.isFirst = true;  // What was there before is no news.
        this.isFirst = false;
        const last = this.entries[0]?.number ?? this.cleared ?? 0;
        const isOlderRun = entries.length > 0 && entries[0].number < last;
        if (isOlderRun) this.cleared = 0;  // The emulator has begun anew.
        const fresh = isOlderRun ? entries : entries.filter(({ number }) => number > last);
        this.entries = [...fresh, ...(isOlderRun ? [] : this.entries)].slice(0, KEPT_COUNT_MAX);
        if (!this.isPaused) this.timer ??= setTimeout(() => {
            this.timer = null;
            this.show();
        }, FRAME_MILLISECONDS);
    }

    turn() {
        this.isPaused = !this.isPaused;
        this.pause.setAttribute("aria-pressed", String(this.isPaused));
        replace(this.pause, this.isPaused ? "Go on" : "Pause");
        this.show();
    }

    clear() {
        this.cleared = this.entries[0]?.number ?? this.cleared ?? 0;
        this.entries = [];
        this.show();
    }

    show() {
        const matches = this.entries.filter((entry) => this.isWanted(entry));
        const shown = matches.slice(0, SHOWN_COUNT_MAX);
        this.rows.show(shown);
        if (!shown.length) replace(this.content, emptyState("No request yet",
            "Whatever a program asks of this emulator appears here. What this page asks does not."));
        else if (!this.content.contains(this.table)) replace(this.content, this.table);
        replace(this.note, `${counted(matches.length, "request")}${matches.length > shown.length ? `, the newest ${shown.length} shown` : ""}`
            + (this.isPaused ? ", paused" : ", live"));
    }

    isWanted(entry) {
        const which = this.which.value;
        if (which === "denied" && !isDenied(entry)) return false;
        if (which === "failed" && entry.status === "OK") return false;
        const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
        const text = [entry.method, entry.db, ...entry.paths, whoText(entry.who), entry.status].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
    }
}

function isDenied({ verdicts }) {
    return verdicts.some(({ isAllowed }) => !isAllowed);
}

function whoText({ kind, uid }) {
    return { owner: "the owner", user: uid, nobody: "nobody" }[kind];
}

function row(entry) {
    const isGood = entry.status === "OK";
    return make("tr", { "data-request": entry.number, "data-method": entry.method, "data-status": entry.status },
        cell("Time", { kind: "th", scope: "row", class: "tight" }, make("div", {}, make("time", { datetime: entry.at }, clockText(entry.at)),
            make("div.small.quiet", {}, duration(entry.durationSeconds)))),
        cell("Request", {}, make("div", {}, make("strong", {}, entry.method), paths(entry))),
        cell("Who", { class: "tight" }, make("span.break", {}, whoText(entry.who))),
        cell("Status", {}, make("div", {}, make(`span.chip.${isGood ? "plain" : "bad"}`, {}, entry.status),
            !isGood && make("div.small.quiet.break", {}, entry.message?.split("\n")[0]))),
        cell("Rules", {}, rules(entry)));
}

function clockText(at) {
    return new Date(at).toLocaleTimeString("en-GB",
        { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
}

function paths({ db, paths: all, pathCount }) {
    const more = pathCount - Math.min(all.length, PATH_COUNT_MAX);
    return make("div.small", {}, all.slice(0, PATH_COUNT_MAX).map((path) => make("div", {}, path.includes("*") ? make("span.mono.break", {}, path)
        : make("a.mono.break", { href: hrefTo("data", { db, path }) }, path))), more > 0 && make("div.quiet", {}, `and ${more} more`));
}

// The refusals stand first: they are what somebody looks for.
function rules({ db, who, verdicts }) {
    if (!verdicts.length) return make("span.quiet", {}, who.kind === "owner" ? "not asked: the owner" : "not asked");
    const ordered = [...verdicts].sort((one, other) => one.isAllowed - other.isAllowed);
    return make("div.stack.tight", {}, ordered.slice(0, PATH_COUNT_MAX).map((verdict) => make("div", {},
        make("div.row", {}, verdictChip(verdict.isAllowed), make("span.small.quiet.break", {}, `${verdict.method} ${verdict.path}`),
            make("a.small", { "data-action": "try", href: hrefTo("rules", { db, method: verdict.method, path: verdict.path, uid: who.uid }) },
                "Try")), make("div.small", {}, grounds(verdict, db)))));
}
