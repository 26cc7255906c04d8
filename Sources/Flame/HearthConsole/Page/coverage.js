// What the expressions of rules have come to, painted on their source, and as a list for who sees no colours.

import { cell, make } from "./dom.js";
import { counted } from "./quantity.js";

const toneTexts = {
    never: "never evaluated", true: "true only", false: "false only", both: "true and false", failed: "failed", value: "another value",
};

/** How often an expression came to what. */
function tally({ values = [] }) {
    const sums = { true: 0, false: 0, other: 0, failed: 0 };
    for (const { value, count } of values) {
        if (value.boolValue === true) sums.true += count;
        else if (value.boolValue === false) sums.false += count;
        else if (value.undefined !== undefined) sums.failed += count;
        else if (Object.keys(value).length) sums.other += count;  // An empty value: passed over by what is around it.
    }
    return sums;
}

function toneOf(sums) {
    if (sums.true && sums.false) return "both";
    if (sums.true) return "true";
    if (sums.false) return "false";
    if (sums.other) return "value";
    return sums.failed ? "failed" : "never";
}

function countsText(sums) {
    const parts = Object.entries(sums).filter(([, count]) => count).map(([name, count]) => `${name} ${count}×`);
    return parts.join(", ") || "never evaluated";
}

// The source in pieces, each with the innermost expression around it, and with the colour of the innermost one that is true or
// false, because the parts of a comparison say nothing by themselves. Places count characters of Unicode, as JavaScript's text
// does not.
function pieces(characters, nodes) {
    const found = [];
    let offset = 0;
    const upTo = (end, node, tone) => {
        if (end > offset) found.push({ text: characters.slice(offset, end).join(""), node, tone });
        offset = Math.max(offset, end);
    };
    const walk = (list, around, tone) => {
        const inOrder = [...list].sort((one, other) => one.sourcePosition.currentOffset - other.sourcePosition.currentOffset);
        for (const node of inOrder) {
            const own = toneOf(tally(node));
            const shown = own === "value" && tone ? tone : own;
            upTo(node.sourcePosition.currentOffset, around, tone);
            walk(node.children ?? [], node, shown);
            upTo(node.sourcePosition.endOffset + 1, node, shown);
        }
    };
    walk(nodes, null, null);
    upTo(characters.length, null);
    return found;
}

/** The source with line numbers, each expression in the colour of its outcome; `decided` has the lines that decided. */
export function paintedSource(source, report, decided = []) {
    const list = make("ol.code", { tabindex: "0", "aria-label": "Rules with line numbers", role: "list" });
    let line = null;
    const begin = () => {
        const number = list.childElementCount + 1;
        line = make(`li${decided.includes(number) ? ".decided" : ""}`, { "data-line": number });
        list.append(line);
    };
    begin();
    for (const { text, node, tone } of pieces(Array.from(source), report)) {
        text.split("\n").forEach((part, place) => {
            if (place) begin();
            if (part) line.append(node ? make(`span.tone.${tone}`, { title: countsText(tally(node)) }, part) : part);
        });
    }
    return list;
}

/** What the colours mean. */
export function legend() {
    return make("ul.row.small", { "aria-label": "Colours" }, Object.entries(toneTexts).map(([tone, text]) =>
        make("li", {}, make(`span.tone.${tone}`, {}, text))));
}

/** Every expression with its counts. */
export function countList(source, report) {
    const characters = Array.from(source);
    const nodes = [];
    const gather = (list) => list.forEach((node) => { nodes.push(node); gather(node.children ?? []); });
    gather(report);
    const never = nodes.filter((node) => toneOf(tally(node)) === "never").length;
    const summary = `Counts of ${counted(nodes.length, "expression")}${never ? `, ${never} never evaluated` : ""}`;
    const heads = ["Place", "Expression", "Counts"].map((name) => make("th", { scope: "col" }, name));
    return make("details", {}, make("summary", {}, summary), make("div.scroll", {}, make("table.cards", {},
        make("caption.unseen", {}, "Expressions"), make("thead", {}, make("tr", {}, heads)),
        make("tbody", {}, nodes.map((node) => countRow(characters, node))))));
}

function countRow(characters, node) {
    const { line, column, currentOffset, endOffset } = node.sourcePosition;
    const sums = tally(node);
    return make("tr", { "data-tone": toneOf(sums) }, cell("Place", { kind: "th", scope: "row", class: "tight" }, `${line}:${column}`),
        cell("Expression", {}, make("div.value.preview", {}, characters.slice(currentOffset, endOffset + 1).join(""))),
        cell("Counts", {}, make("span", {}, countsText(sums))));
}
