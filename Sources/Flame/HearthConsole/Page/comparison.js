// How the cache and the backend differ over a query, document by document.

import { cell, emptyState, make } from "./dom.js";
import { count, counted, duration, writerText } from "./quantity.js";
import { hrefTo } from "./route.js";
import { shown } from "./values.js";

const kindTexts = {
    different: ["different", "warn"], onlyInCache: ["only in the cache", "info"], onlyInBackend: ["only in the backend", "info"],
};
const FIELD_COUNT_MAX = 20;

/** What a comparison found. */
export function comparison(db, answer) {
    const { cache, backend, equalCount, differences, hasMore } = answer;
    const facts = [
        ["In the cache", `${count(cache.count)} in ${duration(cache.durationSeconds)}`],
        ["In the backend", `${count(backend.count)} in ${duration(backend.durationSeconds)}`],
        ["Equal", count(equalCount)], ["Different", count(differences.length) + (hasMore ? " or more" : "")],
    ];
    return make("section.panel", { "aria-label": "Cache and backend", "data-part": "comparison" },
        make("div.panel-body", {}, make("dl.row.wide", {}, facts.map(([name, text]) =>
            make("div", {}, make("dt.small.quiet", {}, name), make("dd", {}, text))))),
        differences.length ? table(db, differences)
            : emptyState("No difference", "Every document of this query is the same in the cache and in the backend."),
        make("p.panel-foot", {}, "The cache was read first. Reading the backend brings it up to date: a second comparison finds less."));
}

function table(db, differences) {
    const heads = ["Document", "Difference", "Cache", "Backend"];
    return make("div.scroll", {}, make("table.cards", {}, make("caption.unseen", {}, "Differences"),
        make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, differences.map((difference) => row(db, difference)))));
}

function row(db, { path, kind, fields, isPending, writers, cache, backend }) {
    const [text, colour] = kindTexts[kind] ?? [kind, ""];
    const who = (writers ?? []).map(writerText).join(", ");
    return make(`tr${isPending ? ".pending" : ""}`, { "data-path": path, "data-kind": kind },
        cell("Document", { kind: "th", scope: "row" }, make("a.mono.break", { href: hrefTo("data", { db, path }) }, path)),
        cell("Difference", {}, make("div", {}, make(`span.chip.${colour || "plain"}`, {}, text),
            isPending && make("div.small.quiet.break", {}, `a write waits${who && `, by ${who}`}`))),
        cell("Cache", {}, side(cache, fields)), cell("Backend", {}, side(backend, fields)));
}

// Only the fields that differ; all of a document that the other side lacks.
function side(document, fields) {
    if (!document?.exists) return make("span.quiet", {}, "not there");
    const names = fields?.length ? fields : Object.keys(document.fields ?? {});
    const lines = names.slice(0, FIELD_COUNT_MAX).map((name) => {
        const value = document.fields?.[name];
        return make("div", {}, make("span.quiet", {}, `${name} `), value === undefined ? make("em.quiet", {}, "absent") : shown(value, 1));
    });
    const more = names.length - FIELD_COUNT_MAX;
    return make("div.value", {}, lines, more > 0 && make("div.quiet", {}, `and ${counted(more, "field")} more`));
}
