import HearthEngine
import HearthModel

/// What a write does to the tree, as it lies on disk: the JSON that is sent, behind the places.
///
/// Shape: `01`, the place as a text, JSON for a set; `02`, the path as a text, then for each part its
/// place as a text, the length of its JSON as a varint, and JSON for an update. A text is its length
/// as a varint and its bytes. JSON is the export form, with `.sv` where the server fills in.
enum ChangeBytes {
    private static let setMark: UInt8 = 1
    private static let updateMark: UInt8 = 2
    /// Bytes that a change mostly takes no more of than its estimate.
    private static let spareByteCount = 64

    /// The bytes of a change. O(n).
    static func bytes(of change: RealtimeChange) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(change.byteCount + spareByteCount)
        switch change {
        case .set(let place, let node):
            bytes.append(setMark)
            append(place, to: &bytes)
            node.writeExportJSON(to: &bytes)
        case .update(let path, let parts):
            bytes.append(updateMark)
            append(WritePath(path), to: &bytes)
            for part in parts {
                append(part.place, to: &bytes)
                append(part.node.exportJSON, to: &bytes)
            }
        }
        return bytes
    }

    /// Reads a change.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no change has.
    static func change(from bytes: [UInt8]) throws(StoreError) -> RealtimeChange {
        var index = 1
        switch bytes.first {
        case setMark:
            let place = try place(in: bytes, at: &index)
            return .set(place, try node(from: JSONCursor(bytes, at: index), of: place))
        case updateMark:
            guard let path = RealtimePath(try text(in: bytes, at: &index)) else { throw damage }
            var parts: [RealtimeChange.Part] = []
            while index < bytes.count {
                let place = try place(in: bytes, at: &index)
                let json = JSONCursor(Array(try data(in: bytes, at: &index)))
                parts.append(.init(place, try node(from: json, of: place)))
            }
            return .update(path, parts)
        default: throw damage
        }
    }

    private static func append(_ place: WritePath, to bytes: inout [UInt8]) {
        append(length: place.textByteCount, to: &bytes)
        place.writeText(to: &bytes)
    }

    private static func append(_ data: [UInt8], to bytes: inout [UInt8]) {
        append(length: data.count, to: &bytes)
        bytes += data
    }

    private static func append(length: Int, to bytes: inout [UInt8]) {
        var rest = length
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func data(in bytes: [UInt8], at index: inout Int) throws(StoreError)
        -> ArraySlice<UInt8>
    {
        var count = 0
        var shift = 0
        while true {
            guard index < bytes.count, shift < 35 else { throw damage }
            let byte = bytes[index]
            index += 1
            count |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        guard count <= bytes.count - index else { throw damage }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    private static func text(in bytes: [UInt8], at index: inout Int) throws(StoreError) -> String {
        let data = try data(in: bytes, at: &index)
        guard let text = String(validating: data, as: UTF8.self) else { throw damage }
        return text
    }

    private static func place(in bytes: [UInt8], at index: inout Int) throws(StoreError)
        -> WritePath
    {
        guard let place = WritePath(try text(in: bytes, at: &index)) else { throw damage }
        return place
    }

    private static func node(from json: JSONCursor, of place: WritePath) throws(StoreError)
        -> UnresolvedNode
    {
        do throws(NodeError) {
            let node = try NodeReader.read(toEndOf: json)
            if !place.isPriority || node.canBePriority { return node }
        } catch {
            throw .damaged("a queued write (\(error))")
        }
        throw damage
    }

    private static var damage: StoreError { .damaged("a queued write") }
}
