package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite
import HearthStore

/// The documents and the queue of one Firestore database in a backup, opened to be read.
///
/// The copy of the store is a file, which goes with the value.
package final class BackedUpDatabase {
    /// The database.
    package let database: DatabaseID
    /// What the backup says of itself.
    package let header: BackupHeader
    /// The instances of the Realtime Database that the backup holds, in the order of their addresses.
    package let instances: [InstanceID]

    private let copy: BackedUpCopy<FirestoreContent>

    /// Takes a database out of a backup. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - database: The database; `nil` for the only database of a backup with a single database.
    ///   - file: The backup. The initializer reads and checks the whole file.
    ///   - path: Where the file may be that the store is copied to.
    /// - Throws: `BackupError` if the backup is none, is damaged, or does not hold the database.
    /// - Complexity: O(size of the backup).
    package init(
        _ database: DatabaseID?, of file: BackupFile, at path: String
    ) throws(BackupError) {
        let (header, entries) = try BackupRestore.check(file)
        let wanted = try Self.wanted(database, among: entries)
        self.header = header
        self.database = wanted
        instances = entries.compactMap(\.subject.database?.realtime).sorted {
            utf8Precedes($0.description, $1.description)
        }
        copy = try BackedUpCopy(
            .firestore(wanted), of: file,
            as: StoreConfiguration(path: path, database: wanted, memory: .small))
    }

    /// The users whose writes wait.
    ///
    /// - Throws: `BackupError` if the backup's store cannot be read.
    package func users() throws(BackupError) -> [UserID] {
        try copy.read { reader throws(StoreError) in try reader.usersWithBatches() }
    }

    /// Hands over the documents that exist, page by page.
    ///
    /// - Parameters:
    ///   - user: Whose waiting writes are applied on top; `nil` for the documents as the backend last
    ///     told them.
    ///   - body: Takes a page. A document may exist with unknown fields.
    /// - Throws: The error of `body`, or `dataLoss` for a store that cannot be read.
    package func forEachPage(
        of user: UserID?, _ body: ([Document]) throws(HearthError) -> Void
    ) throws(HearthError) {
        let written = try user.map { (user) throws(HearthError) in try writtenKeys(of: user) } ?? []
        var last = ResourcePath.root
        while let collection = try collection(after: last) {
            last = collection
            var key: DocumentKey?
            while true {
                let page = try copy.told { reader throws(StoreError) in
                    try reader.remoteDocuments(in: collection, after: key)
                }
                guard let end = page.last else { break }
                key = end.key
                try body(page.filter { !written.contains($0.key) })
            }
        }
        guard let user else { return }
        for key in written.sorted() {
            let document = try copy.told { reader throws(StoreError) in
                try reader.localDocument(key, of: user)
            }
            if document.exists { try body([document]) }
        }
    }

    /// Hands over the batches of all users that wait, in the order of their numbers.
    ///
    /// - Throws: The error of `body`, or `dataLoss` for a store that cannot be read.
    package func forEachBatch(
        _ body: (QueuedBatch) throws(HearthError) -> Void
    ) throws(HearthError) {
        var last = BatchID.none
        while let id = try copy.told({ reader throws(StoreError) in
            try reader.queuedBatches(after: last, count: 1).first?.id
        }) {
            last = id
            let batch = try copy.told { reader throws(StoreError) in try reader.queuedBatch(id) }
            if let batch { try body(batch) }
        }
    }

    /// Hands over the steps of the history of all documents, in the order of their numbers.
    ///
    /// - Throws: The error of `body`, or `dataLoss` for a store that cannot be read.
    package func forEachStep(
        _ body: (HistoryEntry) throws(HearthError) -> Void
    ) throws(HearthError) {
        var last: Int64 = 0
        while true {
            let number = last
            let steps = try copy.told { reader throws(StoreError) in
                try reader.history(after: number)
            }
            guard let end = steps.last else { return }
            last = end.number
            for step in steps { try body(step) }
        }
    }

    // MARK: The store

    private func writtenKeys(of user: UserID) throws(HearthError) -> Set<DocumentKey> {
        try copy.told { reader throws(StoreError) in try reader.writtenKeys(of: user) }
    }

    private func collection(after path: ResourcePath) throws(HearthError) -> ResourcePath? {
        try copy.told { reader throws(StoreError) in
            try reader.collections(below: .root, after: path, count: 1).first
        }
    }

    // MARK: The backup

    private static func wanted(
        _ database: DatabaseID?, among entries: [BackupEntry]
    ) throws(BackupError) -> DatabaseID {
        var found: [DatabaseID] = []
        for case .store(.firestore(let database)) in entries.map(\.subject) {
            found.append(database)
        }
        let names = found.map(\.name).joined(separator: ", ")
        if let database {
            guard found.contains(database) else {
                throw .foreign(
                    "\(database.name) is not in it, but \(names.isEmpty ? "no database" : names)")
            }
            return database
        }
        guard let only = found.first, found.count == 1 else {
            throw .foreign(
                found.isEmpty
                    ? "it holds no Firestore database"
                    : "it holds several databases, and --database names none of them: \(names)")
        }
        return only
    }
}
