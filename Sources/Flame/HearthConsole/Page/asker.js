// What a trial of rules asks in every service: what is done where, and by whom.

import { labelled, make, selection } from "./dom.js";

/** The part of a trial's form that both services have. A subclass shows the rest in `show`. */
export class RequestForm {
    constructor({ methods, resources, place }) {
        this.methods = methods;
        this.method = selection(methods, methods[0], { "data-part": "method", onchange: () => this.show() });
        this.path = make("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: place, "data-part": "path",
            oninput: () => this.path.removeAttribute("aria-invalid") });
        this.asker = new AskerForm();
        this.resource = selection(resources, "stored", { "data-part": "resource", onchange: () => this.show() });
        this.parts = make("div.stack.tight");
        this.element = make("div.stack.tight", {}, make("div.form-grid", {}, labelled("Method", this.method), labelled("Path", this.path),
            this.asker.user), this.asker.token, this.parts);
    }

    /** Takes what an address names. */
    fill({ method, path, uid }) {
        if (this.methods.includes(method)) this.method.value = method;
        if (path !== undefined) this.path.value = path;
        if (uid !== undefined) this.asker.uid.value = uid;
        this.show();
    }
}

/** The two fields of the form. */
export class AskerForm {
    constructor() {
        this.uid = make("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "nobody", "data-part": "uid" });
        this.claims = make("textarea", { rows: 2, spellcheck: "false", placeholder: '{"admin": true}', "data-part": "claims",
            oninput: () => this.claims.removeAttribute("aria-invalid") });
        this.user = labelled("User id, empty for nobody", this.uid);
        this.token = labelled("Claims of the token, JSON", this.claims);
    }

    /** Who asks, as the server takes it.
     * @throws Error after showing what is wrong where it is wrong. */
    read() {
        const uid = this.uid.value.trim();
        const text = this.claims.value.trim();
        if (!uid && text) throw refuse(this.uid, "Claims are a user's: write the user's id.");
        if (!uid) return null;
        if (!text) return { uid };
        let claims;
        try {
            claims = JSON.parse(text);
        } catch (error) {
            throw refuse(this.claims, `The claims are no JSON: ${error.message}`);
        }
        if (claims === null || typeof claims !== "object" || Array.isArray(claims)) throw refuse(this.claims, "The claims are an object.");
        return { uid, claims };
    }
}

/** Shows that a field cannot be taken.
 * @returns an error with the message. */
export function refuse(input, message) {
    input.setAttribute("aria-invalid", "true");
    input.focus();
    return new Error(message);
}
