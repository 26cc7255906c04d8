import HearthEngine
import HearthSQLite

/// A content of one table, in which names have counts. Each era of the program has its own schema.
struct TallyContent<Era: TallyEra>: StoreContent {
    static var steps: [SchemaStep] { Era.steps }
    static var intakeVersion: Int { Era.intakeVersion }

    func complete(_ connection: Connection, from old: Int, to version: Int) throws(StoreError) {
        if old == 0 { try connection.execute("INSERT INTO store VALUES (1, 0, 0)") }
    }

    func expectOwn(_ connection: Connection) throws(StoreError) {
        guard try connection.number("SELECT count(*) FROM store") == 1 else {
            throw .damaged("its row of counters is gone")
        }
    }

    func transaction(on connection: Connection) -> TallyTransaction {
        TallyTransaction(connection, insert: Era.insert)
    }

    func reader(of transaction: TallyTransaction) -> TallyTransaction { transaction }
}

/// A time in the life of a program whose store this is.
protocol TallyEra: Hashable, Sendable {
    static var steps: [SchemaStep] { get }
    static var intakeVersion: Int { get }
    /// Stores what a name has.
    static var insert: StaticString { get }
}

extension TallyEra {
    static var intakeVersion: Int { 1 }
    static var insert: StaticString { "INSERT OR REPLACE INTO tallies VALUES (?, ?)" }
}

/// The program's first schema.
enum FirstEra: TallyEra {
    static let steps = [SchemaStep.sql(tables)]

    static let tables = """
        CREATE TABLE store (id INTEGER PRIMARY KEY, version INTEGER, intake_salt INTEGER);
        CREATE TABLE tallies (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
        """
}

/// One transaction on names and counts.
final class TallyTransaction: StoreTransaction {
    struct Memory: TransactionMemory {
        var group = GroupAccount()
        /// What was looked up or changed.
        var counts: [String: Int64] = [:]
    }

    private static let added: UInt8 = 1

    var memory = Memory()
    private let connection: Connection
    private let insert: StaticString

    init(_ connection: Connection, insert: StaticString) {
        self.connection = connection
        self.insert = insert
    }

    /// What a name has.
    func count(of name: String) throws(StoreError) -> Int64 {
        if let count = memory.counts[name] { return count }
        let statement = try connection.statement("SELECT count FROM tallies WHERE name = ?")
        return try statement.bind(name).first { $0.int(0) } ?? 0
    }

    /// Adds to what a name has.
    func add(_ number: Int64, to name: String) throws(StoreError) {
        let before = connection.totalChangeCount
        let count = try count(of: name) + number
        try connection.statement(insert).bind(name, count).run()
        memory.counts[name] = count
        memory.group.hasChanges = true
        memory.group.intake.changeCount += connection.totalChangeCount - before
        memory.group.intake.begin(Self.added)
        memory.group.intake.text(name)
        memory.group.intake.number(number)
    }

    /// Removes all names, which the intake log cannot tell.
    func clear() throws(StoreError) {
        try connection.statement("DELETE FROM tallies").run()
        memory.counts = [:]
        memory.group.hasChanges = true
    }

    func beginGroup() { memory.group = GroupAccount() }

    func finishGroup() throws(StoreError) {}

    func tellCounters() throws(StoreError) {}

    func storedVersion() throws(StoreError) -> StoreVersion {
        StoreVersion(try connection.statement("SELECT version FROM store").first { $0.int(0) } ?? 0)
    }

    func intakeSalt() throws(StoreError) -> UInt64? {
        let salt = try connection.statement("SELECT intake_salt FROM store").first { $0.int(0) }
        return salt.flatMap { $0 == 0 ? nil : UInt64(bitPattern: $0) }
    }

    func setIntakeSalt(_ salt: UInt64) throws(StoreError) {
        try connection.statement("UPDATE store SET intake_salt = ?").bind(Int64(bitPattern: salt))
            .run()
    }

    func store(version: StoreVersion) throws(StoreError) {
        try connection.statement("UPDATE store SET version = ?").bind(version.rawValue).run()
    }

    func apply(_ bytes: [UInt8]) throws(StoreError) {
        var reader = IntakeReader(bytes)
        while !reader.isAtEnd {
            guard try reader.kind() == Self.added, let name = try reader.text() else {
                throw IntakeReader.damage
            }
            try add(try reader.number(), to: name)
        }
    }
}
