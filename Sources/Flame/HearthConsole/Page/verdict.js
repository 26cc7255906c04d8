// What rules said of a request, and the expression that decided.

import { make } from "./dom.js";
import { hrefTo } from "./route.js";

/** In one word, as a chip. */
export function verdictChip(isAllowed) {
    return make(`span.chip.${isAllowed ? "good" : "bad"}`, { "data-verdict": isAllowed ? "allowed" : "denied" },
        isAllowed ? "allowed" : "denied");
}

/** The expressions that decided, each with its place, its text and what it came to. */
export function grounds(verdict, db) {
    if (!verdict.grounds.length) return make("p.quiet", { "data-part": "ground" },
        verdict.path.startsWith("/") ? `No rule is about a ${verdict.method} of ${verdict.path}.`
        : `No allow statement is for a ${verdict.method} of ${verdict.path}.`);
    return make("ul.grounds", {}, verdict.grounds.map(({ line, column, text, outcome }) => {
        const place = `line ${line}, column ${column}`;
        return make("li", { "data-part": "ground", "data-line": line }, db ? make("a", { href: hrefTo("rules", { db, line }) }, place) : place,
            ": ", make("code.value", {}, text), ` is ${outcome}`);
    }));
}
