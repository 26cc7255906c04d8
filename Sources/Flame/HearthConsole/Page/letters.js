// The section "Dead letters": what the backend refused and why, and orders for one, some, or all of a cause.

import { get } from "./api.js";
import { batchCells, BatchList, batchName, batchSign, rowButton } from "./batches.js";
import { editBatch } from "./batchediting.js";
import { cell, make, replace } from "./dom.js";
import { ageElement, count, counted } from "./quantity.js";
import { hrefTo } from "./route.js";
import { steer } from "./steering.js";

const section = {
    name: "dead-letters",
    heading: "Dead letters",
    hint: "Kept until somebody decides.",
    columns: ["Batch", "Cause", "What", "Who", "Written", "Why it was rejected"],
    empty: ({ cause }) => cause
        ? [`Nothing was rejected with ${cause}`, "Choose another cause above, or all."]
        : ["No dead letters",
            "A write that the backend rejects comes to lie here with its writer and the reason, until somebody decides."],
    idOf: (letter) => letter.batch.id,
    sign: (letter) => JSON.stringify([letter.cause, letter.error, letter.rejectedAt]) + batchSign(letter.batch),

    async load(db, after, pageSize, { cause }) {
        const { letters, hasMore } = await get("dead-letters", { db, after, pageSize, cause });
        return { items: letters, hasMore };
    },

    cells(letter, db) {
        const doubt = letter.mayHaveBeenApplied && make("div", {}, make("span.chip.warn", {}, "may have been applied"));
        return [
            ...batchCells(letter.batch, [make("span.chip.bad", {}, make("span.cut", {}, letter.cause)), doubt],
                (path) => hrefTo("data", { db, path })),
            cell("Why", {}, make("div", {}, make("div.small.break", {}, letter.error.message), letter.rejectedAt
                && make("div.small.quiet", {}, "rejected ", ageElement(make("time"), letter.rejectedAt), " ago"))),
        ];
    },

    actions(letter, db, done) {
        const order = (text, order, isDanger) => rowButton(text, order, `${text} ${batchName(letter.batch)}`, async () => {
            if (await steer(db, { order, ids: [letter.batch.id] }, `${text} batch #${letter.batch.id}`, { isDanger })) done();
        }, isDanger ? ".plain.danger" : ".plain");
        return [
            order("Retry", "retryDeadLetters"),
            rowButton("Edit", "edit", `Edit ${batchName(letter.batch)}`,
                async () => await editBatch(db, letter.batch, "dead-letters") && done(), ".plain"),
            order("Drop", "dropDeadLetters", true),
        ];
    },

    bulk(ids, db, { cause }, done) {
        const selection = ids.length ? { ids } : cause ? { cause } : { all: true };
        const which = ids.length ? "chosen" : cause ? `all of ${cause}` : "all";
        const order = (text, order, isDanger) => make(`button${isDanger ? ".danger" : ""}`, {
            type: "button", "data-bulk": order,
            onclick: async () => await steer(db, { order, ...selection }, `${text} ${which}`, { isDanger }) && done(),
        }, `${text} ${which}`);
        return [order("Retry", "retryDeadLetters"), order("Drop", "dropDeadLetters", true)];
    },

    // The causes, each a way to see only its letters.
    async showExtra(element, db, { cause }) {
        const { causes, isComplete } = await get("dead-letters/causes", { db }).catch(() => ({ causes: [] }));
        const sign = JSON.stringify([db, cause, causes.map(({ cause: name, count: number }) => [name, number]), isComplete]);
        if (element.dataset.sign === sign) return;
        element.dataset.sign = sign;
        const focus = element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
        replace(element, causes.length > 0 && causeList(causes, db, cause, isComplete));
        if (focus) element.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
    },
};

function causeList(causes, db, chosen, isComplete) {
    const total = causes.reduce((sum, { count: number }) => sum + number, 0);
    const link = (text, cause, number, title) => make("a.button", {
        href: hrefTo("dead-letters", { db, cause }), title, "data-focus": text,
        "aria-current": (cause ?? "") === (chosen ?? "") ? "true" : null,
    }, text, make("span.chip", {}, count(number)));
    return make("nav.row", { "aria-label": "Causes" }, link("All", null, total, counted(total, "dead letter")),
        causes.map(({ cause, count: number, message }) => link(cause, cause, number, message)),
        isComplete === false && make("span.quiet", {}, "Only the first 10,000 are counted."));
}

/** The whole section. */
export class LettersView extends BatchList {
    constructor(daemon, parameters) {
        super(daemon, parameters, section);
        this.title = "Dead letters";
    }
}
