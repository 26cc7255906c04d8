package import HearthEngine
package import HearthModel
package import HearthRealtime
package import HearthSQLite

/// The store of one Realtime Database.
package typealias RealtimeSQLiteStore = GroupStore<RealtimeContent>

/// Where the store of a Realtime Database lies, and what the store may use.
package typealias RealtimeStoreConfiguration = GroupStoreConfiguration<RealtimeContent>

/// The content of a Realtime Database's store: the server's tree as far as it is known, and queues.
package struct RealtimeContent: StoreContent {
    /// The database whose tree the store holds.
    package let instance: InstanceID

    /// The content of a database's store.
    package init(instance: InstanceID) {
        self.instance = instance
    }

    /// The tables of tree and queues (`RealtimeSchema`).
    package static var steps: [SchemaStep] { RealtimeSchema.steps }
    /// Entries mean the same to the tables of all versions up to this version.
    package static var intakeVersion: Int { RealtimeSchema.intakeVersion }
    /// From this version on, a daemon that had the store open has given the store's folder a number.
    package static var numberedVersion: Int { RealtimeSchema.numberedVersion }

    package func complete(_ connection: Connection, from old: Int, to version: Int)
        throws(StoreError)
    {
        guard old == 0 else { return }
        let statement = try connection.statement(
            """
            INSERT INTO store VALUES (1, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                lower(hex(randomblob(8))))
            """)
        try statement.bind(instance.description).run()
    }

    package func expectOwn(_ connection: Connection) throws(StoreError) {
        let name = try connection.text("SELECT database FROM store")
        guard let name else { throw .damaged("its row of counters is gone") }
        guard utf8Equals(name, instance.description) else {
            throw .foreign(
                "it belongs to \(name), not to \(instance). Move the file and the files beside it to the "
                    + "place of their owner, or away")
        }
    }

    package func transaction(on connection: Connection) -> RealtimeSQLiteTransaction {
        RealtimeSQLiteTransaction(connection)
    }

    package func reader(of transaction: RealtimeSQLiteTransaction) -> RealtimeReader {
        RealtimeReader(transaction)
    }
}

extension RealtimeContent: EngineContent {
    /// The transaction itself.
    package static func face(of transaction: RealtimeSQLiteTransaction)
        -> any RealtimeTransaction
    {
        transaction
    }

    /// Nothing: no answers are remembered.
    package static func changes(of transaction: RealtimeSQLiteTransaction) {}
}

extension GroupStoreConfiguration<RealtimeContent> {
    /// Describes the store of a database.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - instance: The database whose tree the store holds.
    ///   - memory: Memory for pages.
    package init(path: String, instance: InstanceID, memory: StoreMemory = .large) {
        self.init(path: path, content: RealtimeContent(instance: instance), memory: memory)
    }

    /// The database whose tree the store holds.
    package var instance: InstanceID { content.instance }
}

extension GroupStore: RealtimeStore where Content == RealtimeContent {
    /// The steps that tests have fail when a turn enters them.
    package var failing: Set<RealtimeStep> {
        get { open.failing }
        set { open.failing = newValue }
    }
}
