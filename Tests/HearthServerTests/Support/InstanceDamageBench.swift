import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// An instance's store as a crash leaves the files, with writes in the file, in SQLite's log and in
/// the intake log alone. Tests damage copies of the store.
///
/// Each write says its number again and again, so that the bytes of a page tell which writes lie there.
struct InstanceDamageBench {
    private static let users = [UserID("ada"), UserID("bob")]
    private static let mark = Array("write-".utf8)
    private static let digitCount = 6

    /// The writes that there are, with their states.
    private(set) var expected: [BatchID: QueuedWrite] = [:]

    private let folder = TemporaryFolder()

    static func configuration(in folder: TemporaryFolder) throws -> RealtimeStoreConfiguration {
        var configuration = RealtimeStoreConfiguration(
            path: "\(folder.path)/x.sqlite", instance: try #require(InstanceID(project: "demo")))
        configuration.intakeByteCount = 64 << 12
        configuration.intakeAgeMax = .seconds(86_400)
        return configuration
    }

    init() throws {
        let origin = TemporaryFolder()
        let store = try RealtimeSQLiteStore(try Self.configuration(in: origin))
        for number in Int64(1)...120 { try accept(number, in: store) }
        try steer(store)
        try store.settle()
        try store.checkpoint()
        for number in Int64(121)...170 {
            try accept(number, in: store)
            if number % 20 == 0 { try store.settle() }
        }
        for number in Int64(171)...200 { try accept(number, in: store) }
        for file in DamageBench.File.allCases {
            try origin.copy("x.sqlite\(file.rawValue)", to: folder)
        }
        expected = try Self.writes(in: store)
    }

    /// A copy of the files in which a part is written over.
    func copy(_ damage: DamageBench.Damage) throws -> TemporaryFolder {
        try damage.copy(of: folder)
    }

    /// A damage by chance.
    func damage(
        _ file: DamageBench.File, using random: inout SeededGenerator
    ) -> DamageBench.Damage {
        DamageBench.Damage(by: &random, to: file, in: folder)
    }

    /// All writes of all users.
    static func writes(in store: RealtimeSQLiteStore) throws(StoreError) -> [BatchID: QueuedWrite] {
        try store.transaction { transaction throws(StoreError) in
            var found: [BatchID: QueuedWrite] = [:]
            for user in users {
                var last = BatchID.none
                while let next = try transaction.nextWrite(after: last, of: user) {
                    found[next.id] = next
                    last = next.id
                }
            }
            return found
        }
    }

    // MARK: What may be missing

    /// The writes in the page, the frame or the records of the intake log that a damage has hit.
    func hit(by damage: DamageBench.Damage) throws -> Set<BatchID> {
        let file = try #require(RawFile("\(folder.path)/x.sqlite\(damage.file.rawValue)"))
        let range: Range<Int> =
            switch damage.file {
            case .database: whole(damage.range, of: 4_096, behind: 0)
            case .log: whole(damage.range, of: 4_120, behind: 32)
            // A record is shorter than a page and may lie in two.
            case .intake: (damage.range.lowerBound - 8_192)..<(damage.range.upperBound + 8_192)
            }
        let inside = range.clamped(to: 0..<file.byteCount)
        return Self.numbers(in: try #require(file.bytes(inside.count, at: inside.lowerBound)))
    }

    private func whole(_ range: Range<Int>, of size: Int, behind head: Int) -> Range<Int> {
        let first = max(0, range.lowerBound - head) / size
        let last = max(0, range.upperBound - 1 - head) / size
        return (head + first * size)..<(head + (last + 1) * size)
    }

    private static func numbers(in bytes: [UInt8]) -> Set<BatchID> {
        var found: Set<BatchID> = []
        let length = mark.count + digitCount
        for start in bytes.indices.dropLast(length - 1) where bytes[start] == mark[0] {
            let text = bytes[start..<(start + length)]
            guard text.starts(with: mark),
                let number = Int64(String(decoding: text.dropFirst(mark.count), as: UTF8.self))
            else { continue }
            found.insert(BatchID(number))
        }
        return found
    }

    // MARK: Filling

    private static func text(_ number: Int64) -> String {
        let digits = String(number)
        let name = String(repeating: "0", count: digitCount - digits.utf8.count) + digits
        return String(repeating: "write-\(name) ", count: number % 31 == 0 ? 80 : 20)
    }

    private func accept(_ number: Int64, in store: RealtimeSQLiteStore) throws {
        let place = RealtimePath(["log", ChildKey(unchecked: "n\(number % 40)")])
        let write = QueuedWrite(
            id: BatchID(number),
            change: .set(
                WritePath(place), UnresolvedNode(Node(.string(Self.text(number))))),
            writtenAt: Timestamp(seconds: number, nanoseconds: 0),
            user: Self.users[number % 3 == 0 ? 1 : 0],
            writer: Writer(uid: 7, gid: 8, pid: 9, unit: "a.service"))
        try store.transaction { transaction throws(StoreError) in
            var globals = try transaction.globals()
            globals.lastWriteID = write.id
            try transaction.setGlobals(globals)
            try transaction.append(write)
        }
    }

    /// Some writes are sent, some of those answered, and some are held.
    private func steer(_ store: RealtimeSQLiteStore) throws {
        let ada = Self.users[0]
        try store.transaction { transaction throws(StoreError) in
            try transaction.noteSent(through: BatchID(40), of: ada)
            for number in [Int64(1), 2, 4, 5, 7] {
                try transaction.removeWrite(BatchID(number), of: ada)
            }
            for number in [Int64(50), 71, 98] {
                try transaction.setHeld(true, BatchID(number), of: ada)
            }
        }
    }
}
