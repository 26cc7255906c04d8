// What a program with Google's Node client meets while its machine is offline, story by story: the
// requests of that client in its order, by a raw client, for the client itself is in no registry that
// the tests may use.
//
// Usage: node node_stories.js STEP
//
// FIRESTORE_EMULATOR_HOST names the gateway's port. Each step ends with 0 if every answer is as it
// should be. The test that starts the steps takes the backend away and gives it back in between.
"use strict";

const assert = require("node:assert");
const { Connection, METHODS, DATABASE, ROOT, encode, envelope } = require("./node_client.js");

const REFUSED = { missing: 5, exists: 6, precondition: 9 };
const REFUSAL_MILLISECONDS_MAX = 100;
const GREATER_THAN = 3;
const PAUSE_MILLISECONDS = 50;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
const name = (path) => `${ROOT}/${path}`;
const isPending = (time) => ((time.nanos ?? 0) % 1000 & 1) === 1;
const isReal = (time) => (time.nanos ?? 0) % 1000 === 0;
const number = (document) => document.fields[0].value.int ?? 0;

function isLater(time, other) {
  return time.seconds > other.seconds
    || (time.seconds === other.seconds && (time.nanos ?? 0) > (other.nanos ?? 0));
}

const fields = (n) => [{ key: "n", value: { int: n } }];
const set = (path, n) => ({ update: { name: name(path), fields: fields(n) } });
const create = (path, n) => ({ ...set(path, n), condition: { exists: false } });

function update(path, n, condition = { exists: true }) {
  return { ...set(path, n), mask: { paths: ["n"] }, condition };
}

async function commit(connection, writes, transaction) {
  const request = { database: DATABASE, writes, ...(transaction && { transaction }) };
  const [answer] = await connection.call("Commit", request);
  assert.strictEqual(answer.results.length, writes.length);
  return answer.results[0].updateTime;
}

/** One document, as `DocumentReference.get` asks for it; `null` for one that is missing. */
async function get(connection, path, options = {}) {
  const request = { database: DATABASE, documents: [name(path)], ...options };
  const answers = await connection.call("BatchGetDocuments", request);
  const transaction = answers.map((answer) => answer.transaction).find((id) => id?.length);
  const told = answers.find((answer) => answer.found || answer.missing);
  assert.ok(told, "a document was neither found nor missing");
  return { document: told.found ?? null, transaction };
}

async function query(connection, collection, where) {
  const request = {
    parent: ROOT, query: { from: [{ collection }], ...(where && { where: { field: where } }) } };
  const answers = await connection.call("RunQuery", request);
  return answers.filter((answer) => answer.document).map((answer) => answer.document);
}

async function count(connection, collection) {
  const [answer] = await connection.call("RunAggregationQuery", {
    parent: ROOT,
    aggregation: { query: { from: [{ collection }] }, aggregations: [{ count: {}, alias: "all" }] },
  });
  return answer.result.values[0].value.int ?? 0;
}

/** Adds one to a number as the Node client does: the first read begins the transaction. */
async function transact(connection, path) {
  const { document, transaction } = await get(connection, path, { newTransaction: { readWrite: {} } });
  await commit(connection, [update(path, number(document) + 1)], transaction);
}

/** Reads a document, and writes it if nobody has changed it since. */
async function change(connection, path) {
  const { document } = await get(connection, path);
  const condition = { updateTime: document.updateTime };
  await commit(connection, [update(path, number(document) + 10, condition)]);
}

/** Makes a call that must be refused at once; returns the error. */
async function refused(code, ask) {
  const began = performance.now();
  try {
    await ask();
  } catch (error) {
    const took = performance.now() - began;
    assert.strictEqual(error.code, code, error);
    assert.ok(took < REFUSAL_MILLISECONDS_MAX, `refused after ${took} ms: ${error}`);
    return error;
  }
  throw new Error("the call was not refused");
}

const steps = {
  // Before the backend goes.

  async prepare(connection) {
    for (const letter of ["a", "b", "c"]) {
      assert.ok(isReal(await commit(connection, [set(`rooms/${letter}`, 1)])), "a mark online");
    }
    assert.strictEqual((await query(connection, "rooms")).length, 3);
    const { document } = await get(connection, "rooms/a");
    assert.ok(number(document) === 1 && isReal(document.updateTime));
    await transact(connection, "rooms/c");
    assert.strictEqual(number((await get(connection, "rooms/c")).document), 2);
  },

  // While the backend is away.

  async writes_show(connection) {
    const written = await commit(connection, [set("rooms/d", 4)]);
    assert.ok(isPending(written), "a promised time bears no mark");
    const { document } = await get(connection, "rooms/d");
    assert.strictEqual(number(document), 4);
    assert.deepStrictEqual(document.updateTime, written);
    assert.deepStrictEqual(document.createTime, written);
    const where = { field: { path: "n" }, op: GREATER_THAN, value: { int: 3 } };
    const found = await query(connection, "rooms", where);
    assert.deepStrictEqual(found.map((document) => document.name), [name("rooms/d")]);
    assert.strictEqual((await query(connection, "rooms")).length, 4);
    assert.strictEqual(await count(connection, "rooms"), 4);
    assert.ok(isLater(await commit(connection, [update("rooms/d", 5)]), written));
  },

  async conditions_hold(connection) {
    await refused(REFUSED.exists, () => commit(connection, [create("rooms/a", 0)]));
    await commit(connection, [create("rooms/e", 1)]);
    await refused(REFUSED.exists, () => commit(connection, [create("rooms/e", 2)]));
    await commit(connection, [{ delete: name("rooms/e") }]);
    await refused(REFUSED.missing, () => commit(connection, [update("rooms/e", 2)]));
    assert.strictEqual((await get(connection, "rooms/e")).document, null);
  },

  async unknown_is_no_absence(connection) {
    const unknown = await refused(
      REFUSED.precondition, () => get(connection, "rooms/never-seen"));
    assert.deepStrictEqual([unknown.reason, unknown.domain], ["HEARTH_NOT_CACHED", "hearth"]);
    const whole = await refused(REFUSED.precondition, () => query(connection, "halls"));
    assert.strictEqual(whole.domain, "hearth");
  },

  async transactions_are_refused(connection) {
    const error = await refused(REFUSED.precondition, () => transact(connection, "rooms/a"));
    assert.deepStrictEqual([error.reason, error.domain], ["HEARTH_OFFLINE", "hearth"]);
  },

  async full_queue_refuses(connection) {
    await commit(connection, [set("rooms/d", 1)]);
    const error = await refused(
      REFUSED.precondition, () => commit(connection, [set("rooms/d", 2)]));
    assert.deepStrictEqual([error.reason, error.domain], ["HEARTH_QUEUE_FULL", "hearth"]);
  },

  async chained(connection) {
    await change(connection, "rooms/b");
    await change(connection, "rooms/b");
    assert.strictEqual(number((await get(connection, "rooms/b")).document), 21);
  },

  async pending_twice(connection) {
    await commit(connection, [set("rooms/twice", 1)]);
    await change(connection, "rooms/twice");
    await change(connection, "rooms/twice");
  },

  async accept(connection) {
    await commit(connection, [set("rooms/kept", 7)]);
    console.log("accepted");
  },

  async kept(connection) {
    assert.strictEqual(number((await get(connection, "rooms/kept")).document), 7);
  },

  /** A bulk writer's thousand, in requests of twenty, ten of them on the way. */
  async many(connection) {
    const requests = [];
    for (let first = 0; first < 1000; first += 20) {
      const writes = Array.from({ length: 20 }, (_, index) => set(`many/${first + index}`, index));
      requests.push({ database: DATABASE, writes });
    }
    while (requests.length) {
      const some = requests.splice(0, 10).map((request) => connection.call("BatchWrite", request));
      for (const [answer] of await Promise.all(some)) {
        assert.strictEqual(answer.results.length, 20);
        for (const status of answer.statuses) assert.strictEqual(status.code ?? 0, 0);
      }
    }
  },

  // When the backend is back.

  async landed(connection) {
    for (const [letter, n] of [["kept", 7], ["b", 21], ["d", 5]]) {
      let document;
      do {
        await pause();
        ({ document } = await get(connection, `rooms/${letter}`));
      } while (!isReal(document.updateTime));
      assert.strictEqual(number(document), n, letter);
    }
    await transact(connection, "rooms/a");
    assert.strictEqual(number((await get(connection, "rooms/a")).document), 2);
  },

  /** Prints each event of a listener as it comes, until it is ended from outside. */
  async listen(connection) {
    const watch = new Watch();
    for (;;) {
      await watch.follow(connection);
      connection.close();
      await pause();
      connection = new Connection();
    }
  },
};

/** A listener as the Node client keeps it: a change is a document with another update time. */
class Watch {
  constructor() {
    this.shown = new Map();
    this.changed = new Map();
    this.resumeToken = null;
    this.isCurrent = false;
  }

  /** Listens on one stream until it ends. */
  async follow(connection) {
    const [stream, end] = connection.begin("Listen", {}, (message) => this.take(message));
    this.isCurrent = false;
    this.changed.clear();
    const target = {
      query: { parent: ROOT, query: { from: [{ collection: "rooms" }] } }, id: 1,
      ...(this.resumeToken && { resumeToken: this.resumeToken }) };
    stream.write(envelope(encode(METHODS.Listen[0], { database: DATABASE, add: target })));
    await end.catch((error) => {
      if (error.code !== 14) throw error; // What else ends a stream ends the listener.
    });
  }

  take(message) {
    if (message.change) {
      const { document } = message.change;
      this.changed.set(document.name, document);
    } else if (message.delete ?? message.remove) {
      this.changed.set((message.delete ?? message.remove).document, null);
    } else if (message.target) {
      this.turn(message.target);
    }
  }

  turn(change) {
    const [NO_CHANGE, , REMOVE, CURRENT, RESET] = [0, 1, 2, 3, 4];
    const type = change.type ?? NO_CHANGE;
    if (type === REMOVE) throw new Error(`the listener was ended: ${change.cause?.message}`);
    if (type === CURRENT) this.isCurrent = true;
    if (type === RESET) {
      this.resumeToken = null;
      this.changed.clear();
      for (const known of this.shown.keys()) this.changed.set(known, null);
    }
    if (type !== NO_CHANGE || change.targets?.length || !change.readTime) return;
    if (change.resumeToken?.length) this.resumeToken = change.resumeToken;
    if (this.isCurrent) this.show();
  }

  show() {
    for (const [path, document] of this.changed) {
      const before = this.shown.get(path);
      if (!document) {
        if (this.shown.delete(path)) this.tell("REMOVED", before);
      } else if (!before || isLater(document.updateTime, before.updateTime)
          || isLater(before.updateTime, document.updateTime)) {
        this.shown.set(path, document);
        this.tell(before ? "MODIFIED" : "ADDED", document);
      }
    }
    this.changed.clear();
  }

  tell(kind, document) {
    const state = isPending(document.updateTime) ? "pending" : "real";
    console.log(`${kind} ${document.name.split("/").pop()} ${number(document)} ${state}`);
  }
}

const connection = new Connection();
steps[process.argv[2]](connection)
  .then(() => connection.close())
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
