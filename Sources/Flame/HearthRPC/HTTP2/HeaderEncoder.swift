import HearthModel

/// Writes the blocks of headers of one connection, in their order, in the form of HPACK.
///
/// The encoder has the client remember two fields that nearly every answer has. The encoder writes
/// out all other fields each time, so the client's table never overflows.
///
/// Source: RFC 7541.
struct HeaderEncoder {
    /// The least table that holds both fields, in either order.
    private static let tableByteCountMin = 128
    private static let tableByteCount = 4_096

    private static let contentType = HeaderFields.Field(
        name: "content-type", value: "application/grpc")
    private static let wellDone = HeaderFields.Field(name: "grpc-status", value: "0")

    /// How large a table the client has for us, as the next block leaves it.
    private var tableByteCount = Self.tableByteCount
    /// The smallest size since the last block, which the next block must announce.
    private var announcedByteCount: Int?
    private var rememberedCount = 0
    /// When each of the two fields was remembered, from 1.
    private var contentTypePlace: Int?
    private var wellDonePlace: Int?

    /// The client says how large its table may be.
    ///
    /// - Parameter least: The smallest size on the way there, at which the client has forgotten
    ///   what had no room.
    /// - Source: RFC 7541, 4.2.
    mutating func tableResized(to byteCount: Int, least: Int) {
        // A table that is larger than at the beginning would hold nothing more.
        let byteCount = min(byteCount, Self.tableByteCount)
        let least = min(least, byteCount)
        guard least < tableByteCount || byteCount != tableByteCount else { return }
        tableByteCount = byteCount
        announcedByteCount = min(announcedByteCount ?? least, least)
        if least < Self.tableByteCountMin {
            contentTypePlace = nil
            wellDonePlace = nil
        }
    }

    /// Appends a block.
    mutating func encode(_ fields: HeaderFields, into bytes: inout [UInt8]) {
        if let least = announcedByteCount {
            announcedByteCount = nil
            Self.append(least, prefix: 5, 0x20, to: &bytes)
            if tableByteCount > least { Self.append(tableByteCount, prefix: 5, 0x20, to: &bytes) }
        }
        for field in fields { encode(field, into: &bytes) }
    }

    private mutating func encode(_ field: HeaderFields.Field, into bytes: inout [UInt8]) {
        if utf8Equals(field.name, ":status") {
            if utf8Equals(field.value, "200") { return bytes.append(0x88) }
            bytes.append(0x08)
            return Self.append(field.value, to: &bytes)
        }
        if field == Self.contentType {
            contentTypePlace = encode(field, rememberedAt: contentTypePlace, into: &bytes)
        } else if field == Self.wellDone {
            wellDonePlace = encode(field, rememberedAt: wellDonePlace, into: &bytes)
        } else {
            bytes.append(0)
            Self.append(field.name, to: &bytes)
            Self.append(field.value, to: &bytes)
        }
    }

    /// Appends a field that the client remembers or is told to remember.
    ///
    /// - Returns: When the client was told so; `nil` if the client's table is too small.
    private mutating func encode(
        _ field: HeaderFields.Field, rememberedAt place: Int?, into bytes: inout [UInt8]
    ) -> Int? {
        if let place {
            let number = HeaderTable.fixedCount + 1 + rememberedCount - place
            Self.append(number, prefix: 7, 0x80, to: &bytes)
            return place
        }
        let isRemembered = tableByteCount >= Self.tableByteCountMin
        bytes.append(isRemembered ? 0x40 : 0)
        Self.append(field.name, to: &bytes)
        Self.append(field.value, to: &bytes)
        guard isRemembered else { return nil }
        rememberedCount += 1
        return rememberedCount
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8.count, prefix: 7, 0, to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a number that begins in the lower `prefix` bits of the byte `first`. `first` gives
    /// the other bits.
    private static func append(
        _ number: Int, prefix: Int, _ first: UInt8, to bytes: inout [UInt8]
    ) {
        let mask = (1 << prefix) - 1
        guard number >= mask else { return bytes.append(first | UInt8(number)) }
        bytes.append(first | UInt8(mask))
        var rest = number - mask
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
