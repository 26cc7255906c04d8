// The page: its sections, its banner, and the state in its head.

import { connection } from "./api.js";
import { Daemon } from "./daemon.js";
import { DataSection } from "./data.js";
import { make, replace } from "./dom.js";
import { OverviewView, states } from "./overview.js";
import { ProgramsView } from "./programs.js";
import { count } from "./quantity.js";
import { QueueView } from "./queue.js";
import { LettersView } from "./letters.js";
import { RequestsView } from "./requests.js";
import { route } from "./route.js";
import { RulesView } from "./rules.js";

const sections = {
    overview: OverviewView, data: DataSection, requests: RequestsView, rules: RulesView, queue: QueueView,
    "dead-letters": LettersView, programs: ProgramsView,
};

const daemon = new Daemon();
const main = document.getElementById("main");
let section = null;
let view = null;
let loss = null;
// The sections that this console serves, the first of them where a page begins; nothing until the console has told.
let served = null;

function serve(names) {
    if (served || !names) return;
    served = names;
    for (const link of document.querySelectorAll(".tabs a")) link.hidden = !names.includes(link.getAttribute("href").slice(2));
    show();
}

function show() {
    if (!served) return;
    if (location.hash === "#main") {
        history.replaceState(null, "", `#/${section ?? served[0]}`);
        main.focus();
        return;
    }
    const { section: wanted, parameters } = route();
    const next = served.includes(wanted) ? wanted : served[0];
    if (section !== next || !view.update(parameters)) open(next, parameters);
    document.title = `${view.title} – Hearth console`;
}

function open(next, parameters) {
    view?.close();
    section = next;
    view = new sections[next](daemon, parameters);
    replace(main, view.element);
    window.scrollTo(0, 0);
    for (const link of document.querySelectorAll(".tabs a")) {
        const isCurrent = link.getAttribute("href") === `#/${next}`;
        if (isCurrent) {
            link.setAttribute("aria-current", "page");
            link.scrollIntoView({ block: "nearest", inline: "nearest" });
        } else {
            link.removeAttribute("aria-current");
        }
    }
}

// The state of the worst database is that of the whole.
const order = ["unreachable", "degraded", "offline", "network off", "connecting", "live", "idle"];

function showHead() {
    const { databases, daemon: process } = daemon.overview ?? { databases: [], daemon: { isReachable: true } };
    const all = loss || !process.isReachable ? ["unreachable"] : databases.map((database) => database.state);
    const worst = order.find((state) => all.includes(state)) ?? "idle";
    const chip = document.getElementById("state");
    chip.className = `chip dot ${states[worst][0]}`;
    chip.title = states[worst][1];
    replace(chip, worst);
    badge("queue-count", total("queueBatches"));
    badge("letter-count", total("deadLetters"));
    const user = daemon.session?.user;
    replace(document.getElementById("who"), user ? user.name ?? user.uid : "");
    showBanner(databases, process);
}

// The sum of a figure; null if nobody knows the figure of every database. An emulator has no such figures.
function total(member) {
    const numbers = daemon.databases.map((database) => database[member]);
    return numbers.includes(null) ? null : numbers.reduce((sum, number) => sum + (number ?? 0), 0);
}

function badge(id, number) {
    const element = document.getElementById(id);
    element.hidden = number === 0;
    replace(element, number === 0 ? "" : count(number));
}

function showBanner(databases, process) {
    const banner = document.getElementById("banner");
    const offline = databases.filter((database) => database.state === "offline");
    if (loss) fillBanner(banner, "bad", `${loss.title}.`, `${loss.message} This page goes on by itself.`);
    else if (!process.isReachable) fillBanner(banner, "bad", "The daemon does not answer.",
        `${process.error?.message ?? ""} The page tries again by itself.`);
    else if (offline.length) fillBanner(banner, "", "The backend does not answer.",
        `What you see is the cache. Writes are kept, and sent once ${backends(offline)} is back.`);
    else banner.hidden = true;
}

function backends(databases) {
    return [...new Set(databases.map((database) => database.upstream))].join(" or ");
}

// The same words are not told twice, or a screen reader would say them once a second.
function fillBanner(banner, kind, title, text) {
    const words = `${title} ${text}`;
    if (!banner.hidden && banner.dataset.words === words) return;
    banner.className = `banner ${kind}`.trim();
    banner.dataset.words = words;
    replace(banner, make("strong", {}, title), make("span", {}, text));
    banner.hidden = false;
}

connection.addEventListener("lost", (event) => {
    loss = event.detail;
    showHead();
});
connection.addEventListener("found", () => {
    loss = null;
    showHead();
});
daemon.on("overview session", showHead);
daemon.on("session", () => serve(daemon.session.sections));
window.addEventListener("hashchange", show);
