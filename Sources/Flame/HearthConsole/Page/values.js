// Values of documents, in the JSON of Firestore's REST: read from text, shown as text, compared. Nothing is lost on
// the way: a 64-bit integer is text and a BigInt, never a number of JavaScript.

/** The kinds that a person can choose, with their names. */
export const kinds = [
    ["string", "string"], ["integer", "integer"], ["double", "double"], ["boolean", "boolean"], ["null", "null"],
    ["timestamp", "timestamp"], ["bytes", "bytes"], ["reference", "reference"], ["geoPoint", "geo point"],
    ["array", "array"], ["map", "map"], ["vector", "vector"],
];

/** The orders that only a write has: the backend computes what they leave. */
export const orders = [["serverTimestamp", "server timestamp"], ["increment", "increment by"]];

const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 63n - 1n;
const VECTOR_LENGTH_MAX = 2048;

/** What is wrong with a text that a person typed. */
export class ValueError extends Error {}

/** The kind of a value: one of `kinds`, or "unknown" for what this page does not know. */
export function kindOf(value) {
    if (isVector(value)) return "vector";
    const member = Object.keys(value ?? {}).find((name) => name.endsWith("Value"));
    const kind = member?.slice(0, -"Value".length);
    return kinds.some(([name]) => name === kind) ? kind : "unknown";
}

function isVector(value) {
    const fields = value?.mapValue?.fields;
    return fields?.__type__?.stringValue === "__vector__" && Array.isArray(fields.value?.arrayValue?.values);
}

/** The values of an array. */
export function elementsOf(value) {
    return value.arrayValue?.values ?? [];
}

/** The fields of a map. */
export function fieldsOf(value) {
    return value.mapValue?.fields ?? {};
}

/** The numbers of a vector, as texts. */
function vectorTexts(value) {
    return value.mapValue.fields.value.arrayValue.values.map((element) => textOf(element));
}

/** A map. Its object has no prototype, so that no field's name means anything to JavaScript. */
export function mapOf(pairs) {
    const fields = Object.create(null);
    for (const [name, value] of pairs) fields[name] = value;
    return { mapValue: { fields } };
}

/** The text of a number as it is shown and read: "3.0" is a double, -0 keeps its sign. */
export function doubleText(number) {
    if (typeof number === "string") return number;
    if (Object.is(number, -0)) return "-0";
    return String(number);
}

/** The text in which a person edits a leaf; empty for arrays and maps, which have parts instead. */
export function textOf(value) {
    switch (kindOf(value)) {
        case "boolean": return String(value.booleanValue);
        case "integer": return String(value.integerValue);
        case "double": return doubleText(value.doubleValue);
        case "string": return value.stringValue;
        case "bytes": return value.bytesValue;
        case "timestamp": return value.timestampValue;
        case "reference": return pathOfReference(value.referenceValue);
        case "geoPoint": return `${doubleText(value.geoPointValue.latitude ?? 0)}, ${doubleText(value.geoPointValue.longitude ?? 0)}`;
        case "vector": return vectorTexts(value).join(", ");
        default: return "";
    }
}

/** The path below the database of a document's full name. */
export function pathOfReference(name) {
    const start = name.indexOf("/documents/");
    return start < 0 ? name : name.slice(start + "/documents/".length);
}

/** One line that shows a value to a person. */
export function shown(value, depth = 0) {
    switch (kindOf(value)) {
        case "null": return "null";
        case "string": return JSON.stringify(value.stringValue);
        case "double": return shownDouble(value.doubleValue);
        case "bytes": return `${byteCount(value.bytesValue)} bytes`;
        case "timestamp": return value.isEstimate ? "when the backend takes it" : value.timestampValue;
        case "reference": return `→ ${textOf(value)}`;
        case "vector": return `[${textOf(value)}]`;
        case "array": return shownList("[", elementsOf(value).map((element) => [null, element]), "]", depth);
        case "map": return shownList("{", Object.entries(fieldsOf(value)), "}", depth);
        case "unknown": return JSON.stringify(value);
        default: return textOf(value);
    }
}

function shownDouble(number) {
    const text = doubleText(number);
    return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const SHOWN_PART_COUNT_MAX = 8;

function shownList(open, parts, close, depth) {
    if (!parts.length) return open + close;
    if (depth > 1) return `${open}…${close}`;
    const texts = parts.slice(0, SHOWN_PART_COUNT_MAX).map(([name, value]) =>
        (name === null ? "" : `${name}: `) + shown(value, depth + 1));
    if (parts.length > SHOWN_PART_COUNT_MAX) texts.push("…");
    return `${open}${texts.join(", ")}${close}`;
}

function byteCount(base64) {
    const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
    return Math.floor(base64.length / 4) * 3 - padding;
}

/** Reads a leaf of a kind from a person's text. `database` completes the path of a reference.
 * @throws ValueError that tells what would help. */
export function read(kind, text, database = "") {
    switch (kind) {
        case "null": return { nullValue: null };
        case "boolean": return { booleanValue: readBoolean(text) };
        case "integer": return { integerValue: readInteger(text) };
        case "double": return { doubleValue: readDouble(text) };
        case "string": return { stringValue: text };
        case "bytes": return { bytesValue: readBytes(text) };
        case "timestamp": return { timestampValue: readTimestamp(text) };
        case "reference": return { referenceValue: readReference(text, database) };
        case "geoPoint": return { geoPointValue: readGeoPoint(text) };
        case "vector": return readVector(text);
        default: throw new ValueError(`A value of the kind "${kind}" has no text.`);
    }
}

function readBoolean(text) {
    if (text !== "true" && text !== "false") throw new ValueError("A boolean is true or false.");
    return text === "true";
}

function readInteger(text) {
    const trimmed = text.trim();
    if (!/^[+-]?\d+$/.test(trimmed)) throw new ValueError("An integer has only digits, such as 42 or -7.");
    const number = BigInt(trimmed.replace(/^\+/, ""));
    if (number < INTEGER_MIN || number > INTEGER_MAX) {
        throw new ValueError(`An integer lies between ${INTEGER_MIN} and ${INTEGER_MAX}.`);
    }
    return number.toString();
}

/** Reads a double: a number, or the text that stands for what JSON has no number for. */
export function readDouble(text) {
    const trimmed = text.trim();
    if (/^nan$/i.test(trimmed)) return "NaN";
    if (/^\+?(inf|infinity|∞)$/i.test(trimmed)) return "Infinity";
    if (/^-(inf|infinity|∞)$/i.test(trimmed)) return "-Infinity";
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) {
        throw new ValueError("A double is a number such as 1.5 or 2e-3, or NaN, Infinity or -Infinity.");
    }
    const number = Number(trimmed);
    if (!Number.isFinite(number)) throw new ValueError("This number is too great for a double; write Infinity if that is meant.");
    return Object.is(number, -0) ? "-0" : number;
}

function readBytes(text) {
    const packed = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
    if (!/^[A-Za-z0-9+/]*$/.test(packed) || packed.length % 4 === 1) {
        throw new ValueError("Bytes are written in Base64: letters, digits, + and /.");
    }
    const padded = packed.padEnd(Math.ceil(packed.length / 4) * 4, "=");
    return btoa(atob(padded));  // Bits behind the last byte are zero from now on.
}

/** Reads a time of RFC 3339 with up to nine digits of a second, and keeps all of them.
 * @returns the time in UTC. */
function readTimestamp(text) {
    const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text.trim());
    const wrong = new ValueError("A timestamp is written like 2026-01-02T03:04:05.123456Z, in the years 1 to 9999.");
    if (!parts) throw wrong;
    const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = parts;
    const date = new Date(0);
    date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
    date.setUTCHours(Number(hour), Number(minute), Number(second));
    const isExact = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
        && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
    if (!isExact || Number(year) < 1) throw wrong;
    const sign = zone.startsWith("-") ? 1 : -1;
    const [, hours = 0, minutes = 0] = /(\d\d):?(\d\d)/.exec(zone) ?? [];
    date.setTime(date.getTime() + sign * (Number(hours) * 60 + Number(minutes)) * 60_000);
    if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) throw wrong;
    const digits = fraction.replace(/0+$/, "");
    return date.toISOString().slice(0, 19) + (digits && `.${digits}`) + "Z";
}

function readReference(text, database) {
    const path = pathOfReference(text.trim()).replace(/^\/|\/$/g, "");
    const segments = path.split("/");
    if (segments.length % 2 || segments.some((segment) => !segment)) {
        throw new ValueError("A reference names a document, with a path like rooms/hall.");
    }
    const full = /^projects\/[^/]+\/databases\/[^/]+\/documents\//.exec(text.trim());
    if (full) return text.trim();
    const [project, name] = database.split("/");
    return `projects/${project}/databases/${name}/documents/${path}`;
}

function readGeoPoint(text) {
    const parts = text.split(/[,;]/);
    if (parts.length !== 2) throw new ValueError("A geo point is a latitude and a longitude, such as 52.5, 13.4.");
    const [latitude, longitude] = parts.map(readDouble).map(Number);
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
        throw new ValueError("Latitudes lie between -90 and 90 degrees, longitudes between -180 and 180.");
    }
    return { latitude, longitude };
}

function readVector(text) {
    const inner = text.trim().replace(/^\[|\]$/g, "");
    const numbers = inner.split(/[,\s]+/).filter(Boolean).map(readDouble);
    if (!numbers.length || numbers.length > VECTOR_LENGTH_MAX) {
        throw new ValueError(`A vector has 1 to ${VECTOR_LENGTH_MAX} numbers, such as 0.1, 0.2, 0.3.`);
    }
    const values = numbers.map((doubleValue) => ({ doubleValue }));
    return mapOf([["__type__", { stringValue: "__vector__" }], ["value", { arrayValue: { values } }]]);
}

/** Whether two values are the same to the last bit. */
export function areEqual(one, other) {
    if (one === undefined || other === undefined) return one === other;
    return canonical(one) === canonical(other);
}

/** One text for equal values, whatever the order of fields. */
export function canonical(value) {
    switch (kindOf(value)) {
        case "array": return `[${elementsOf(value).map(canonical).join(",")}]`;
        case "map": return canonicalFields(fieldsOf(value));
        case "geoPoint": return `geo ${textOf(value)}`;
        case "null": return "null";
        case "vector": return `vector ${textOf(value)}`;
        case "unknown": return JSON.stringify(value);
        default: return `${kindOf(value)} ${JSON.stringify(textOf(value))}`;
    }
}

/** The same for the fields of a document. */
export function canonicalFields(fields) {
    const names = Object.keys(fields).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`).join(",")}}`;
}

/** The path to a field, quoted where a name needs it. */
export function fieldPath(names) {
    return names.map((name) => /^[A-Za-z_][A-Za-z_0-9]*$/.test(name)
        ? name : `\`${name.replace(/[\\`]/g, "\\$&")}\``).join(".");
}

/** The names of a field's path, as a person types it or a write holds it.
 * @throws ValueError if the path has no meaning. */
export function fieldNames(text) {
    const names = [];
    const pattern = /(?:`((?:[^\\`]|\\.)+)`|([^.`\s][^.`]*))(\.|$)/ys;
    let end = 0;
    while (end < text.length || !names.length) {
        pattern.lastIndex = end;
        const part = pattern.exec(text);
        if (!part) throw new ValueError("A field's path is names joined by dots; a name with other signs stands in `backticks`.");
        names.push(part[1] === undefined ? part[2].trim() : part[1].replace(/\\(.)/gs, "$1"));
        end = pattern.lastIndex;
        if (part[3] === "." && end === text.length) throw new ValueError("A field's name is missing after the last dot.");
    }
    return names;
}
