// Dialogs that write: add, edit and delete a document. What is accepted is durable; the backend answers later.

import { get, post } from "./api.js";
import { changingWrite, makingWrite, newDocumentID } from "./changes.js";
import { ask, toast } from "./dialog.js";
import { labelled, make } from "./dom.js";
import { FieldsEditor } from "./editor.js";
import { go } from "./route.js";

const later = "What you save counts at once. A daemon's backend takes it when it can; what the backend refuses comes to lie in the dead letters.";

async function write(db, writes, text) {
    const { batch } = await post("write", { db, writes });
    toast(batch ? `${text} as batch #${batch}.` : `${text}.`);
    return batch;
}

/** Asks for a new document of a collection, and writes it. */
export async function addDocument(db, collection) {
    const id = make("input", { type: "text", value: newDocumentID(), autocomplete: "off", spellcheck: "false", "data-part": "id",
        maxlength: "1500" });
    const fields = new FieldsEditor({}, { database: db, allowsOrders: true });
    const done = await ask({
        title: "Add a document", confirm: "Add",
        body: [labelled("Document id", id), make("h3", {}, "Fields"), fields.element, make("p.quiet", {}, later)],
        accept: async () => {
            checkID(id);
            await write(db, [makingWrite(`${collection}/${id.value}`, fields.read())], "Added");
            return true;
        },
    });
    if (done) go("data", { db, path: `${collection}/${id.value}` });
}

function checkID(input) {
    const id = input.value;
    const isGood = id && !id.includes("/") && id !== "." && id !== ".." && !/^__.*__$/.test(id)
        && new TextEncoder().encode(id).length <= 1500;
    if (isGood) return input.removeAttribute("aria-invalid");
    input.setAttribute("aria-invalid", "true");
    input.focus();
    throw new Error("A document's id has 1 to 1,500 bytes, no slash, and is neither \".\" nor \"..\" nor __of this form__.");
}

/** Lets the person change a document's fields, and writes only what changed. */
export async function editDocument(db, document) {
    const fields = new FieldsEditor(document.fields, { database: db, allowsOrders: true });
    await ask({
        title: document.exists ? "Edit the document" : "Make the document", confirm: "Save",
        body: [make("p.mono.break", {}, document.path), fields.element,
            make("p.quiet", {}, `Only the fields that you change are written. ${later}`)],
        accept: async () => {
            const edited = fields.read();
            const change = document.exists ? changingWrite(document.path, document.fields, edited) : makingWrite(document.path, edited);
            if (!change) throw new Error("Nothing was changed.");
            await write(db, [change], "Saved");
            return true;
        },
    });
}

/** Deletes a document once the person has read what that means. */
export async function deleteDocument(db, path) {
    const { collections } = await get("collections", { db, below: path, pageSize: 1 }).catch(() => ({ collections: [] }));
    const done = await ask({
        title: "Delete the document", confirm: "Delete", isDanger: true,
        body: [
            make("p.mono.break", {}, path),
            make("ul.consequences", {}, make("li", {},
                make("span", {}, "The document is gone here at once; at a daemon's backend, as soon as the backend takes the write.")),
                collections.length > 0 && make("li", {},
                    make("span", {}, "The collections below it stay; they can still be reached by their paths."))),
        ],
        accept: async () => {
            await write(db, [{ delete: path }], "Deleted");
            return true;
        },
    });
    if (done) go("data", { db, path: path.split("/").slice(0, -1).join("/") });
}
