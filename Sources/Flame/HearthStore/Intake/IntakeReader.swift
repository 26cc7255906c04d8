import HearthEngine
import HearthFirestore
import HearthModel

/// Reads the bytes of an `IntakeWriter`.
struct IntakeReader {
    /// What it throws for bytes that are none of its writer's.
    static let damage = StoreError.damaged("a record of the intake log")

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all was read.
    var isAtEnd: Bool { place == bytes.count }

    mutating func kind() throws(StoreError) -> IntakeWriter.Kind {
        guard place < bytes.count, let kind = IntakeWriter.Kind(rawValue: bytes[place]) else {
            throw Self.damage
        }
        place += 1
        return kind
    }

    mutating func number() throws(StoreError) -> Int64 {
        Int64(bitPattern: try little(8))
    }

    mutating func time() throws(StoreError) -> Timestamp {
        let seconds = try number()
        let nanoseconds = try number()
        guard (0..<1_000_000_000).contains(nanoseconds) else { throw Self.damage }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    mutating func data() throws(StoreError) -> [UInt8] {
        guard let data = try optionalData() else { throw Self.damage }
        return data
    }

    mutating func text() throws(StoreError) -> String? {
        try optionalData().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func user() throws(StoreError) -> UserID { UserID(try text() ?? "") }

    mutating func key() throws(StoreError) -> DocumentKey {
        guard let text = try text() else { throw Self.damage }
        do {
            return try DocumentKey(parsing: text)
        } catch {
            throw Self.damage
        }
    }

    mutating func keys() throws(StoreError) -> [DocumentKey] {
        let count = try number()
        guard (0...Int64(bytes.count)).contains(count) else { throw Self.damage }
        var keys: [DocumentKey] = []
        for _ in 0..<count { keys.append(try key()) }
        return keys
    }

    mutating func write() throws(StoreError) -> WriteIdentity {
        WriteIdentity(
            uid: UInt32(truncatingIfNeeded: try number()),
            client: ClientID(
                high: UInt64(bitPattern: try number()), low: UInt64(bitPattern: try number())),
            sequence: UInt64(bitPattern: try number()))
    }

    mutating func optionalData() throws(StoreError) -> [UInt8]? {
        let count = try little(4)
        guard count != UInt64(UInt32.max) else { return nil }
        guard Int(count) <= bytes.count - place else { throw Self.damage }
        defer { place += Int(count) }
        return [UInt8](bytes[place..<(place + Int(count))])
    }

    private mutating func little(_ count: Int) throws(StoreError) -> UInt64 {
        guard count <= bytes.count - place else { throw Self.damage }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        place += count
        return value
    }
}
