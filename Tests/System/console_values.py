"""Values of every type as a person types them, and what a document must hold afterwards."""

# Kind, text, and the value in the JSON of REST; None where the backend decides.
TYPED = [
    ("null", None, {"nullValue": None}),
    ("boolean", "false", {"booleanValue": False}),
    ("integer", "-9223372036854775808", {"integerValue": "-9223372036854775808"}),
    ("integer", "9007199254740993", {"integerValue": "9007199254740993"}),
    ("double", "0.1", {"doubleValue": 0.1}),
    ("double", "3", {"doubleValue": 3}),
    ("double", "-0", {"doubleValue": -0.0}),
    ("double", "NaN", {"doubleValue": "NaN"}),
    ("double", "-Infinity", {"doubleValue": "-Infinity"}),
    ("double", "5e-324", {"doubleValue": 5e-324}),
    ("string", "two\nlines, \u00e4\U0001f600", {"stringValue": "two\nlines, \u00e4\U0001f600"}),
    ("bytes", "AP/+", {"bytesValue": "AP/+"}),
    ("timestamp", "2026-01-02T04:04:05.123456+01:00", {"timestampValue": "2026-01-02T03:04:05.123456Z"}),
    ("reference", "rooms/hall", {"referenceValue": "projects/demo/databases/(default)/documents/rooms/hall"}),
    ("geoPoint", "52.5, -13.25", {"geoPointValue": {"latitude": 52.5, "longitude": -13.25}}),
    ("vector", "0.5, -1", {"mapValue": {"fields": {
        "__type__": {"stringValue": "__vector__"},
        "value": {"arrayValue": {"values": [{"doubleValue": 0.5}, {"doubleValue": -1}]}}}}}),
    ("serverTimestamp", None, None),
    ("increment", "4611686018427387904", {"integerValue": "4611686018427387904"}),
]


def plain(value):
    """A value in which equal numbers are equal, and zeros of two signs are not."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(float(value))
    return "-0.0" if value == "-0" else value


# Runs in the page. Returns true for each case that holds, and what is wrong for the others.
SCRIPT = r"""
const values = await import('/values.js');
const changes = await import('/changes.js');
const api = await import('/api.js');
const results = [];
const same = (found, expected, what) => {
    const [one, other] = [api.writeJSON(found), api.writeJSON(expected)];
    results.push(one === other || `${what}: ${one} is not ${other}`);
};
const refused = (work, what) => {
    try { work(); results.push(`${what} was taken`); } catch (error) { results.push(error instanceof values.ValueError || `${what}: ${error}`); }
};
const leaves = [
    { nullValue: null }, { booleanValue: true }, { booleanValue: false }, { integerValue: '9223372036854775807' },
    { integerValue: '-9223372036854775808' }, { integerValue: '0' }, { doubleValue: 0.1 }, { doubleValue: 1e300 }, { doubleValue: 5e-324 },
    { doubleValue: 'NaN' }, { doubleValue: 'Infinity' }, { doubleValue: '-Infinity' }, { doubleValue: '-0' }, { doubleValue: 3 },
    { stringValue: '' }, { stringValue: ' two\nlines \u{1F600}' }, { bytesValue: '' }, { bytesValue: 'AP/+' }, { bytesValue: 'AA==' },
    { timestampValue: '2026-01-02T03:04:05.123456Z' }, { timestampValue: '0001-01-01T00:00:00Z' },
    { timestampValue: '9999-12-31T23:59:59.999999999Z' }, { timestampValue: '2024-02-29T12:00:00.000000001Z' },
    { referenceValue: 'projects/demo/databases/(default)/documents/rooms/hall' },
    { geoPointValue: { latitude: -90, longitude: 180 } }, { geoPointValue: { latitude: 52.5, longitude: 0.1 } },
    values.read('vector', '0.1, -2, 1e-7'),
];
for (const value of leaves) {
    const kind = values.kindOf(value);
    same(values.read(kind, values.textOf(value), 'demo/(default)'), value, `${kind} through text`);
    results.push(values.areEqual(value, JSON.parse(JSON.stringify(value))) || `${kind} is not equal to itself`);
    results.push(values.shown(value).length > 0 || kind === 'string' || `${kind} shows nothing`);
}
for (const [one, place] of leaves.map((value, place) => [value, place])) {
    for (const other of leaves.slice(place + 1)) {
        if (values.areEqual(one, other)) results.push(`${JSON.stringify(one)} counts as ${JSON.stringify(other)}`);
    }
}
for (const text of ['9223372036854775808', '-9223372036854775809', '1.5', '', 'x']) refused(() => values.read('integer', text), `the integer ${text}`);
for (const text of ['', 'x', '1e999', '0x10', '1,5']) refused(() => values.read('double', text), `the double ${text}`);
for (const text of ['2026-02-30', '2026-13-01', '0000-01-01', '2026-01-01T24:00:00Z', 'now']) refused(() => values.read('timestamp', text), `the timestamp ${text}`);
for (const text of ['A', 'A*==']) refused(() => values.read('bytes', text), `the bytes ${text}`);
for (const text of ['rooms', 'rooms//hall/x', '']) refused(() => values.read('reference', text, 'demo/(default)'), `the reference ${text}`);
for (const text of ['91, 0', '0, 181', '1', 'NaN, 0']) refused(() => values.read('geoPoint', text), `the geo point ${text}`);
for (const names of [['a'], ['a', 'b'], ['odd name', 'c'], ['`tick\\'], ['1'], ['é'], ['a.b']]) same(values.fieldNames(values.fieldPath(names)), names, 'field path');
for (const text of ['', '.', 'a.', 'a..b', '`a']) refused(() => values.fieldNames(text), `the field path ${text}`);
const before = { a: { integerValue: '1' }, map: { mapValue: { fields: { x: { integerValue: '1' }, y: { integerValue: '2' } } } }, gone: { nullValue: null } };
const edited = { a: { integerValue: '1' }, map: { mapValue: { fields: { x: { integerValue: '1' }, y: { order: 'increment', operand: { integerValue: '2' } }, z: { booleanValue: true } } } } };
const write = changes.changingWrite('rooms/hall', before, edited);
same(write.updateMask.fieldPaths, ['gone', 'map.z'], 'the mask names only what changed');
same(write.update.fields, { map: { mapValue: { fields: { z: { booleanValue: true } } } } }, 'only what changed is written');
same(write.updateTransforms, [{ fieldPath: 'map.y', increment: { integerValue: '2' } }], 'an order stands beside the fields');
same(changes.changingWrite('rooms/hall', before, before), null, 'nothing changed, nothing written');
same(changes.withFields({ update: { name: 'n', fields: {} }, updateMask: { fieldPaths: ['a', 'gone'] } }, { b: { nullValue: null } }).updateMask.fieldPaths, ['a', 'gone', 'b'], 'a mask keeps what it deletes');
same(api.readJSON('[9007199254740993, 1.5, 1e3, "x", -9223372036854775808]'), [9007199254740993n, 1.5, 1000, 'x', -9223372036854775808n], 'whole numbers keep their digits');
same(/^[A-Za-z0-9]{20}$/.test(changes.newDocumentID()), true, 'a new id');
return results;
"""
