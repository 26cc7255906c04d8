// A form for a request that is tried against rules of the Realtime Database before they count.

import { RequestForm, refuse } from "./asker.js";
import { parsed } from "./batchediting.js";
import { labelled, make, replace } from "./dom.js";

const resources = [["stored", "As it is stored"], ["missing", "Nothing"], ["value", "This value"]];

/** The form. */
export class TreeTrialForm extends RequestForm {
    constructor() {
        super({ methods: ["read", "write"], resources, place: "/rooms/hall" });
        this.value = json("value");
        this.newValue = json("new-value");
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
