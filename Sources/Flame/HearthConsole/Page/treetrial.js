// A form for a request that is tried against rules of the Realtime Database before they count.

import { AskerForm, refuse } from "./asker.js";
import { parsed } from "./batchediting.js";
import { labelled, make, replace, selection } from "./dom.js";

const methods = ["read", "write"];
const resources = [["stored", "As it is stored"], ["missing", "Nothing"], ["value", "This value"]];

/** The form. */
export class TreeTrialForm {
    constructor() {
        this.method = selection(methods, "read", { "data-part": "method", onchange: () => this.show() });
        this.path = make("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "/rooms/hall", "data-part": "path",
            oninput: () => this.path.removeAttribute("aria-invalid") });
        this.asker = new AskerForm();
        this.resource = selection(resources, "stored", { "data-part": "resource", onchange: () => this.show() });
        this.value = json("value");
        this.newValue = json("new-value");
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
        replace(this.parts, labelled("What is there before", this.resource),
            this.resource.value === "value" && labelled("Value before, JSON", this.value),
            this.method.value === "write" && labelled("Value after, JSON", this.newValue, "null deletes what is there."));
    }

    /** The trial as the server takes it.
     * @throws Error after showing what is wrong where it is wrong. */
    read() {
        const path = "/" + this.path.value.trim().replace(/^\/+|\/+$/g, "");
        if (/[.#$[\]]/.test(path)) throw refuse(this.path, "A place has none of the characters . # $ [ ].");
        return {
            method: this.method.value, path, auth: this.asker.read(),
            resource: this.resource.value === "value" ? { value: parsed(this.value) } : this.resource.value,
            newValue: this.method.value === "write" ? parsed(this.newValue) : null,
        };
    }
}

function json(name) {
    return make("textarea", { rows: 4, spellcheck: "false", autocomplete: "off", value: "null", "data-part": name });
}
