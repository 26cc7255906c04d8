// Stands in for Google's Node client, which is in no registry that the tests may use: the names that the
// README's program says, with the requests that the client makes for them.
"use strict";

const { Connection, DATABASE, ROOT } = require("../../../node_client.js");

/** The answers to one request. */
async function call(method, request) {
  const connection = new Connection();
  try {
    return await connection.call(method, request);
  } finally {
    connection.close();
  }
}

class DocumentSnapshot {
  constructor(document) {
    this.document = document;
  }

  data() {
    const fields = this.document.fields ?? [];
    return Object.fromEntries(fields.map(({ key, value }) => [key, value.int ?? 0]));
  }
}

class DocumentReference {
  constructor(path) {
    this.name = `${ROOT}/${path}`;
  }

  async set(data) {
    const fields = Object.entries(data).map(([key, int]) => ({ key, value: { int } }));
    const writes = [{ update: { name: this.name, fields } }];
    await call("Commit", { database: DATABASE, writes });
  }

  async get() {
    const answers = await call(
      "BatchGetDocuments", { database: DATABASE, documents: [this.name] });
    return new DocumentSnapshot(answers.find((answer) => answer.found).found);
  }
}

class Firestore {
  constructor({ projectId }) {
    if (!DATABASE.startsWith(`projects/${projectId}/`)) throw new Error(`no ${projectId} here`);
  }

  doc(path) {
    return new DocumentReference(path);
  }
}

module.exports = { Firestore };
