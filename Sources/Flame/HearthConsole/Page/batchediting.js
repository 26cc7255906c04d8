// The editing of a batch: its writes in a form, and the order that puts the changed writes in their place.

import { get, post, readJSON, writeJSON } from "./api.js";
import { deletedPaths, withFields } from "./changes.js";
import { ask, toast } from "./dialog.js";
import { labelled, make } from "./dom.js";
import { FieldsEditor } from "./editor.js";
import { pathOfReference, textOf } from "./values.js";

/** Shows what a batch writes, and lets the person change it.
 * @returns whether it was changed. */
export async function editBatch(db, batch, section) {
    const isLetter = section === "dead-letters";
    const title = `Edit batch #${batch.id}`;
    try {
        const { writes } = await get(isLetter ? "dead-letters/letter" : "queue/batch", { db, id: batch.id });
        const editors = writes.map((write, place) => writeEditor(db, write, place));
        const done = await ask({
            title, confirm: isLetter ? "Save and send again" : "Save",
            body: [
                make("p.quiet", {}, isLetter
                    ? "The changed writes go to the end of the queue under a new number."
                    : "Number, place in the queue and writer stay. A batch that was sent and not answered cannot be changed."),
                editors.map(({ element }) => element),
            ],
            accept: () => save(db, batch, isLetter, editors),
        });
        if (done) toast(`Batch #${batch.id} was changed.`);
        return Boolean(done);
    } catch (error) {
        await ask({ title, body: make("p.note.bad", {}, error.message), confirm: null });
        return false;
    }
}

function save(db, batch, isLetter, editors) {
    const writes = editors.filter(({ isKept }) => isKept()).map(({ read }) => read());
    if (!writes.length) throw new Error("A batch has at least one write. Cancel or drop the batch to be rid of all.");
    return post("steer", { db, order: isLetter ? "editDeadLetter" : "edit", ids: [batch.id], writes });
}

function writeEditor(db, write, place) {
    const inner = "path" in write && "value" in write ? nodeEditor(write) : write.update ? updateEditor(db, write) : plainEditor(write);
    const keep = make("input", { type: "checkbox", checked: true, "aria-label": `Keep write ${place + 1}` });
    const element = make("section.panel", {}, make("div.panel-head", {}, make("label.choice.grow", {}, keep,
        make("h3.break", {}, inner.title))), make("div.panel-body.stack.tight", {}, inner.body));
    return { element, read: inner.read, isKept: () => keep.checked };
}

function updateEditor(db, write) {
    const editor = new FieldsEditor(write.update.fields ?? {}, { database: db, allowsOrders: true });
    const deleted = deletedPaths(write);
    const verb = write.updateMask ? "Change" : "Set";
    return {
        title: `${verb} ${pathOfReference(write.update.name)}`,
        body: [
            editor.element, deleted.length > 0 && make("p.quiet.break", {}, `Deletes the fields ${deleted.join(", ")}.`),
            (write.updateTransforms ?? []).map((transform) => make("p.quiet.break", {}, transformText(transform))), conditionText(write),
        ],
        read: () => withFields(write, editor.read()),
    };
}

function transformText({ fieldPath, increment, setToServerValue, ...rest }) {
    if (increment) return `Increments ${fieldPath} by ${textOf(increment)}.`;
    if (setToServerValue) return `Sets ${fieldPath} to the backend's time.`;
    return `Orders for ${fieldPath}: ${Object.keys(rest).join(", ")}.`;
}

function conditionText({ currentDocument }) {
    if (!currentDocument) return null;
    const { exists, updateTime } = currentDocument;
    const text = exists === true ? "the document exists" : exists === false ? "the document does not exist"
        : `it last changed at ${updateTime}`;
    return make("p.quiet", {}, `Only if ${text}.`);
}

function plainEditor(write) {
    const path = pathOfReference(write.delete ?? write.verify ?? "");
    return { title: `${write.delete ? "Delete" : "Verify"} ${path}`,
        body: conditionText(write) ?? make("p.quiet", {}, "This write has no fields."), read: () => write };
}

function nodeEditor(write) {
    const text = make("textarea", { rows: 6, spellcheck: "false", value: writeJSON(write.value, "", "  ") });
    return {
        title: `Write ${write.path}`,
        body: labelled("JSON", text, "null deletes the node."),
        read: () => ({ path: write.path, value: parsed(text) }),
    };
}

/** The JSON in a text area, with a message for people if it has none. */
export function parsed(area) {
    try {
        const value = readJSON(area.value);
        area.removeAttribute("aria-invalid");
        return value;
    } catch (error) {
        area.setAttribute("aria-invalid", "true");
        area.focus();
        throw new Error(`This is no JSON: ${error.message}.`);
    }
}
