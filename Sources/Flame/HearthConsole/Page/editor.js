// Editors of values: a line for each field or element, nested as the values are.

import { make, replace, selection } from "./dom.js";
import { elementsOf, fieldsOf, kindOf, kinds, mapOf, orders, read, textOf, ValueError } from "./values.js";

/** How deep a form nests; Firestore's own bound. */
const DEPTH_MAX = 20;

/** Edits one value: its kind, and its text or its parts. */
export class ValueEditor {
    /** `context` has `database` ("project/name") and `allowsOrders`: whether a server timestamp or an increment makes
     * sense here. */
    constructor(value, context, label, depth = 0) {
        Object.assign(this, { context, label, depth });
        this.unknown = kindOf(value) === "unknown" && !value.order ? value : null;
        const kind = value.order ?? (value.isEstimate && context.allowsOrders ? "serverTimestamp" : this.unknown ? "unknown"
            : kindOf(value));
        this.kind = selection(this.choices(), kind, {
            "aria-label": `Type of ${label}`, onchange: () => this.become(this.kind.value), "data-part": "kind",
        });
        this.holder = make("div.editor-value");
        this.below = make("div.editor-below");
        this.problem = make("p.problem", { hidden: true, role: "alert" });
        this.fill(kind, value.order ? value.operand : value);
    }

    choices() {
        const leaves = this.depth >= DEPTH_MAX ? kinds.filter(([kind]) => kind !== "map" && kind !== "array") : kinds;
        return [...leaves, ...(this.context.allowsOrders ? orders : []), ...(this.unknown ? [["unknown", "another type"]] : [])];
    }

    // Another kind keeps the text if that has a meaning in the new kind.
    become(kind) {
        const text = this.input?.value ?? "";
        try {
            this.fill(kind, this.inner ? null : read(kind, text, this.context.database));
        } catch {
            this.fill(kind, null);
        }
    }

    fill(kind, value) {
        this.input = this.inner = null;
        this.problem.hidden = true;
        replace(this.below);
        if (kind === "map") this.inner = new FieldsEditor(fieldsOf(value ?? mapOf([])), this.context, this.depth + 1);
        else if (kind === "array") this.inner = new ElementsEditor(elementsOf(value ?? {}), this.context, this.depth + 1);
        else this.input = this.control(kind, value);
        if (this.inner) replace(this.below, make("div.editor-inner", {}, this.inner.element));
        replace(this.holder, this.input ?? make("span.quiet.small", {}, note(kind, this.inner)), this.problem);
    }

    control(kind, value) {
        const text = value ? kind === "increment" ? textOf(value) : textOf(value) : "";
        const attributes = { "aria-label": `Value of ${this.label}`, "data-part": "value", value: text, oninput: () => this.accept() };
        switch (kind) {
            case "null": case "serverTimestamp": case "unknown": return null;
            case "boolean": return selection(["true", "false"], text === "true" ? "true" : "false", { ...attributes, value: undefined });
            case "string": return make("textarea", { ...attributes, rows: Math.min(8, Math.max(1, text.split("\n").length)) });
            case "bytes": case "vector": return make("textarea",
                { ...attributes, rows: 1, spellcheck: "false", placeholder: examples[kind] });
            default: return make("input", {
                ...attributes, type: "text", spellcheck: "false", autocomplete: "off", placeholder: examples[kind],
                inputmode: kind === "integer" ? "numeric" : null,
            });
        }
    }

    accept() {
        this.input?.removeAttribute("aria-invalid");
        this.problem.hidden = true;
    }

    /** The value, or an order.
     * @throws ValueError after showing what is wrong where it is wrong. */
    read() {
        const kind = this.kind.value;
        if (kind === "map") return { mapValue: { fields: this.inner.read() } };
        if (kind === "array") return { arrayValue: { values: this.inner.read() } };
        if (kind === "unknown") return this.unknown;
        if (kind === "serverTimestamp") return { order: kind };
        try {
            if (kind === "increment") return { order: kind, operand: readNumber(this.input.value) };
            return read(kind, this.input?.value ?? "", this.context.database);
        } catch (error) {
            throw this.refuse(error);
        }
    }

    refuse(error) {
        this.input.setAttribute("aria-invalid", "true");
        replace(this.problem, error.message);
        this.problem.hidden = false;
        this.input.focus();
        return new ValueError(`${this.label}: ${error.message}`);
    }
}

const examples = {
    integer: "42", double: "1.5, NaN, -Infinity", timestamp: "2026-01-02T03:04:05.123456Z", bytes: "Base64",
    reference: "rooms/hall", geoPoint: "52.5, 13.4", vector: "0.1, 0.2, 0.3", increment: "1 or 0.5",
};

function note(kind, inner) {
    if (inner) return kind === "map" ? "its fields stand below" : "its elements stand below";
    return { null: "nothing", serverTimestamp: "set when the backend takes the write", unknown: "kept as it is" }[kind];
}

// An increment by a whole number keeps integers whole.
function readNumber(text) {
    return /^\s*[+-]?\d+\s*$/.test(text) ? read("integer", text) : read("double", text);
}

/** Edits the fields of a document or of a map. */
export class FieldsEditor {
    constructor(fields, context, depth = 0) {
        Object.assign(this, { context, depth, lines: [] });
        this.list = make("div.editor");
        const add = make("button", { type: "button", "data-action": "add-field",
            onclick: () => this.add("", { stringValue: "" }).name.focus() }, "Add field");
        this.element = make("div.editor", {}, this.list, make("div.row", {}, add));
        for (const [name, value] of Object.entries(fields)) this.add(name, value);
    }

    add(fieldName, value) {
        const label = fieldName || "the new field";
        const editor = new ValueEditor(value, this.context, label, this.depth);
        const name = make("input", {
            type: "text", value: fieldName, "aria-label": "Name of a field", placeholder: "field", "data-part": "name",
            autocomplete: "off", spellcheck: "false", oninput: () => name.removeAttribute("aria-invalid"),
        });
        const line = { name, editor };
        line.element = make("div.editor", { "data-field": fieldName }, make("div.editor-line", {}, name, editor.kind, editor.holder,
            make("button.plain.icon", { type: "button", "aria-label": `Remove ${label}`, onclick: () => this.remove(line) }, "×")),
                editor.below);
        this.lines.push(line);
        this.list.append(line.element);
        return line;
    }

    remove(line) {
        const place = this.lines.indexOf(line);
        this.lines.splice(place, 1);
        line.element.remove();
        const next = this.lines[place] ?? this.lines[place - 1];
        (next?.name ?? this.element.querySelector('[data-action="add-field"]')).focus();
    }

    /** The fields by name.
     * @throws ValueError if a name is missing or there twice, or a value has no meaning. */
    read() {
        const fields = Object.create(null);
        for (const { name, editor } of this.lines) {
            const text = name.value;
            if (!text) throw this.refuse(name, "A field needs a name.");
            if (text in fields) throw this.refuse(name, `The field ${text} is there twice.`);
            if (/^__.*__$/s.test(text)) throw this.refuse(name,
                `${text} cannot be a field's name: names between two underscores are Firestore's own.`);
            fields[text] = editor.read();
        }
        return fields;
    }

    refuse(input, message) {
        input.setAttribute("aria-invalid", "true");
        input.focus();
        return new ValueError(message);
    }
}

/** Edits the elements of an array. An order has no place in an array. */
class ElementsEditor {
    constructor(values, context, depth) {
        Object.assign(this, { context: { ...context, allowsOrders: false }, depth, lines: [] });
        this.list = make("div.editor");
        const add = make("button", { type: "button", "data-action": "add-element",
            onclick: () => this.add({ stringValue: "" }).editor.kind.focus() }, "Add element");
        this.element = make("div.editor", {}, this.list, make("div.row", {}, add));
        for (const value of values) this.add(value);
    }

    add(value) {
        const editor = new ValueEditor(value, this.context, `element ${this.lines.length}`, this.depth);
        const line = { editor, index: make("span.index.number") };
        line.element = make("div.editor", {}, make("div.editor-line.element", {}, line.index, editor.kind, editor.holder,
            make("button.plain.icon", { type: "button", "aria-label": "Remove this element", onclick: () => this.remove(line) }, "×")),
                editor.below);
        this.lines.push(line);
        this.list.append(line.element);
        this.count();
        return line;
    }

    remove(line) {
        this.lines.splice(this.lines.indexOf(line), 1);
        line.element.remove();
        this.count();
        this.element.querySelector('[data-action="add-element"]').focus();
    }

    count() {
        this.lines.forEach(({ index }, place) => replace(index, place));
    }

    /** The values in order. */
    read() {
        return this.lines.map(({ editor }) => editor.read());
    }
}
