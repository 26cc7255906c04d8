// Who asks in a trial of rules: a user with the claims of a token, or nobody.

import { labelled, make } from "./dom.js";

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
