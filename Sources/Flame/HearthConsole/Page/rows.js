// Rows that follow a list: what stays the same stays as it is, with the focus in it; what is new or changed may flash.

import { flash } from "./dom.js";

/** The children of one element, kept equal to a list. `key` tells an item apart, `sign` tells whether it changed, and
 * `render` makes the element of an item. */
export class Rows {
    constructor(parent, { key, sign = JSON.stringify, render, flashes = false }) {
        Object.assign(this, { parent, key, sign, render, flashes });
        this.rows = new Map();
        this.isFirst = true;
    }

    /** Shows a list in its order. */
    show(items) {
        const old = this.rows;
        const focus = this.focused();
        this.rows = new Map();
        for (const item of items) this.place(item, old);
        for (const row of old.values()) row.element.remove();
        this.sort();
        this.restore(focus);
        this.isFirst = false;
    }

    place(item, old) {
        const key = this.key(item);
        const signature = this.sign(item);
        const row = old.get(key);
        if (row?.signature === signature) {
            this.rows.set(key, row);
            old.delete(key);
            return;
        }
        const element = this.render(item);
        element.dataset.key = key;
        row?.element.replaceWith(element);
        old.delete(key);
        this.rows.set(key, { element, signature });
        if (this.flashes && !this.isFirst) flash(element);
    }

    sort() {
        let place = this.parent.firstElementChild;
        for (const { element } of this.rows.values()) {
            if (element === place) place = place.nextElementSibling;
            else this.parent.insertBefore(element, place);
        }
    }

    // A row that is made anew takes the focus over from the one before.
    focused() {
        const element = document.activeElement;
        if (!element?.dataset.action || !this.parent.contains(element)) return null;
        return [element.closest("[data-key]")?.dataset.key, element.dataset.action];
    }

    restore(focus) {
        if (!focus || this.parent.contains(document.activeElement)) return;
        this.rows.get(focus[0])?.element.querySelector(`[data-action="${CSS.escape(focus[1])}"]`)?.focus();
    }
}
