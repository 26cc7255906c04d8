// Elements, built without markup: whatever a document holds can only ever become text.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element: `make("a.chip.warn", { href: "#" }, "text", child, …)`. */
export function make(kind, attributes, ...children) {
    const [name, ...classes] = kind.split(".");
    const element = document.createElement(name || "div");
    if (classes.length) element.classList.add(...classes);
    return fill(dress(element, attributes), ...children);
}

/** Makes an SVG element, which takes the same arguments. */
export function draw(kind, attributes, ...children) {
    const [name, ...classes] = kind.split(".");
    const element = document.createElementNS(SVG, name);
    if (classes.length) element.classList.add(...classes);
    return fill(dress(element, attributes), ...children);
}

/** Puts children in the place of what an element holds. */
export function replace(element, ...children) {
    element.replaceChildren();
    return fill(element, ...children);
}

function fill(element, ...children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false || child === "") continue;
        element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return element;
}

// What begins with "on" is a listener; true and false tell whether an attribute is there.
function dress(element, attributes) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "value") element.value = value;
        else if (name === "checked") element.checked = value;
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    return element;
}

let lastID = 0;

/** A new id for an element that another one names. */
export function newID(prefix = "id") {
    lastID += 1;
    return `${prefix}-${lastID}`;
}

/** A labelled form field: `labelled("Name", input)`. */
export function labelled(text, control, hint) {
    control.id ||= newID("field");
    return make("div.field", {}, make("label", { for: control.id }, text), control, hint && make("span.small.quiet", {}, hint));
}

/** A choice of one of a few, as buttons side by side; `options` are pairs of value and text. */
export function segments(legend, options, chosen, onchange) {
    const name = newID("segments");
    return make("fieldset.segments", {}, make("legend.unseen", {}, legend), options.map(([value, text]) =>
        make("label", {}, make("input", {
            type: "radio", name, value, checked: value === chosen, onchange: () => onchange(value),
        }), make("span", {}, text))));
}

/** A list to choose from; `options` are texts, or pairs of value and text. */
export function selection(options, chosen, attributes) {
    const select = make("select", attributes, options.map((option) => {
        const [value, text] = Array.isArray(option) ? option : [option, option];
        return make("option", { value }, text);
    }));
    if (chosen !== undefined) select.value = chosen;
    return select;
}

/** What stands where nothing is to be shown: a heading, a sentence that helps, perhaps a button. */
export function emptyState(title, help, ...more) {
    return make("div.note-box", {}, make("p.title", {}, title), make("p", {}, help), more);
}

/** What stands where something could not be shown. */
export function errorState(error, retry) {
    return make("div.note-box.bad", { role: "alert" }, make("p.title", {}, error.title ?? "This could not be loaded"),
        make("p", {}, error.message), retry && make("button", { type: "button", onclick: retry }, "Try again"));
}

/** A line that tells that something is on its way; screen readers hear of it. */
export function waiting(text = "Loading…") {
    return make("div.note-box", { "aria-busy": "true" }, make("p", {}, text));
}

/** A cell of a table which becomes a card where the window is narrow. */
export function cell(label, attributes, ...children) {
    const { kind = "td", ...rest } = attributes ?? {};
    return make(kind, { "data-label": label || null, ...rest }, ...children);
}

/** Lets an element flash, because what it shows has changed. */
export function flash(element) {
    element.classList.remove("flash");
    void element.getBoundingClientRect();  // Begins the animation anew.
    element.classList.add("flash");
    element.addEventListener("animationend", () => element.classList.remove("flash"), { once: true });
}
