// A plain editor for rules: text with line numbers, and an error at its line and column.

import { make, replace } from "./dom.js";

/** The editor. */
export class RulesEditor {
    constructor(source) {
        this.problem = make("p.problem", { role: "alert", hidden: true, "data-part": "rules-problem" });
        this.numbers = make("pre.numbers", { "aria-hidden": "true" });
        this.area = make("textarea", { "aria-label": "Rules", wrap: "off", spellcheck: "false", autocomplete: "off", rows: "20", value: source,
            "data-part": "source", oninput: () => this.changed(), onscroll: () => { this.numbers.scrollTop = this.area.scrollTop; } });
        this.element = make("div", {}, make("div.rules-editor", {}, this.numbers, this.area), make("div.panel-body", {}, this.problem));
        this.count();
    }

    /** The text as it is now. */
    get text() {
        return this.area.value;
    }

    changed() {
        this.area.removeAttribute("aria-invalid");
        this.problem.hidden = true;
        this.count();
    }

    count() {
        const count = this.area.value.split("\n").length;
        if (count === this.lineCount) return;
        this.lineCount = count;
        replace(this.numbers, Array.from({ length: count }, (_, place) => place + 1).join("\n"));
    }

    /** Shows what is wrong with the text, and goes there.
     * @returns an error with the same words. */
    refuse({ line, column, message }) {
        const lines = this.area.value.split("\n");
        const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
        const start = before + characters(lines[line - 1] ?? "", column - 1);
        this.area.setAttribute("aria-invalid", "true");
        this.area.focus();
        this.area.setSelectionRange(start, start + 1);
        const words = `Line ${line}, column ${column}: ${message}.`;
        replace(this.problem, words);
        this.problem.hidden = false;
        return new Error(words);
    }
}

// Columns count bytes; a text area counts parts of UTF-16.
function characters(line, byteCount) {
    const bytes = new TextEncoder().encode(line).slice(0, byteCount);
    return new TextDecoder().decode(bytes).length;
}
