package import HearthEngine
package import HearthFirestore
package import HearthModel
package import HearthSQLite

/// The store of one Firestore database.
package typealias SQLiteStore = GroupStore<FirestoreContent>

/// Where the store of a Firestore database lies, and what the store may use.
package typealias StoreConfiguration = GroupStoreConfiguration<FirestoreContent>

/// The content of a store of documents: one database with documents and queues.
package struct FirestoreContent: StoreContent {
    /// The database whose documents the store holds.
    package let database: DatabaseID

    /// The content of a database's store.
    package init(database: DatabaseID) {
        self.database = database
    }

    /// The tables of documents and queues (`Schema`).
    package static var steps: [SchemaStep] { Schema.steps }
    /// Entries mean the same to the tables of all versions up to this version (`Schema`).
    package static var intakeVersion: Int { Schema.intakeVersion }
    /// From this version on, a daemon that had the store open has given the store's folder a number.
    package static var numberedVersion: Int { Schema.numberedVersion }

    package func complete(_ connection: Connection, from old: Int, to version: Int)
        throws(StoreError)
    {
        if old == 0 {
            let statement = try connection.statement(
                """
                INSERT INTO store (id, database, version, highest_target, sequence,
                    last_remote_version, last_batch)
                VALUES (1, ?, 0, 0, 0, ?, 0)
                """)
            try statement.bind(database.name, TimeBytes.bytes(of: SnapshotVersion.zero)).run()
        }
        if version >= Schema.nameVersion { try connection.execute(Schema.naming) }
    }

    package func expectOwn(_ connection: Connection) throws(StoreError) {
        let name = try connection.text("SELECT database FROM store")
        guard let name else { throw .damaged("its row of counters is gone") }
        guard utf8Equals(name, database.name) else {
            throw .foreign(
                "it belongs to \(name), not to \(database.name). Move the file and the files beside it to the "
                    + "place of their owner, or away")
        }
    }

    package func transaction(on connection: Connection) -> SQLiteTransaction {
        SQLiteTransaction(connection, database: database)
    }

    package func reader(of transaction: SQLiteTransaction) -> StoreReader {
        StoreReader(transaction)
    }
}

extension GroupStoreConfiguration<FirestoreContent> {
    /// Describes the store of a database.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - memory: Memory for pages.
    package init(path: String, database: DatabaseID, memory: StoreMemory = .large) {
        self.init(path: path, content: FirestoreContent(database: database), memory: memory)
    }

    /// The database whose documents the store holds.
    package var database: DatabaseID { content.database }
}

extension FirestoreContent: EngineContent {
    /// The transaction itself.
    package static func face(of transaction: SQLiteTransaction) -> any FirestoreTransaction {
        transaction
    }

    /// The documents that the group may have changed.
    package static func changes(of transaction: SQLiteTransaction) -> DocumentChanges {
        var changes = transaction.changes
        changes.heard = transaction.memory.globals?.lastRemoteVersion
        return changes
    }
}

extension GroupStore: FirestoreStore, FailureInjecting where Content == FirestoreContent {
    package var failing: Set<StoreOperation> {
        get { open.failing }
        set { open.failing = newValue }
    }
}
