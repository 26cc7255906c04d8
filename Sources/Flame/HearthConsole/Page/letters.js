// The section "Dead letters": what the backend refused and why, and orders for one, some, or all of a cause.

import { get } from "./api.js";
import { batchCells, BatchList, batchName, batchSign, rowButton, showCauses } from "./batches.js";
import { editBatch } from "./batchediting.js";
import { cell, make } from "./dom.js";
import { ageElement } from "./quantity.js";
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
        const { letters, hasMore, next } = await get("dead-letters", { db, after, pageSize, cause });
        return { items: letters, hasMore, next };
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

    showExtra(element, db, { cause }) {
        return showCauses(element, section, db, cause);
    },
};

/** The whole section. */
export class LettersView extends BatchList {
    constructor(daemon, parameters) {
        super(daemon, parameters, section);
        this.title = "Dead letters";
    }
}
