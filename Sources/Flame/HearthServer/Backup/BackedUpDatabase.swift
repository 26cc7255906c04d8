import Glibc
package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite
import HearthStore

/// The documents and the queue of one Firestore database in a backup, opened to be read.
///
/// The store of the database is copied out of the backup to a file, checked as bytes from outside are,
/// and brought to this program's schema. The file goes with the value.
package final class BackedUpDatabase {
    /// The database.
    package let database: DatabaseID
    /// What the backup says of itself.
    package let header: BackupHeader

    private let configuration: StoreConfiguration
    private let readers: ReaderPool<FirestoreContent>

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
        let entry = try Self.entry(of: database, among: entries)
        self.header = header
        self.database = entry.database
        configuration = StoreConfiguration(path: path, database: entry.database, memory: .small)
        readers = ReaderPool(configuration)
        do throws(BackupError) {
            try Self.extract(entry.subject, of: file, to: path)
            try Self.reading { () throws(StoreError) in
                _ = try StoreAdoption(configuration).run(.keep)
            }
        } catch {
            Self.remove(configuration)
            throw error
        }
    }

    deinit { Self.remove(configuration) }

    /// The users whose writes wait.
    ///
    /// - Throws: `BackupError` if the backup's store cannot be read.
    package func users() throws(BackupError) -> [UserID] {
        try read { reader throws(StoreError) in try reader.usersWithBatches() }
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
                let page = try told { reader throws(StoreError) in
                    try reader.remoteDocuments(in: collection, after: key)
                }
                guard let end = page.last else { break }
                key = end.key
                try body(page.filter { !written.contains($0.key) })
            }
        }
        guard let user else { return }
        for key in written.sorted() {
            let document = try told { reader throws(StoreError) in
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
        while let id = try told({ reader throws(StoreError) in
            try reader.queuedBatches(after: last, count: 1).first?.id
        }) {
            last = id
            let batch = try told { reader throws(StoreError) in try reader.queuedBatch(id) }
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
            let steps = try told { reader throws(StoreError) in try reader.history(after: number) }
            guard let end = steps.last else { return }
            last = end.number
            for step in steps { try body(step) }
        }
    }

    // MARK: The store

    private func writtenKeys(of user: UserID) throws(HearthError) -> Set<DocumentKey> {
        try told { reader throws(StoreError) in try reader.writtenKeys(of: user) }
    }

    private func collection(after path: ResourcePath) throws(HearthError) -> ResourcePath? {
        try told { reader throws(StoreError) in
            try reader.collections(below: .root, after: path, count: 1).first
        }
    }

    private func told<Result>(
        _ body: (StoreReader) throws(StoreError) -> Result
    ) throws(HearthError) -> Result {
        do throws(BackupError) {
            return try read(body)
        } catch {
            throw HearthError(code: .dataLoss, message: "\(database): \(error)")
        }
    }

    private func read<Result>(
        _ body: (StoreReader) throws(StoreError) -> Result
    ) throws(BackupError) -> Result {
        try Self.reading { () throws(StoreError) in try readers.read(body).value }
    }

    private static func reading<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(BackupError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            switch error {
            case .damaged(let reason), .misfit(let reason): throw .damaged(reason)
            case .foreign(let reason): throw .foreign(reason)
            default: throw .store(error)
            }
        }
    }

    private static func remove(_ configuration: StoreConfiguration) {
        configuration.files.removeHelpers()
        unlink(configuration.path)
    }

    // MARK: The backup

    private static func entry(
        of database: DatabaseID?, among entries: [BackupEntry]
    ) throws(BackupError) -> (subject: BackupEntry.Subject, database: DatabaseID) {
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
            return (.store(.firestore(database)), database)
        }
        guard let only = found.first, found.count == 1 else {
            throw .foreign(
                found.isEmpty
                    ? "it holds no Firestore database"
                    : "it holds several databases, and --database names none of them: \(names)")
        }
        return (.store(.firestore(only)), only)
    }

    private static func extract(
        _ subject: BackupEntry.Subject, of file: BackupFile, to path: String
    ) throws(BackupError) {
        let descriptor = try RestoredFile.make(path)
        defer { close(descriptor) }
        let reader = try BackupReader(file)
        var isWanted = false
        while let item = try reader.next() {
            switch item {
            case .entry(let entry): isWanted = entry.subject == subject
            case .data(let bytes):
                if isWanted { try RestoredFile.append(bytes, to: descriptor, at: path) }
            case .entryEnd: isWanted = false
            }
        }
    }
}
