import Glibc
package import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore

/// A database that a store folder holds.
package struct StoredDatabase: Sendable {
    /// Which engine's it is.
    package let key: EngineKey
    /// Its file.
    package let path: String

    private let isLocked: Bool

    /// Names the file of a database.
    ///
    /// - Parameters:
    ///   - key: Which engine's database it is.
    ///   - path: The file.
    ///   - isLocked: Whether the caller has the right to the store as long as the value lives. What
    ///     is asked then changes no byte of the store's files.
    package init(_ key: EngineKey, at path: String, isLocked: Bool = false) {
        self.key = key
        self.path = path
        self.isLocked = isLocked
    }

    /// How many batches wait, and how many were rejected, in a store that nobody has open. Blocks on the
    /// disk.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    package func counts() throws(StoreError) -> (waiting: Int, rejected: Int) {
        switch key {
        case .firestore(let database):
            let file = StoreConfiguration(path: path, database: database)
            let counts = try ReaderPool(file, leavesUntouched: isLocked).read {
                reader throws(StoreError) in
                try reader.counts()
            }.value
            return (counts.batchCount, counts.deadLetterCount)
        case .realtime(let instance):
            let file = RealtimeStoreConfiguration(path: path, instance: instance)
            let counts = try ReaderPool(file, leavesUntouched: isLocked).read {
                reader throws(StoreError) in
                try reader.counts()
            }.value
            return (counts.writeCount, counts.deadLetterCount)
        }
    }

    /// What the next start saves of a store whose files are damaged or gone; `nil` if the files show no damage.
    /// Nobody may have the store open. Changes no byte. Blocks on the disk.
    ///
    /// - Complexity: O(size of the store).
    package func outlook() -> StoreOutlook? {
        switch key {
        case .firestore(let database):
            StoreRescue(StoreConfiguration(path: path, database: database)).outlook()
        case .realtime(let instance):
            StoreRescue(RealtimeStoreConfiguration(path: path, instance: instance)).outlook()
        }
    }

    /// Whether writes may wait in a closed store, and the Unix user who made the first of them. Blocks on
    /// the disk.
    ///
    /// A store whose daemon was killed has a log, which may hold writes. A store that cannot be
    /// read is left to the engine that opens the store and repairs the store.
    func unsent() -> (mayBe: Bool, uid: UInt32?) {
        var log = stat()
        if stat(path + "-wal", &log) == 0, log.st_size > 0 { return (true, nil) }
        do throws(StoreError) {
            let first = try firstWaiting()
            return (first != nil, first?.writer.uid)
        } catch {
            return (true, nil)
        }
    }

    /// Whether a daemon that gives a folder's stores a number (`StoreGeneration`) had the store open. Blocks on the
    /// disk.
    ///
    /// A store that cannot be read tells nothing.
    func hadNumber() -> Bool {
        let numberedVersion =
            switch key {
            case .firestore: FirestoreContent.numberedVersion
            case .realtime: RealtimeContent.numberedVersion
            }
        do throws(StoreError) {
            let connection = try Connection(path: path, isReadOnly: true)
            let version = try connection.number("PRAGMA user_version") ?? 0
            return version >= Int64(numberedVersion)
        } catch {
            return false
        }
    }

    /// Copies a store that nobody has open to a path. Blocks on the disk.
    func copy(to path: String) throws(StoreError) -> StoreCopy {
        switch key {
        case .firestore(let database):
            try ReaderPool(StoreConfiguration(path: self.path, database: database)).copy(to: path)
        case .realtime(let instance):
            try ReaderPool(RealtimeStoreConfiguration(path: self.path, instance: instance))
                .copy(to: path)
        }
    }

    /// Whether the intake log of a store that nobody has open holds writes that the database lacks.
    /// Blocks on the disk.
    ///
    /// - Throws: `StoreError` if database or log cannot be read.
    package func lacksGroups() throws(StoreError) -> Bool {
        switch key {
        case .firestore(let database):
            let file = StoreConfiguration(path: path, database: database)
            return try ReaderPool(file, leavesUntouched: isLocked).lacksGroups()
        case .realtime(let instance):
            let file = RealtimeStoreConfiguration(path: path, instance: instance)
            return try ReaderPool(file, leavesUntouched: isLocked).lacksGroups()
        }
    }

    private func firstWaiting() throws(StoreError) -> QueueEntry? {
        switch key {
        case .firestore(let database):
            let file = StoreConfiguration(path: path, database: database)
            return try ReaderPool(file, leavesUntouched: isLocked).read {
                reader throws(StoreError) in
                try reader.queuedBatches(count: 1).first
            }.value
        case .realtime(let instance):
            let file = RealtimeStoreConfiguration(path: path, instance: instance)
            return try ReaderPool(file, leavesUntouched: isLocked).read {
                reader throws(StoreError) in
                try reader.queuedWrites(count: 1).first
            }.value
        }
    }
}
