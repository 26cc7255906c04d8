// The section "Queue": which batches wait, why each one does, and orders for one, some or all of them.

import { get } from "./api.js";
import { batchCells, BatchList, batchName, batchSign, rowButton, showCauses } from "./batches.js";
import { editBatch } from "./batchediting.js";
import { cell, make } from "./dom.js";
import { hrefTo } from "./route.js";
import { steer } from "./steering.js";

const stateNames = { queued: ["waits", ""], held: ["held", ".warn"], sentUnanswered: ["sent", ".info"] };
/** What batches wait for, in words for people. */
const causeNames = {
    held: "held", behindHeld: "behind a held batch", sent: "sent, not answered", networkOff: "network off", otherUser: "another user",
    backendAway: "backend away", turn: "their turn",
};

const section = {
    name: "queue",
    heading: "Queue",
    hint: "Oldest first. Batches are sent in this order.",
    columns: ["Batch", "State", "What", "Who", "Written", "Why it stands"],
    empty: ({ cause }) => cause
        ? [`Nothing waits for this: ${causeNames[cause] ?? cause}`, "Choose another cause above, or all."]
        : ["Nothing waits", "Every write that a program made has reached the backend, or was rejected and lies in the dead letters."],
    idOf: (batch) => batch.id,
    sign: batchSign,

    async load(db, after, pageSize, { cause }) {
        const { batches, hasMore, next } = await get("queue", { db, after, pageSize, cause });
        return { items: batches, hasMore, next };
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

    bulk(ids, db, { cause }, done) {
        const selection = ids.length ? { ids } : cause ? { cause } : { all: true };
        const which = ids.length ? "chosen" : cause ? `all: ${causeNames[cause] ?? cause}` : "all";
        const order = (text, order, isDanger) => make(`button${isDanger ? ".danger" : ""}`, {
            type: "button", "data-bulk": order,
            onclick: async () => await steer(db, { order, ...selection }, `${text} ${which}`, { isDanger }) && done(),
        }, `${text} ${which}`);
        const retry = make("button", { type: "button", "data-bulk": "retry",
            onclick: async () => await steer(db, { order: "retry" }, "Try the backend now") && done() }, "Try the backend now");
        return [order("Hold", "hold"), order("Release", "release"), order("Cancel", "cancel", true), retry];
    },

    showExtra(element, db, { cause }) {
        return showCauses(element, section, db, cause, (name) => causeNames[name] ?? name);
    },
};

/** The whole section. */
export class QueueView extends BatchList {
    constructor(daemon, parameters) {
        super(daemon, parameters, section);
        this.title = "Queue";
    }
}
