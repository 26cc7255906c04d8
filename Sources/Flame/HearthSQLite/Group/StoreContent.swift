package import HearthEngine

/// The content of one kind of store: the tables, and the transactions that work on the tables.
///
/// The group store asks a content a few times for each group, never for a row.
package protocol StoreContent: Hashable, Sendable {
    /// What turns work with.
    associatedtype Transaction: StoreTransaction
    /// What can be read beside the writer.
    associatedtype Reader

    /// How a file comes from each version of the schema to the next, counted from 1.
    static var steps: [SchemaStep] { get }

    /// The version of the schema at which the intake log of an older program is taken up.
    ///
    /// The steps up to this version run before the log is applied, so entries must do the same
    /// before and after these steps. The later steps run after the log is applied, and find every
    /// accepted row. Transactions must be able to apply entries to the tables of this version and
    /// of all later versions. If a transaction cannot, the store refuses the file, and the program
    /// that wrote the file can still open the file.
    static var intakeVersion: Int { get }

    /// Completes a file that has come to a version, in the same transaction.
    ///
    /// - Parameters:
    ///   - connection: The connection, in the transaction that changes the schema.
    ///   - old: The version that the file came from; 0 for a new file.
    ///   - version: The version that the file has now.
    /// - Throws: `StoreError` if the disk does not take the change.
    func complete(_ connection: Connection, from old: Int, to version: Int) throws(StoreError)

    /// Refuses a file that is another store's.
    ///
    /// - Throws: `StoreError.foreign`, or `damaged` if the file does not tell its store.
    func expectOwn(_ connection: Connection) throws(StoreError)

    /// A transaction on a connection, with nothing known of the file yet.
    func transaction(on connection: Connection) -> Transaction

    /// What shows a transaction to those who only read.
    func reader(of transaction: Transaction) -> Reader
}

/// One transaction on a connection, with its memory of the file and of the open group.
package protocol StoreTransaction: AnyObject {
    /// What the transaction knows of the file without reading.
    ///
    /// The memory is undone with the turn that changed the memory.
    associatedtype Memory: TransactionMemory

    /// What is known now.
    ///
    /// The requirement is borrowed: generic code reads a part where the part lies. Without, each read of
    /// a part copies the whole memory first, some twenty references.
    @_borrowed var memory: Memory { get set }

    /// Forgets what is known for one group only.
    func beginGroup()

    /// The version that the last commit led to.
    func storedVersion() throws(StoreError) -> StoreVersion

    /// The salt of the intake log that goes on from the database; `nil` if it never had one.
    func intakeSalt() throws(StoreError) -> UInt64?

    /// Notes the salt of a new intake log.
    func setIntakeSalt(_ salt: UInt64) throws(StoreError)

    /// Writes what was put off to the end of the group.
    ///
    /// These writes change nothing that the intake log must tell.
    func finishGroup() throws(StoreError)

    /// Has the intake log tell the counters as the group left them.
    func tellCounters() throws(StoreError)

    /// Stores the version that a commit leads to, the counters, and what the intake log told till then.
    func store(version: StoreVersion) throws(StoreError)

    /// Applies the entries of a record of the intake log.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves, or entries that do not fit
    ///   the tables.
    func apply(_ bytes: [UInt8]) throws(StoreError)
}

extension StoreTransaction {
    /// Drops the memory, because a rollback may have made the memory wrong.
    package func forget() {
        memory = Memory()
    }

    /// The version that the last commit led to, for those who count on from it.
    ///
    /// - Throws: `StoreError.damaged` for a number that no store reaches by counting.
    func soundVersion() throws(StoreError) -> StoreVersion {
        let version = try storedVersion()
        guard (0..<StoreVersion.max).contains(version.rawValue) else {
            throw .damaged("its version \(version) is a number that no daemon writes")
        }
        return version
    }
}

/// What a transaction knows.
package protocol TransactionMemory {
    /// Knows nothing.
    init()

    /// What the open group did.
    var group: GroupAccount { get set }
}
