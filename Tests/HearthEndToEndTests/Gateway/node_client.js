// A raw client of google.firestore.v1 on Node's own HTTP/2, which carries Google's Node client too.
// It makes the requests that that client makes, with its headers; it retries nothing.
"use strict";

const http2 = require("node:http2");

const PROJECT = "demo";
const DATABASE = `projects/${PROJECT}/databases/(default)`;
const ROOT = `${DATABASE}/documents`;

// ---- Protobuf: a schema is {name: [field number, kind, "repeated"?]}; a kind is a word or a schema.

function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function encodeValue(kind, value) {
  if (kind === "int" || kind === "bool") return [0, varint(value)];
  if (kind === "string") value = Buffer.from(value);
  else if (kind !== "bytes") value = encode(kind, value);
  return [2, Buffer.concat([varint(value.length), value])];
}

function encode(schema, message) {
  const parts = [];
  for (const [name, value] of Object.entries(message)) {
    const [number, kind, repeated] = schema[name];
    for (const one of repeated ? value : [value]) {
      const [wire, bytes] = encodeValue(kind, one);
      parts.push(varint((number << 3) | wire), bytes);
    }
  }
  return Buffer.concat(parts);
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  varint() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  }

  take(count) {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
}

function decode(schema, bytes) {
  const message = {};
  const fields = new Map(Object.entries(schema).map(([name, field]) => [field[0], [name, field]]));
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const key = reader.varint();
    const wire = key & 7;
    const raw =
      wire === 0 ? reader.varint() : wire === 1 ? reader.take(8)
      : wire === 5 ? reader.take(4) : reader.take(reader.varint());
    const found = fields.get(key >>> 3);
    if (!found) continue;
    const [name, [, kind, repeated]] = found;
    const value =
      kind === "int" || kind === "bytes" ? raw : kind === "bool" ? raw !== 0
      : kind === "string" ? raw.toString() : decode(kind, raw);
    if (repeated) (message[name] ??= []).push(value);
    else message[name] = value;
  }
  return message;
}

// ---- Messages.

const Timestamp = { seconds: [1, "int"], nanos: [2, "int"] };
const Value = { int: [2, "int"], text: [17, "string"] };
const Document = {
  name: [1, "string"],
  fields: [2, { key: [1, "string"], value: [2, Value] }, "repeated"],
  createTime: [3, Timestamp],
  updateTime: [4, Timestamp],
};
const Precondition = { exists: [1, "bool"], updateTime: [2, Timestamp] };
const Write = {
  update: [1, Document],
  delete: [2, "string"],
  mask: [3, { paths: [1, "string", "repeated"] }],
  condition: [4, Precondition],
};
const WriteResult = { updateTime: [1, Timestamp] };
const NewTransaction = { readWrite: [3, {}] };
const Query = {
  from: [2, { collection: [2, "string"] }, "repeated"],
  where: [3, { field: [2, {
    field: [1, { path: [2, "string"] }], op: [2, "int"], value: [3, Value] }] }],
};
const Status = {
  code: [1, "int"],
  message: [2, "string"],
  details: [3, { value: [2, { reason: [1, "string"], domain: [2, "string"] }] }, "repeated"],
};
const Target = {
  query: [2, { parent: [1, "string"], query: [2, Query] }],
  resumeToken: [4, "bytes"],
  id: [5, "int"],
};
const TargetChange = {
  type: [1, "int"],
  targets: [2, "bytes"],
  cause: [3, Status],
  resumeToken: [4, "bytes"],
  readTime: [6, Timestamp],
};
const Changed = { document: [1, Document] };
const Gone = { document: [1, "string"] };

const METHODS = {
  BatchGetDocuments: [
    { database: [1, "string"], documents: [2, "string", "repeated"], transaction: [4, "bytes"],
      newTransaction: [5, NewTransaction] },
    { found: [1, Document], missing: [2, "string"], transaction: [3, "bytes"],
      readTime: [4, Timestamp] },
    (request) => ["database", request.database],
  ],
  Commit: [
    { database: [1, "string"], writes: [2, Write, "repeated"], transaction: [3, "bytes"] },
    { results: [1, WriteResult, "repeated"], commitTime: [2, Timestamp] },
    (request) => ["database", request.database],
  ],
  Rollback: [
    { database: [1, "string"], transaction: [2, "bytes"] }, {},
    (request) => ["database", request.database],
  ],
  RunQuery: [
    { parent: [1, "string"], query: [2, Query] }, { document: [1, Document] },
    (request) => ["parent", request.parent],
  ],
  RunAggregationQuery: [
    { parent: [1, "string"], aggregation: [2, {
      query: [1, Query], aggregations: [3, { count: [1, {}], alias: [7, "string"] }, "repeated"] }] },
    { result: [1, { values: [2, { key: [1, "string"], value: [2, Value] }, "repeated"] }] },
    (request) => ["parent", request.parent],
  ],
  BatchWrite: [
    { database: [1, "string"], writes: [2, Write, "repeated"] },
    { results: [1, WriteResult, "repeated"], statuses: [2, Status, "repeated"] },
    (request) => ["database", request.database],
  ],
  Listen: [
    { database: [1, "string"], add: [2, Target] },
    { target: [2, TargetChange], change: [3, Changed], delete: [4, Gone], remove: [6, Gone] },
    () => ["database", DATABASE],
  ],
};

// ---- Calls.

/** An answer that is an error, with the reason of its ErrorInfo. */
class CallError extends Error {
  constructor(headers) {
    super(`status ${headers["grpc-status"]}: ${decodeURIComponent(headers["grpc-message"] ?? "")}`);
    this.code = Number(headers["grpc-status"] ?? 14);
    const details = headers["grpc-status-details-bin"];
    const info = details && decode(Status, Buffer.from(details, "base64")).details?.[0]?.value;
    this.reason = info?.reason;
    this.domain = info?.domain;
  }
}

function envelope(bytes) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** One connection, as a channel of grpc-js makes it. */
class Connection {
  /** The variable is read as the Node client reads it: host and port, and nothing else. */
  constructor(place = process.env.FIRESTORE_EMULATOR_HOST) {
    const url = new URL(`http://${place}/`);
    if (url.pathname !== "/" || url.username) throw new Error(`not a valid host: ${place}`);
    this.session = http2.connect(url.origin, { settings: { initialWindowSize: 4194304 } });
    this.session.on("error", () => {});
  }

  close() {
    this.session.destroy();
  }

  /** Begins a call; `heard` gets each message. Returns the stream, and a promise of the end. */
  begin(method, routed, heard) {
    const [, answer, routing] = METHODS[method];
    const [name, value] = routing(routed);
    const stream = this.session.request({
      ":method": "POST",
      ":path": `/google.firestore.v1.Firestore/${method}`,
      "te": "trailers",
      "content-type": "application/grpc",
      "user-agent": "grpc-node-js/1.14.0",
      "grpc-accept-encoding": "identity,deflate,gzip",
      "grpc-timeout": "60000m",
      "authorization": "Bearer owner",
      "google-cloud-resource-prefix": DATABASE,
      "x-goog-request-params": `${name}=${encodeURIComponent(value)}`,
    });
    let bytes = Buffer.alloc(0);
    let last = {};
    stream.on("response", (headers) => (last = headers));
    stream.on("trailers", (headers) => (last = headers));
    stream.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
        const length = bytes.readUInt32BE(1);
        heard(decode(answer, bytes.subarray(5, 5 + length)));
        bytes = bytes.subarray(5 + length);
      }
    });
    const end = new Promise((resolve, reject) => {
      stream.on("error", () => {});
      stream.on("close", () =>
        last["grpc-status"] === "0" ? resolve() : reject(new CallError(last)));
    });
    return [stream, end];
  }

  /** The messages that answer a call of one request. */
  async call(method, request) {
    const answers = [];
    const [stream, end] = this.begin(method, request, (message) => answers.push(message));
    stream.end(envelope(encode(METHODS[method][0], request)));
    await end;
    return answers;
  }
}

module.exports = { Connection, METHODS, DATABASE, ROOT, encode, envelope };
