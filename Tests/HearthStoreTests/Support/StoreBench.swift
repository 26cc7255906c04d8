import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import HearthTestSupport
import Testing

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }
}

/// A store on a bench: fresh, and gone with its value.
final class StoreBench {
    static let database = DatabaseID(project: "p")

    let store: any FailureInjecting
    let folder: TemporaryFolder?

    init(_ kind: StoreKind) throws {
        switch kind {
        case .memory:
            folder = nil
            store = MemoryStore()
        case .sqlite:
            let folder = TemporaryFolder()
            self.folder = folder
            store = try SQLiteStore(Self.configuration(in: folder))
        }
    }

    /// A store whose intake log is small, because tests copy it, and never too old, however slow they are.
    static func configuration(in folder: TemporaryFolder) -> StoreConfiguration {
        var configuration = StoreConfiguration(
            path: "\(folder.path)/hearth.db", database: database)
        configuration.intakeByteCount = 64 << 12
        configuration.intakeAgeMax = .seconds(86_400)
        return configuration
    }

    /// Opens what a crash at this moment would leave of the store in a folder; with where that lies.
    static func crashed(_ folder: TemporaryFolder) throws -> (
        store: SQLiteStore, folder: TemporaryFolder
    ) {
        let copy = try folder.crashed()
        return (try SQLiteStore(configuration(in: copy)), copy)
    }

    /// Runs a turn as a group of its own.
    @discardableResult
    func write<Result>(_ body: (any FirestoreTransaction) throws -> Result) throws -> Result {
        try store.transaction { transaction throws(StoreError) in
            try typed { try body(transaction) }
        }
    }

    /// Runs a turn in the open group.
    @discardableResult
    func turn<Result>(_ body: (any FirestoreTransaction) throws -> Result) throws -> Result {
        try store.turn { transaction throws(StoreError) in
            try typed { try body(transaction) }
        }
    }
}

/// Lets tests throw whatever they like where a store's error is expected.
func typed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch let error as StoreError {
        throw error
    } catch {
        throw .io("\(error)")
    }
}
