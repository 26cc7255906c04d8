// The conditions of a query as lines of a form: field, operator, type, value.

import { make, selection } from "./dom.js";
import { fieldNames, kinds, read, ValueError } from "./values.js";

const operators = [
    ["EQUAL", "=="], ["NOT_EQUAL", "!="], ["LESS_THAN", "<"], ["LESS_THAN_OR_EQUAL", "<="], ["GREATER_THAN", ">"],
    ["GREATER_THAN_OR_EQUAL", ">="],
    ["IN", "in"], ["NOT_IN", "not in"], ["ARRAY_CONTAINS", "array contains"], ["ARRAY_CONTAINS_ANY", "array contains any"],
];
const takesList = new Set(["IN", "NOT_IN", "ARRAY_CONTAINS_ANY"]);
const leafKinds = kinds.filter(([kind]) => !["array", "map", "vector"].includes(kind));

/** The conditions, and whether all or any of them must hold. */
export class FilterForm {
    constructor(db) {
        Object.assign(this, { db, lines: [] });
        this.match = selection([["all", "all of these hold"], ["any", "any of these holds"]], "all",
            { "aria-label": "How conditions are joined" });
        this.joined = make("div.row", { hidden: true }, make("span.quiet", {}, "Documents where"), this.match);
        this.list = make("div.conditions");
        const add = make("button", { type: "button", "data-action": "add-condition", onclick: () => this.add() }, "Add condition");
        this.element = make("div.stack.tight", {}, this.joined, this.list, make("div.row", {}, add));
    }

    add() {
        const field = make("input", { type: "text", "aria-label": "Field", placeholder: "field", autocomplete: "off", spellcheck: "false",
            "data-part": "field" });
        const op = selection(operators, "EQUAL", { "aria-label": "Operator", "data-part": "op" });
        const kind = selection(leafKinds, "string", { "aria-label": "Type of the value", "data-part": "kind" });
        const value = make("input", { type: "text", "aria-label": "Value", placeholder: "value", autocomplete: "off", spellcheck: "false",
            "data-part": "value" });
        const line = { field, op, kind, value };
        const hint = () => { value.placeholder = takesList.has(op.value) ? "one, two, three" : "value"; };
        op.addEventListener("change", hint);
        kind.addEventListener("change", () => { value.disabled = kind.value === "null"; });
        line.element = make("div.condition", {}, field, op, kind, value,
            make("button.plain.icon", { type: "button", "aria-label": "Remove this condition", onclick: () => this.remove(line) }, "×"));
        this.lines.push(line);
        this.list.append(line.element);
        this.joined.hidden = this.lines.length < 2;
        field.focus();
    }

    remove(line) {
        this.lines.splice(this.lines.indexOf(line), 1);
        line.element.remove();
        this.joined.hidden = this.lines.length < 2;
        this.element.querySelector('[data-action="add-condition"]').focus();
    }

    /** What the lines say.
     * @throws ValueError that tells which line has no meaning, and why. */
    read() {
        return { match: this.match.value, where: this.lines.map((line, place) => this.condition(line, place)) };
    }

    condition({ field, op, kind, value }, place) {
        try {
            const path = field.value.trim();
            if (!path) throw new ValueError("a field is missing.");
            fieldNames(path);
            return { field: path, op: op.value, value: this.operand(op.value, kind.value, value.value) };
        } catch (error) {
            throw new ValueError(`Condition ${place + 1}: ${error.message}`);
        }
    }

    operand(op, kind, text) {
        if (!takesList.has(op)) return read(kind, text, this.db);
        const values = text.split(",").map((part) => read(kind, part.trim(), this.db));
        return { arrayValue: { values } };
    }
}
