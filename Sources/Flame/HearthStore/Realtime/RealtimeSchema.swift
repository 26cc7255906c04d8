import HearthSQLite

/// The tables of a Realtime Database's store, by the schema version that brought them.
///
/// The tables of queues have the columns that `QueueTransaction` names, in the same places. Places
/// are `PlaceBytes`, times `TimeBytes`.
enum RealtimeSchema {
    /// Each step leads from the version before it to its own, counted from 1.
    static let steps = [SchemaStep.sql(first), .sql(numbered)]

    /// The version at which the intake log of an older program is taken up.
    static let intakeVersion = 2

    /// The first version that only daemons wrote which give a folder's stores a number.
    static let numberedVersion = 2

    /// Changes no table: the version alone tells that the folder of the store had a number.
    private static let numbered = ""

    private static let first = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            database TEXT NOT NULL,
            version INTEGER NOT NULL,
            last_write INTEGER NOT NULL,
            last_query INTEGER NOT NULL,
            batches INTEGER NOT NULL,
            held_batches INTEGER NOT NULL,
            batch_bytes INTEGER NOT NULL,
            dead_letters INTEGER NOT NULL,
            cache_bytes INTEGER NOT NULL,
            intake_salt INTEGER NOT NULL,
            daemon TEXT NOT NULL
        );

        -- What is known of the server's tree, in chunks. A node of more than a chunk has rows for its
        -- children, and one for its priority, whose place ends in 00. node: NodeBytes.
        CREATE TABLE server_nodes (
            place BLOB PRIMARY KEY,
            node BLOB NOT NULL
        ) WITHOUT ROWID;

        -- query: as on the wire, sorted by name (QueryObject); empty for the whole node.
        CREATE TABLE tracked_queries (
            id INTEGER PRIMARY KEY,
            place BLOB NOT NULL,
            query TEXT NOT NULL,
            last_use BLOB NOT NULL,
            is_complete INTEGER NOT NULL,
            is_active INTEGER NOT NULL,
            hash TEXT
        );
        CREATE UNIQUE INDEX tracked_queries_by_target ON tracked_queries (place, query);
        CREATE INDEX tracked_queries_by_use ON tracked_queries (last_use) WHERE is_active = 0;
        CREATE TABLE tracked_keys (
            query INTEGER NOT NULL,
            key BLOB NOT NULL,
            PRIMARY KEY (query, key)
        ) WITHOUT ROWID;

        -- sent: all up to this number that is not held.
        CREATE TABLE mutation_queues (
            id INTEGER PRIMARY KEY,
            user TEXT NOT NULL UNIQUE,
            sent INTEGER NOT NULL DEFAULT 0
        );
        -- The same once more: where one page of the two is damaged, a rescue has it from the other.
        CREATE INDEX mutation_queues_by_sent ON mutation_queues (sent, user);
        -- id: the queue above, the write's number in the lower 44 bits (BatchRow).
        -- state: 0 queued or sent, 1 held. change: ChangeBytes.
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
            change BLOB NOT NULL
        );

        -- outcome: 0 pending, 1 committed, 2 rejected, 3 rejected and perhaps applied.
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
        -- Below which number answered writes of a client were forgotten.
        CREATE TABLE forgotten_writes (
            uid INTEGER NOT NULL,
            client_high INTEGER NOT NULL,
            client_low INTEGER NOT NULL,
            below INTEGER NOT NULL,
            noted_at BLOB NOT NULL,
            PRIMARY KEY (uid, client_high, client_low)
        ) WITHOUT ROWID;
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
            change BLOB NOT NULL,
            code INTEGER NOT NULL,
            message TEXT NOT NULL,
            rejected_at BLOB NOT NULL,
            may_have_been_applied INTEGER NOT NULL
        );
        """
}
