import HearthEngine
import HearthSQLite
import HearthTestSupport

/// A folder with the store of a program, in one era or another.
struct TallyBench {
    let folder: TemporaryFolder

    init(_ folder: TemporaryFolder = TemporaryFolder()) {
        self.folder = folder
    }

    /// Opens the store.
    func open<Era: TallyEra>(_: Era.Type, intakeByteCount: Int = 64 << 12) throws
        -> GroupStore<TallyContent<Era>>
    {
        try Self.open(Era.self, in: folder, intakeByteCount)
    }

    /// The files as a crash at this moment would leave them.
    func copied() throws -> TallyBench {
        TallyBench(try folder.crashed())
    }

    /// Opens what a crash at this moment would leave of the store.
    func crashed<Era: TallyEra>(_: Era.Type) throws -> (
        store: GroupStore<TallyContent<Era>>, folder: TemporaryFolder
    ) {
        let copy = try copied()
        return (try copy.open(Era.self), copy.folder)
    }

    static func open<Era: TallyEra>(
        _: Era.Type, in folder: TemporaryFolder, _ intakeByteCount: Int = 64 << 12
    ) throws -> GroupStore<TallyContent<Era>> {
        var configuration = GroupStoreConfiguration(
            path: "\(folder.path)/tally.db", content: TallyContent<Era>())
        configuration.intakeByteCount = intakeByteCount
        configuration.intakeAgeMax = .seconds(86_400)
        return try GroupStore(configuration)
    }
}

extension GroupStore {
    /// Runs one turn as a group of its own.
    func change<Result>(_ body: (Content.Transaction) throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        try begin()
        do throws(StoreError) {
            let result = try run(body)
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }
}

extension GroupStore
where Content.Transaction == TallyTransaction, Content.Reader == TallyTransaction {
    /// What a name has, as a turn sees it.
    func count(of name: String) throws(StoreError) -> Int64 {
        try change { turn throws(StoreError) in try turn.count(of: name) }
    }

    /// What a name has, as readers see it.
    func readCount(of name: String) throws(StoreError) -> Int64 {
        try readers.read { reader throws(StoreError) in try reader.count(of: name) }.value
    }
}
