/// The number of one stream of an HTTP/2 connection. Clients begin the odd ones, upwards.
struct StreamID: Hashable, Comparable, Sendable {
    /// The connection itself, for frames that belong to no stream.
    static let connection = StreamID(0)
    /// The largest number that there can be.
    static let greatest = StreamID(0x7FFF_FFFF)

    /// The number, of 31 bits.
    let number: UInt32

    /// A stream of this number; a reserved bit above it does not count.
    init(_ number: UInt32) {
        self.number = number & 0x7FFF_FFFF
    }

    /// Whether a client may begin a stream of this number.
    var isOfClient: Bool { number & 1 == 1 }

    static func < (one: StreamID, other: StreamID) -> Bool { one.number < other.number }
}
