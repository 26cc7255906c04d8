import HearthSQLite

/// The tables, by the schema version that brought them.
///
/// A document, pending or cached, is named by its collection's row and the bytes of its last
/// segment (`PathKey`), whose order is the order of keys. Times are `TimeBytes`.
enum Schema {
    /// Each step leads from the version before it to its own, counted from 1.
    static let steps = [
        first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh,
        twelfth, thirteenth, terms, ledger, history, begunBundles,
    ].map { SchemaStep.sql($0) }

    /// The version that this program writes.
    static var version: Int { steps.count }

    /// The version at which the intake log of an older program is taken up: entries tell of batches and
    /// documents, and mean the same to all tables up to this one.
    static let intakeVersion = version

    /// The first version that only daemons wrote which give a folder's stores a number.
    static let numberedVersion = 16

    /// The first version whose stores have a name.
    static let nameVersion = 10

    /// Names a store that has no name.
    static let naming = "UPDATE store SET daemon = lower(hex(randomblob(8))) WHERE daemon = ''"

    private static let first = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            database TEXT NOT NULL,
            version INTEGER NOT NULL,
            highest_target INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            last_remote_version BLOB NOT NULL,
            last_batch INTEGER NOT NULL
        );

        -- Every collection that holds, or has held, documents or pending writes (CollectionPruning).
        CREATE TABLE collections (
            id INTEGER PRIMARY KEY,
            path BLOB NOT NULL UNIQUE,
            collection_group TEXT NOT NULL
        );
        CREATE INDEX collections_by_group ON collections (collection_group, path);

        -- kind: 1 missing, 2 found, 3 unknown, 4 nothing known but that a target names it.
        -- version: of what is not found; a found document's content has its own.
        -- content: google.firestore.v1.Document without its name.
        CREATE TABLE remote_documents (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            name BLOB NOT NULL,
            kind INTEGER NOT NULL,
            has_committed INTEGER NOT NULL,
            read_at BLOB,
            version BLOB,
            content BLOB
        );
        CREATE UNIQUE INDEX remote_documents_by_name ON remote_documents (collection, name);
        CREATE INDEX remote_documents_by_read ON remote_documents (collection, read_at);

        -- One row for each row of remote_documents: apart, because it changes more often.
        CREATE TABLE document_use (
            id INTEGER PRIMARY KEY,
            targets INTEGER NOT NULL,
            used INTEGER NOT NULL
        );
        CREATE INDEX orphans_by_use ON document_use (used) WHERE targets = 0;

        CREATE TABLE targets (
            id INTEGER PRIMARY KEY,
            target BLOB NOT NULL,
            purpose INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            snapshot_version BLOB NOT NULL,
            limbo_free_version BLOB NOT NULL,
            resume_token BLOB
        );
        CREATE INDEX targets_by_target ON targets (target);
        CREATE INDEX targets_by_use ON targets (sequence);
        CREATE TABLE target_documents (
            target INTEGER NOT NULL,
            document INTEGER NOT NULL,
            PRIMARY KEY (target, document)
        ) WITHOUT ROWID;

        CREATE TABLE mutation_queues (
            id INTEGER PRIMARY KEY,
            user TEXT NOT NULL UNIQUE
        );
        -- state: 0 queued, 1 held, 2 sent and not answered.
        -- writes, base_writes: google.firestore.v1.Write, each behind its length.
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
        CREATE INDEX mutations_by_queue ON mutations (queue, batch);
        CREATE TABLE document_mutations (
            collection INTEGER NOT NULL,
            name BLOB NOT NULL,
            queue INTEGER NOT NULL,
            batch INTEGER NOT NULL,
            PRIMARY KEY (collection, name, queue, batch)
        ) WITHOUT ROWID;
        CREATE TABLE document_overlays (
            id INTEGER PRIMARY KEY,
            queue INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            name BLOB NOT NULL,
            largest_batch INTEGER NOT NULL,
            mutation BLOB NOT NULL
        );
        CREATE UNIQUE INDEX document_overlays_by_name
            ON document_overlays (queue, collection, name);
        CREATE INDEX document_overlays_by_batch ON document_overlays (queue, largest_batch);

        -- outcome: 0 pending, 1 committed, 2 rejected.
        CREATE TABLE write_records (
            uid INTEGER NOT NULL,
            client_high INTEGER NOT NULL,
            client_low INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            batch INTEGER NOT NULL,
            outcome INTEGER NOT NULL,
            committed_at BLOB,
            code INTEGER,
            message TEXT,
            noted_at BLOB NOT NULL,
            PRIMARY KEY (uid, client_high, client_low, sequence)
        ) WITHOUT ROWID;
        CREATE INDEX write_records_by_batch ON write_records (batch);
        CREATE INDEX write_records_by_age ON write_records (noted_at) WHERE outcome <> 0;
        CREATE TABLE dead_letters (
            batch INTEGER PRIMARY KEY,
            user TEXT NOT NULL,
            state INTEGER NOT NULL,
            written_at BLOB NOT NULL,
            uid INTEGER NOT NULL,
            gid INTEGER NOT NULL,
            pid INTEGER NOT NULL,
            unit TEXT,
            program TEXT,
            byte_count INTEGER NOT NULL,
            base_writes BLOB NOT NULL,
            writes BLOB NOT NULL,
            code INTEGER NOT NULL,
            message TEXT NOT NULL,
            rejected_at BLOB NOT NULL,
            may_have_been_applied INTEGER NOT NULL
        );

        CREATE TABLE bundles (
            id TEXT PRIMARY KEY,
            created_at BLOB NOT NULL,
            version INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE named_queries (
            name TEXT PRIMARY KEY,
            target BLOB NOT NULL,
            is_limited_to_last INTEGER NOT NULL,
            read_at BLOB NOT NULL
        ) WITHOUT ROWID;
        """

    private static let second = """
        CREATE TABLE index_configuration (
            id INTEGER PRIMARY KEY,
            collection_group TEXT NOT NULL,
            fields BLOB NOT NULL
        );
        CREATE TABLE index_state (
            index_id INTEGER NOT NULL,
            queue INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            read_at BLOB NOT NULL,
            largest_batch INTEGER NOT NULL,
            PRIMARY KEY (index_id, queue)
        ) WITHOUT ROWID;
        CREATE TABLE index_entries (
            index_id INTEGER NOT NULL,
            queue INTEGER NOT NULL,
            value BLOB NOT NULL,
            document INTEGER NOT NULL,
            PRIMARY KEY (index_id, queue, value, document)
        ) WITHOUT ROWID;
        CREATE INDEX index_entries_by_document ON index_entries (document);
        CREATE TABLE data_migrations (
            name TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        """

    private static let third = """
        DROP TABLE index_configuration;
        DROP TABLE index_state;
        DROP TABLE index_entries;

        -- scope: 1 one collection after the other, 2 all of the id together.
        -- state: 0 lists the documents, 1 the overlays, 2 complete, 3 removed, with entries left,
        -- 4 (between 0 and 1) merges its runs, behind the entry (collection, read_at).
        -- The listing goes on behind last_id, of the collection behind (read_at, last_id).
        CREATE TABLE indexes (
            id INTEGER PRIMARY KEY,
            collection_group TEXT NOT NULL,
            scope INTEGER NOT NULL,
            fields BLOB NOT NULL,
            is_automatic INTEGER NOT NULL,
            state INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            read_at BLOB NOT NULL,
            last_id INTEGER NOT NULL
        );
        -- value: the fields (IndexValueWriter), then the document's name; in an index of all
        -- collections, whose collection is 0, its whole path.
        CREATE TABLE index_entries (
            index_id INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            value BLOB NOT NULL,
            document INTEGER NOT NULL,
            PRIMARY KEY (index_id, collection, value)
        ) WITHOUT ROWID;
        -- The same for documents with a pending effect, as each user sees them.
        CREATE TABLE overlay_entries (
            index_id INTEGER NOT NULL,
            queue INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            value BLOB NOT NULL,
            overlay INTEGER NOT NULL,
            PRIMARY KEY (index_id, queue, collection, value)
        ) WITHOUT ROWID;
        CREATE INDEX overlay_entries_by_overlay ON overlay_entries (overlay);

        -- Targets that are gone, whose documents have not all been let go yet.
        CREATE TABLE dropped_targets (
            id INTEGER PRIMARY KEY
        );

        -- How much there is of everything, so that nobody has to count.
        CREATE TABLE tallies (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            documents INTEGER NOT NULL,
            orphans INTEGER NOT NULL,
            targets INTEGER NOT NULL,
            batches INTEGER NOT NULL,
            held_batches INTEGER NOT NULL,
            batch_bytes INTEGER NOT NULL,
            dead_letters INTEGER NOT NULL
        );
        INSERT INTO tallies SELECT 1,
            (SELECT count(*) FROM remote_documents WHERE read_at IS NOT NULL),
            (SELECT count(*) FROM document_use WHERE targets = 0),
            (SELECT count(*) FROM targets), count(*), coalesce(sum(state = 1), 0),
            coalesce(sum(byte_count), 0), (SELECT count(*) FROM dead_letters)
            FROM mutations;
        ALTER TABLE store ADD COLUMN creates_indexes INTEGER NOT NULL DEFAULT 0;
        """

    private static let fourth = """
        -- Below which number (as in write_records) answered writes of a client were forgotten.
        CREATE TABLE forgotten_writes (
            uid INTEGER NOT NULL,
            client_high INTEGER NOT NULL,
            client_low INTEGER NOT NULL,
            below INTEGER NOT NULL,
            noted_at BLOB NOT NULL,
            PRIMARY KEY (uid, client_high, client_low)
        ) WITHOUT ROWID;
        """

    private static let fifth = """
        -- What every commit writes anyway lies in one row, so that it is one page of the log.
        ALTER TABLE store ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN orphans INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN targets INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN batches INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN held_batches INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN batch_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN dead_letters INTEGER NOT NULL DEFAULT 0;
        UPDATE store SET (documents, orphans, targets, batches, held_batches, batch_bytes,
            dead_letters) = (SELECT documents, orphans, targets, batches, held_batches,
            batch_bytes, dead_letters FROM tallies);
        DROP TABLE tallies;
        -- Who looks for a batch's effects knows its documents.
        DROP INDEX document_overlays_by_batch;
        """

    private static let sixth = """
        -- By which number records of the intake log are this store's; 0 if it never had one.
        ALTER TABLE store ADD COLUMN intake_salt INTEGER NOT NULL DEFAULT 0;
        """

    private static let seventh = """
        -- What an index is built from: entries, sorted in blocks (RunBlock). id: RunBlockID.
        CREATE TABLE index_runs (
            id INTEGER PRIMARY KEY,
            entries BLOB NOT NULL
        );
        -- The documents of which runs tell no longer what the index lists.
        CREATE TABLE index_changes (
            index_id INTEGER NOT NULL,
            document INTEGER NOT NULL,
            PRIMARY KEY (index_id, document)
        ) WITHOUT ROWID;
        """

    private static let eighth = """
        -- From here on the intake log has several records in a page, and more than accepted writes. An
        -- earlier program would not find them all, so it must not open the file.
        """

    private static let ninth = """
        -- What is sent is a prefix of a queue: all up to this number that is not held.
        ALTER TABLE mutation_queues ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
        UPDATE mutation_queues SET sent = coalesce(
            (SELECT max(batch) FROM mutations WHERE queue = mutation_queues.id AND state = 2), 0);

        -- id: the queue above, the batch's number in the lower 44 bits (BatchRow).
        -- state: 0 queued or sent, 1 held.
        ALTER TABLE mutations RENAME TO old_mutations;
        DROP INDEX mutations_by_queue;
        CREATE TABLE mutations (
            id INTEGER PRIMARY KEY,
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
            SELECT queue << 44 | batch, state = 1, written_at, uid, gid, pid, unit, program,
                byte_count, base_writes, writes
            FROM old_mutations ORDER BY queue, batch;
        DROP TABLE old_mutations;

        -- A row for each document that a queue writes to, which most batches make one of.
        -- batch: the newest that writes to it, 0 for none. earlier: how many do besides; those are in
        -- document_mutations. effect: the pending one, a row of document_overlays, or 0 if it is what
        -- `batch`, of a single write, wrote; NULL for none.
        CREATE TABLE written_documents (
            queue INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            name BLOB NOT NULL,
            batch INTEGER NOT NULL,
            earlier INTEGER NOT NULL,
            effect INTEGER,
            PRIMARY KEY (queue, collection, name)
        ) WITHOUT ROWID;
        INSERT INTO written_documents
            SELECT queue, collection, name, max(batch), count(*) - 1, NULL FROM document_mutations
            GROUP BY collection, name, queue;
        INSERT INTO written_documents
            SELECT queue, collection, name, 0, 0, id FROM document_overlays WHERE true
            ON CONFLICT (queue, collection, name) DO UPDATE SET effect = excluded.effect;
        DELETE FROM document_mutations WHERE batch = (
            SELECT batch FROM written_documents w WHERE w.queue = document_mutations.queue
                AND w.collection = document_mutations.collection
                AND w.name = document_mutations.name);
        DROP INDEX document_overlays_by_name;
        -- The effects are listed by their documents now: collection, name (read_at), queue (last_id).
        UPDATE indexes SET last_id = 0 WHERE state = 1;
        """

    private static let tenth = """
        -- The store's name among all daemons', given once.
        ALTER TABLE store ADD COLUMN daemon TEXT NOT NULL DEFAULT '';
        -- Where the markers of a queue's batches lie (MarkerEra).
        ALTER TABLE mutation_queues ADD COLUMN marker_eras TEXT NOT NULL DEFAULT '';
        """

    private static let eleventh = """
        -- Whose a queue is and how far it was sent, once more: where one page of the two is damaged, a rescue
        -- has it from the other.
        CREATE INDEX mutation_queues_by_sent ON mutation_queues (sent, user);
        """
}
