package import HearthEngine

/// What one kind of store is about: its tables, and what its transactions do with them.
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
    /// The steps up to it run in front of the log, so what entries do must be the same on both sides of
    /// them. The others run behind it: they find every row that was accepted. Transactions must be able to
    /// apply entries to the tables of this version and of all later ones; where they are not, the file is
    /// refused, and the program that wrote it can still open it.
    static var intakeVersion: Int { get }

    /// Completes a file that has come to a version, in the same transaction.
    ///
    /// - Parameter old: The version that it came from; 0 for a new file.
    func complete(_ connection: Connection, from old: Int, to version: Int) throws(StoreError)

    /// Refuses a file that is another store's.
    ///
    /// - Throws: `StoreError.foreign`, or `damaged` if the file does not tell whose it is.
    func expectOwn(_ connection: Connection) throws(StoreError)

    /// A transaction on a connection, of which nothing is known yet.
    func transaction(on connection: Connection) -> Transaction

    /// What shows a transaction to those who only read.
    func reader(of transaction: Transaction) -> Reader
}

/// One transaction on a connection, with what it knows of the file and what its group did.
package protocol StoreTransaction: AnyObject {
    /// What is known of the file without reading it. It is undone with the turn that changed it.
    associatedtype Memory: TransactionMemory

    /// What is known now.
    var memory: Memory { get set }

    /// Forgets what is known for one group only.
    func beginGroup()

    /// The version that the last commit led to.
    func storedVersion() throws(StoreError) -> StoreVersion

    /// The salt of the intake log that goes on from the database; `nil` if it never had one.
    func intakeSalt() throws(StoreError) -> UInt64?

    /// Notes the salt of a new intake log.
    func setIntakeSalt(_ salt: UInt64) throws(StoreError)

    /// Writes what was put off to the end of the group. It changes nothing that the intake log must tell.
    func finishGroup() throws(StoreError)

    /// Has the intake log tell the counters as the group left them.
    func tellCounters() throws(StoreError)

    /// Stores the version that a commit leads to, the counters, and what the intake log told till then.
    func store(version: StoreVersion) throws(StoreError)

    /// Does again what a record of the intake log tells.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves, or that do not fit what is there.
    func apply(_ bytes: [UInt8]) throws(StoreError)
}

extension StoreTransaction {
    /// Drops all that is known, because a rollback may have made it wrong.
    package func forget() {
        memory = Memory()
    }
}

/// What a transaction knows.
package protocol TransactionMemory {
    /// Knows nothing.
    init()

    /// What the open group did.
    var group: GroupAccount { get set }
}
