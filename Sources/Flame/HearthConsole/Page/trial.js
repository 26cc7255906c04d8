// A form for a request that is tried against Firestore's rules before they count.

import { RequestForm, refuse } from "./asker.js";
import { FieldsEditor } from "./editor.js";
import { labelled, make, replace } from "./dom.js";

const methods = ["get", "list", "create", "update", "delete"];
const resources = [["stored", "As it is stored"], ["missing", "Not there"], ["fields", "With these fields"]];

/** The form. */
export class TrialForm extends RequestForm {
    constructor(db) {
        super({ methods, resources, place: "rooms/hall" });
        this.fields = new FieldsEditor({}, { database: db, allowsOrders: false });
        this.newFields = new FieldsEditor({}, { database: db, allowsOrders: false });
        this.show();
    }

    show() {
        const method = this.method.value;
        const isDocument = method !== "list";
        const hasNew = method === "create" || method === "update";
        replace(this.parts, isDocument && labelled("The document before", this.resource),
            isDocument && this.resource.value === "fields" && part("Fields before", "fields", this.fields),
            hasNew && part("Fields after", "new-fields", this.newFields));
    }

    /** The trial as the server takes it.
     * @throws Error after showing what is wrong where it is wrong. */
    read() {
        const method = this.method.value;
        const path = this.path.value.trim().replace(/^\/+|\/+$/g, "");
        if (!path) throw refuse(this.path, method === "list" ? "Which collection? Write a path such as rooms."
            : "Which document? Write a path such as rooms/hall.");
        const hasNew = method === "create" || method === "update";
        return {
            method, path, auth: this.asker.read(),
            resource: this.resource.value === "fields" && method !== "list" ? { fields: this.fields.read() } : this.resource.value,
            newFields: hasNew ? this.newFields.read() : null,
        };
    }
}

function part(text, name, editor) {
    return make("fieldset.stack.tight", { "data-part": name }, make("legend.small.quiet", {}, text), editor.element);
}
