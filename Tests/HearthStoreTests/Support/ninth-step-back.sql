-- Takes the ninth step of the schema back, and what came after: the file is as an earlier program left it.
--
-- Effects that stand only in their batches become rows again, so the batches must have one write
-- without precondition. Used by OldSchema.swift and by Tests/System/starting.
BEGIN;
ALTER TABLE document_overlays DROP COLUMN created_at;
ALTER TABLE mutations RENAME TO rows_by_queue;
CREATE TABLE mutations (
    batch INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    state INTEGER NOT NULL,
    written_at BLOB NOT NULL,
    uid INTEGER NOT NULL,
    gid INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    unit TEXT,
    program TEXT,
    byte_count INTEGER NOT NULL,
    base_writes BLOB NOT NULL,
    writes BLOB NOT NULL
);
INSERT INTO mutations
    SELECT m.id - (q.id << 44), q.id,
        CASE WHEN m.state = 1 THEN 1 WHEN m.id - (q.id << 44) <= q.sent THEN 2 ELSE 0 END,
        written_at, uid, gid, pid, unit, program, byte_count, base_writes, writes
    FROM rows_by_queue m JOIN mutation_queues q ON q.id = m.id >> 44;
CREATE INDEX mutations_by_queue ON mutations (queue, batch);
INSERT INTO document_mutations
    SELECT collection, name, queue, batch FROM written_documents WHERE batch > 0;
INSERT INTO document_overlays (queue, collection, name, largest_batch, mutation)
    SELECT w.queue, w.collection, w.name, w.batch,
        substr(m.writes, iif(hex(substr(m.writes, 1, 1)) >= '80', 3, 2))
    FROM written_documents w JOIN mutations m ON m.batch = w.batch WHERE w.effect = 0;
CREATE UNIQUE INDEX document_overlays_by_name
    ON document_overlays (queue, collection, name);
DROP TABLE written_documents;
DROP TABLE rows_by_queue;
DROP INDEX mutation_queues_by_sent;
ALTER TABLE mutation_queues DROP COLUMN sent;
ALTER TABLE mutation_queues DROP COLUMN marker_eras;
ALTER TABLE store DROP COLUMN daemon;
ALTER TABLE store DROP COLUMN last_promised;
DROP TABLE promises;
DROP TABLE told_letters;
DROP TABLE ledger;
DROP TABLE history;
ALTER TABLE bundles DROP COLUMN documents;
ALTER TABLE bundles DROP COLUMN queries;
DROP TABLE sending_terms;
PRAGMA user_version = 8;
COMMIT;
