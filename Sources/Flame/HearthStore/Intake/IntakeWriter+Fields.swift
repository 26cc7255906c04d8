import HearthEngine
import HearthFirestore
import HearthModel

/// The fields of an entry, as `IntakeReader` reads them.
extension IntakeWriter {
    mutating func number(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func time(_ value: Timestamp) {
        number(value.seconds)
        number(Int64(value.nanoseconds))
    }

    mutating func data(_ value: [UInt8]?) {
        guard let value else { return length(.max) }
        length(UInt32(value.count))
        bytes += value
    }

    mutating func text(_ value: String?) {
        guard var value else { return length(.max) }
        value.withUTF8 {
            length(UInt32($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    mutating func keys(_ keys: some Collection<DocumentKey>) {
        number(Int64(keys.count))
        for key in keys { text(key.path.string) }
    }

    mutating func write(_ write: WriteIdentity) {
        number(Int64(write.uid))
        number(Int64(bitPattern: write.client.high))
        number(Int64(bitPattern: write.client.low))
        number(Int64(bitPattern: write.sequence))
    }

    private mutating func length(_ count: UInt32) {
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
