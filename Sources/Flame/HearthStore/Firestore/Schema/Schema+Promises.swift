/// The tables of promised times, and of writes whose writers wait for the backend's word.
extension Schema {
    /// The twelfth step: the promise of each batch, and the promise's outcome.
    static let twelfth = """
        -- The times that batches promise, in microseconds since 1970. What waits already promises times of
        -- the year 2000, in the order of the queue (PromisedClock).
        ALTER TABLE mutations ADD COLUMN promised_at INTEGER;
        UPDATE mutations SET promised_at = 946684800000000 + (id & 17592186044415);
        ALTER TABLE store ADD COLUMN last_promised INTEGER NOT NULL DEFAULT 0;
        UPDATE store SET last_promised = 946684800000000 + last_batch WHERE last_batch > 0;
        -- What became of promises. outcome: PromiseBytes, NULL for a batch that was refused.
        CREATE TABLE promises (
            promised_at INTEGER PRIMARY KEY,
            batch INTEGER NOT NULL,
            noted_at BLOB NOT NULL,
            outcome BLOB
        );
        -- As dead_letters, of batches whose writers waited and were told.
        CREATE TABLE told_letters (
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
        CREATE INDEX told_letters_by_age ON told_letters (rejected_at);
        """

    /// The thirteenth step: the promised time at which a document that only batches have made was
    /// made; NULL if the newest batch made it, or none.
    static let thirteenth = "ALTER TABLE document_overlays ADD COLUMN created_at INTEGER"
}
