/// The fields of a document as bytes: for documents that are kept for long and looked at seldom.
///
/// Side by side as values, seven fields take 690 bytes, and as bytes 350. Each look at a field
/// reads the bytes anew. The bytes have the form of the wire, so a codec only copies the bytes.
///
/// Only plain fields are packed: fields that keep all of Firestore's rules for fields, have no name that
/// begins with `__`, and take no more than `byteCountMax` together. Whoever holds packed fields need
/// not check the fields again.
///
/// Shape: size by Firestore's rule u16 LE | 1 if a number is NaN, else 0 | fields as
/// `google.firestore.v1.Document` has them: 0x12 | length | 0x0A | length | name | 0x12 | length |
/// value. The fields are in the order of their names, and each number has its shortest spelling.
package struct PackedFields: Sendable {
    /// More bytes are not packed, since each look at a field passes over the fields before it.
    package static let byteCountMax = 4_096
    /// The tag of a document's field on the wire, and of a field of a map inside.
    static let fieldTag: UInt8 = 0x12
    static let innerFieldTag: UInt8 = 0x0A
    private static let headByteCount = 3

    private let bytes: [UInt8]

    /// Takes the bytes of fields from the wire. The fields may come in any order.
    ///
    /// - Parameter wire: Bytes from outside, which need not outlive the call.
    /// - Returns: `nil` for no fields, fields that are not plain, two of one name, or a number with
    ///   another spelling than the shortest.
    /// - Complexity: O(bytes), if the names are in order; else also the cost of sorting the names.
    package init?(wire: UnsafeRawBufferPointer) {
        guard 1...Self.byteCountMax ~= wire.count else { return nil }
        var check = PlainFieldsCheck(wire)
        guard let size = check.fields(Self.fieldTag, before: wire.count, depth: 0),
            size <= UInt16.max
        else { return nil }
        var isArranged = true
        bytes = [UInt8](unsafeUninitializedCapacity: Self.headByteCount + wire.count) {
            buffer, count in
            count = Self.headByteCount + wire.count
            buffer[0] = UInt8(truncatingIfNeeded: size)
            buffer[1] = UInt8(truncatingIfNeeded: size >> 8)
            buffer[2] = check.isSpelledOnce ? 0 : 1
            let fields = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[Self.headByteCount..<count])
            fields.copyMemory(from: wire)
            if !check.isSorted { isArranged = FieldArrangement(fields).arrange() }
        }
        guard isArranged else { return nil }
    }

    /// Packs fields in the order of their names, none twice; `nil` for fields that are not plain.
    init?(_ entries: [MapValue.Entry]) {
        var writer = PackedFieldsWriter()
        guard !entries.isEmpty, writer.write(entries, Self.fieldTag) else { return nil }
        guard let packed = writer.bytes.withUnsafeBytes({ PackedFields(wire: $0) }) else {
            return nil
        }
        self = packed
    }

    /// How many bytes are kept.
    var byteCount: Int { bytes.count }

    /// The size of the fields by Firestore's rule; see `MapValue.storedByteCount`.
    var storedByteCount: Int { Int(bytes[0]) | Int(bytes[1]) << 8 }

    /// Whether equal fields have equal bytes: no number is NaN.
    private var isSpelledOnce: Bool { bytes[2] == 0 }

    /// Lends the fields' bytes, as they are in a `google.firestore.v1.Document`.
    package func withWireBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(.init(rebasing: $0[Self.headByteCount...])) }
    }

    /// How many fields there are. O(fields).
    var count: Int {
        withWireBytes { bytes in
            var reader = PackedFieldsReader(bytes)
            var count = 0
            while reader.nextField(Self.fieldTag) != nil { count += 1 }
            return count
        }
    }

    /// The fields as values. O(bytes).
    var entries: [MapValue.Entry] {
        withWireBytes { bytes in
            var reader = PackedFieldsReader(bytes)
            return reader.entries(Self.fieldTag)
        }
    }

    /// The value of a field; `nil` if there is none. O(fields).
    subscript(name: String) -> Value? {
        var name = name
        return name.withUTF8 { name in
            withWireBytes { bytes in
                let name = UnsafeRawBufferPointer(name)
                var reader = PackedFieldsReader(bytes)
                while let field = reader.nextField(Self.fieldTag) {
                    if areEqual(field.name, name) { return PackedFieldsReader.value(field.value) }
                }
                return nil
            }
        }
    }

    /// Whether both are copies of one value.
    func sharesStorage(with other: PackedFields) -> Bool {
        bytes.withUnsafeBytes { own in
            other.bytes.withUnsafeBytes { own.baseAddress == $0.baseAddress }
        }
    }
}

extension PackedFields: Equatable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        guard lhs.isSpelledOnce, rhs.isSpelledOnce else { return lhs.entries == rhs.entries }
        return lhs.bytes.withUnsafeBytes { left in
            rhs.bytes.withUnsafeBytes { left.baseAddress == $0.baseAddress || areEqual(left, $0) }
        }
    }
}

/// Puts the fields of maps in the order of their names, within the bytes of the maps.
///
/// The bytes are what `PlainFieldsCheck` accepts. A map in another order has as many bytes, so no
/// length changes.
private struct FieldArrangement {
    private struct Place {
        let name: UnsafeRawBufferPointer
        let bytes: Range<Int>
    }

    private let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    /// - Returns: Whether no two fields of a map have the same name.
    func arrange() -> Bool { arrange(bytes, PackedFields.fieldTag) }

    private func arrange(_ map: UnsafeMutableRawBufferPointer, _ tag: UInt8) -> Bool {
        var reader = PackedFieldsReader(UnsafeRawBufferPointer(map))
        var places: [Place] = []
        places.reserveCapacity(16)
        var start = 0
        while let field = reader.nextField(tag) {
            guard arrange(value: field.value) else { return false }
            places.append(Place(name: field.name, bytes: start..<reader.position))
            start = reader.position
        }
        places.sort { utf8Compare($0.name, $1.name) < 0 }
        for (left, right) in zip(places, places.dropFirst()) where areEqual(left.name, right.name) {
            return false
        }
        // From here on the places' names are overwritten.
        [UInt8](map).withUnsafeBytes { copy in
            var end = 0
            for place in places {
                UnsafeMutableRawBufferPointer(rebasing: map[end...])
                    .copyMemory(from: .init(rebasing: copy[place.bytes]))
                end += place.bytes.count
            }
        }
        return true
    }

    private func arrange(value: UnsafeRawBufferPointer) -> Bool {
        switch value.first {
        case PackedFieldsReader.Tag.map:
            let content = PackedFieldsReader.content(of: value)
            return arrange(
                UnsafeMutableRawBufferPointer(mutating: content), PackedFields.innerFieldTag)
        case PackedFieldsReader.Tag.array:
            var reader = PackedFieldsReader(PackedFieldsReader.content(of: value))
            while let element = reader.nextElement() {
                guard arrange(value: element) else { return false }
            }
            return true
        default:
            return true
        }
    }
}
