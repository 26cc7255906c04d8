package import HearthEngine
package import HearthModel

/// Reads the bytes of an `IntakeWriter`.
///
/// Each call throws `damage` for bytes that no writer has written.
package struct IntakeReader {
    /// The error for bytes that no `IntakeWriter` has written.
    package static let damage = StoreError.damaged("a record of the intake log")

    private let bytes: [UInt8]
    private var place = 0

    /// Reads from the beginning.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all was read.
    package var isAtEnd: Bool { place == bytes.count }

    /// The kind of the next entry.
    package mutating func kind() throws(StoreError) -> UInt8 {
        guard place < bytes.count else { throw Self.damage }
        defer { place += 1 }
        return bytes[place]
    }

    /// A whole number.
    package mutating func number() throws(StoreError) -> Int64 {
        Int64(bitPattern: try little(8))
    }

    /// A time.
    package mutating func time() throws(StoreError) -> Timestamp {
        let seconds = try number()
        let nanoseconds = try number()
        guard (0..<1_000_000_000).contains(nanoseconds) else { throw Self.damage }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// Bytes, which must be there.
    package mutating func data() throws(StoreError) -> [UInt8] {
        guard let data = try optionalData() else { throw Self.damage }
        return data
    }

    /// A text; `nil` if there is none.
    package mutating func text() throws(StoreError) -> String? {
        try optionalData().map { String(decoding: $0, as: UTF8.self) }
    }

    /// How many parts follow; each part takes a byte or more.
    package mutating func count() throws(StoreError) -> Int64 {
        let count = try number()
        guard (0...Int64(bytes.count)).contains(count) else { throw Self.damage }
        return count
    }

    /// A write's identity: the Unix user, the client and the sequence number.
    package mutating func write() throws(StoreError) -> WriteIdentity {
        WriteIdentity(
            uid: UInt32(truncatingIfNeeded: try number()),
            client: ClientID(
                high: UInt64(bitPattern: try number()), low: UInt64(bitPattern: try number())),
            sequence: UInt64(bitPattern: try number()))
    }

    /// Bytes; `nil` if there are none.
    package mutating func optionalData() throws(StoreError) -> [UInt8]? {
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
