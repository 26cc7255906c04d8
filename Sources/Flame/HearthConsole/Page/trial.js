// A form for a request that is tried against Firestore's rules before they count.

import { AskerForm, refuse } from "./asker.js";
import { FieldsEditor } from "./editor.js";
import { labelled, make, replace, selection } from "./dom.js";

const methods = ["get", "list", "create", "update", "delete"];
const resources = [["stored", "As it is stored"], ["missing", "Not there"], ["fields", "With these fields"]];

/** The form. */
export class TrialForm {
    constructor(db) {
        this.db = db;
        this.method = selection(methods, "get", { "data-part": "method", onchange: () => this.show() });
        this.path = make("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "rooms/hall", "data-part": "path",
            oninput: () => this.path.removeAttribute("aria-invalid") });
        this.asker = new AskerForm();
        this.resource = selection(resources, "stored", { "data-part": "resource", onchange: () => this.show() });
        this.fields = new FieldsEditor({}, { database: db, allowsOrders: false });
        this.newFields = new FieldsEditor({}, { database: db, allowsOrders: false });
        this.parts = make("div.stack.tight");
        this.element = make("div.stack.tight", {}, make("div.form-grid", {}, labelled("Method", this.method), labelled("Path", this.path),
            this.asker.user), this.asker.token, this.parts);
        this.show();
    }

    /** Takes what an address names. */
    fill({ method, path, uid }) {
        if (methods.includes(method)) this.method.value = method;
        if (path !== undefined) this.path.value = path;
        if (uid !== undefined) this.asker.uid.value = uid;
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
