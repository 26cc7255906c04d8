// What a person's edits become: the smallest write that makes one state of a document out of another.

import { areEqual, fieldNames, fieldPath, fieldsOf, kindOf, mapOf } from "./values.js";

/** How a map that was edited differs from the one before, field by field.
 *
 * Only the paths that changed are named, so that a change of somebody else to another field stands. `edited` may hold
 * orders (`{ order, operand }`) in the place of values, in maps however deep.
 */
export function changesBetween(before, edited) {
    const changes = { paths: [], fields: Object.create(null), transforms: [] };
    collect(before, edited, [], changes);
    return changes;
}

function collect(before, edited, names, changes) {
    for (const name of Object.keys(before)) {
        if (!(name in edited)) changes.paths.push(fieldPath([...names, name]));
    }
    for (const [name, value] of Object.entries(edited)) collectField(before[name], value, [...names, name], changes);
}

function collectField(old, value, names, changes) {
    if (value.order === "serverTimestamp" && old?.isEstimate) return;  // It waits for the backend already.
    if (value.order) {
        changes.transforms.push(transform(names, value));
        return;
    }
    const isMap = kindOf(value) === "map";
    if (isMap && old !== undefined && kindOf(old) === "map") {
        collect(fieldsOf(old), fieldsOf(value), names, changes);
        return;
    }
    if (old !== undefined && areEqual(old, value)) return;
    changes.paths.push(fieldPath(names));
    put(changes.fields, names, isMap ? withoutOrders(value, names, changes) : value);
}

// The orders inside a new map go beside the map; what is left of the map is written.
function withoutOrders(value, names, changes) {
    const pairs = [];
    for (const [name, inner] of Object.entries(fieldsOf(value))) {
        if (inner.order) changes.transforms.push(transform([...names, name], inner));
        else pairs.push([name, kindOf(inner) === "map" ? withoutOrders(inner, [...names, name], changes) : inner]);
    }
    return mapOf(pairs);
}

function transform(names, { order, operand }) {
    const path = fieldPath(names);
    return order === "increment" ? { fieldPath: path, increment: operand } : { fieldPath: path, setToServerValue: "REQUEST_TIME" };
}

function put(fields, names, value) {
    let inner = fields;
    for (const name of names.slice(0, -1)) {
        inner[name] ??= { mapValue: { fields: Object.create(null) } };
        inner = inner[name].mapValue.fields;
    }
    inner[names.at(-1)] = value;
}

/** The write that changes a document that is there; `null` if nothing was edited. */
export function changingWrite(path, before, edited) {
    const { paths, fields, transforms } = changesBetween(before, edited);
    if (!paths.length && !transforms.length) return null;
    const write = { update: { name: path, fields }, updateMask: { fieldPaths: paths }, currentDocument: { exists: true } };
    if (transforms.length) write.updateTransforms = transforms;
    return write;
}

/** The write that makes a new document, and fails if one is there. */
export function makingWrite(path, edited) {
    const { fields, transforms } = changesBetween({}, edited);
    const write = { update: { name: path, fields }, currentDocument: { exists: false } };
    if (transforms.length) write.updateTransforms = transforms;
    return write;
}

/** The names in a mask that have no value: the fields that a write deletes. */
export function deletedPaths(write) {
    return (write.updateMask?.fieldPaths ?? []).filter((path) => valueAt(write.update.fields ?? {}, fieldNames(path)) === undefined);
}

function valueAt(fields, names) {
    let value = { mapValue: { fields } };
    for (const name of names) {
        value = value?.mapValue?.fields?.[name];
    }
    return value;
}

/** The same write with other fields: its mask follows, and names what it deleted before. */
export function withFields(write, edited) {
    const { fields, transforms } = changesBetween({}, edited);
    const next = { ...write, update: { ...write.update, fields } };
    if (transforms.length) next.updateTransforms = [...(write.updateTransforms ?? []), ...transforms];
    if (write.updateMask) {
        const kept = write.updateMask.fieldPaths.filter((path) => valueAt(fields, fieldNames(path)) !== undefined);
        const covered = new Set(kept.map((path) => fieldNames(path)[0]));
        const added = Object.keys(fields).filter((name) => !covered.has(name)).map((name) => fieldPath([name]));
        next.updateMask = { fieldPaths: [...deletedPaths(write), ...kept, ...added] };
    }
    return next;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A new document's id: twenty letters and digits by chance, as Firebase's SDKs make them. */
export function newDocumentID() {
    let id = "";
    while (id.length < 20) {
        const bytes = crypto.getRandomValues(new Uint8Array(32));
        for (const byte of bytes) {
            if (byte < 248 && id.length < 20) id += LETTERS[byte % 62];
        }
    }
    return id;
}
