// The section "Queue": which batches wait, why each one does, and orders for one, some or all of them.

import { get } from "./api.js";
import { batchCells, BatchList, batchName, batchSign, rowButton } from "./batches.js";
import { editBatch } from "./batchediting.js";
import { cell, make } from "./dom.js";
import { hrefTo } from "./route.js";
import { steer } from "./steering.js";

const stateNames = { queued: ["waits", ""], held: ["held", ".warn"], sentUnanswered: ["sent", ".info"] };

const section = {
    name: "queue",
    heading: "Queue",
    hint: "Oldest first. Batches are sent in this order.",
    columns: ["Batch", "State", "What", "Who", "Waits for", "Why it stands"],
    empty: () => ["Nothing waits",
        "Every write that a program made has reached the backend, or was rejected and lies in the dead letters."],
    idOf: (batch) => batch.id,
    sign: batchSign,

    async load(db, after, pageSize) {
        const { batches, hasMore } = await get("queue", { db, after, pageSize });
        return { items: batches, hasMore };
    },

    cells(batch, db) {
        const [name, colour] = stateNames[batch.state] ?? [batch.state, ""];
        const behind = batch.heldBy && batch.state !== "held" ? make("div.small.quiet", {}, `behind #${batch.heldBy}`) : null;
        return [
            ...batchCells(batch, [make(`span.chip${colour}`, { "data-state": batch.state }, name), behind],
                (path) => hrefTo("data", { db, path })),
            cell("Why", {}, make("span.small.break", {}, batch.why ?? "")),
        ];
    },

    actions(batch, db, done) {
        const order = (text, order, isDanger) => rowButton(text, order, `${text} ${batchName(batch)}`, async () => {
            if (await steer(db, { order, ids: [batch.id] }, `${text} batch #${batch.id}`, { isDanger })) done();
        }, isDanger ? ".plain.danger" : ".plain");
        return [
            batch.state === "held" ? order("Release", "release") : order("Hold", "hold"),
            rowButton("Edit", "edit", `Edit ${batchName(batch)}`, async () => await editBatch(db, batch, "queue") && done(), ".plain"),
            order("Cancel", "cancel", true),
            order("Drop", "drop", true),
        ];
    },

    bulk(ids, db, parameters, done) {
        const selection = ids.length ? { ids } : { all: true };
        const which = ids.length ? "chosen" : "all";
        const order = (text, order, isDanger) => make(`button${isDanger ? ".danger" : ""}`, {
            type: "button", "data-bulk": order,
            onclick: async () => await steer(db, { order, ...selection }, `${text} ${which}`, { isDanger }) && done(),
        }, `${text} ${which}`);
        return [order("Hold", "hold"), order("Release", "release"), order("Cancel", "cancel", true)];
    },
};

/** The whole section. */
export class QueueView extends BatchList {
    constructor(daemon, parameters) {
        super(daemon, parameters, section);
        this.title = "Queue";
    }
}
