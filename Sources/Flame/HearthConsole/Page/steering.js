// Orders about waiting and rejected batches: what would follow is shown first, and only then is it done.

import { post } from "./api.js";
import { ask, toast } from "./dialog.js";
import { make } from "./dom.js";
import { counted, writerText } from "./quantity.js";

const LISTED_COUNT_MAX = 20;

/** Carries an order out once the person has seen what follows of it. `order` is what `/api/steer` takes.
 * @returns whether it was done. */
export async function steer(db, order, title, { isDanger = false, body = null } = {}) {
    if (order.order === "retry") return retryBackend(db);
    let preview;
    try {
        ({ preview } = await post("steer", { db, ...order, preview: true }));
    } catch (error) {
        await ask({ title, body: make("p.note.bad", {}, error.message), confirm: null });
        return false;
    }
    const doubt = order.order === "retryDeadLetters" ? doubtChoice(preview) : null;
    const done = await ask({
        title, isDanger, confirm: preview.batches.length || doubt ? title : null,
        body: [body, consequences(preview), doubt?.element],
        accept: () => post("steer", { db, ...possible(order, preview, doubt), ...(doubt?.isChosen() ? { evenIfApplied: true } : {}) }),
    });
    if (!done) return false;
    toast(doneText(order.order, done.done.count));
    return true;
}

// An order goes through for all that it names or for none, so it names only what it can reach.
function possible(order, preview, doubt) {
    if (!order.ids || !preview.refused?.length || doubt?.isChosen()) return order;
    return { ...order, ids: preview.batches.map(({ id }) => id) };
}

async function retryBackend(db) {
    try {
        await post("steer", { db, order: "retry" });
        toast("The backend is being tried.");
        return true;
    } catch (error) {
        toast(error.message);
        return false;
    }
}

function doneText(order, number) {
    const verbs = {
        hold: "held", release: "released", cancel: "cancelled", drop: "dropped", edit: "changed",
        retryDeadLetters: "put back into the queue", dropDeadLetters: "dropped", editDeadLetter: "changed and put back into the queue",
    };
    return `${counted(number, "batch", "batches")} ${verbs[order]}.`;
}

function consequences(preview) {
    return [
        make("ul.consequences", {}, preview.sentences.map((sentence) => make("li", {}, make("span", {}, sentence)))),
        listed("Concerned", preview.batches),
        listed("Reached as well, although not named", preview.also),
        refusals(preview.refused),
        !preview.isComplete && make("p.note", {}, "There are more than can be listed here; the order reaches all of them."),
    ];
}

function listed(title, batches) {
    if (!batches?.length) return null;
    const more = batches.length - LISTED_COUNT_MAX;
    return make("section.stack.tight", {}, make("h3", {}, `${title}: ${counted(batches.length, "batch", "batches")}`),
        make("ul.stack.tight", {}, batches.slice(0, LISTED_COUNT_MAX).map((batch) => make("li.row", { "data-batch": batch.id },
            make("span.chip.number", {}, `#${batch.id}`), make("span.mono.break", {}, pathsText(batch.paths)),
            make("span.small.quiet", {}, writerText(batch.writer)))), more > 0 && make("li.quiet", {}, `and ${more} more`)));
}

function refusals(refused) {
    if (!refused?.length) return null;
    return make("section.note.warn", {}, make("h3", {}, "Not possible"),
        make("ul", {}, refused.slice(0, LISTED_COUNT_MAX).map(({ id, reason }) => make("li", {}, `#${id}: ${reason}`))));
}

// Letters that may have been applied are sent again only if the person says so.
function doubtChoice(preview) {
    const isDoubtful = preview.refused?.some(({ reason }) => /may have been applied/i.test(reason));
    if (!isDoubtful) return null;
    const box = make("input", { type: "checkbox", "data-action": "even-if-applied" });
    const element = make("label.choice", {}, box, "Send those too that may have been applied already");
    return { element, isChosen: () => box.checked };
}

/** The paths of a batch in one line. */
export function pathsText(paths) {
    const more = paths.length - 3;
    return paths.slice(0, 3).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
