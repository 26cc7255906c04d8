import HearthEngine
import HearthModel

/// A place with its bytes, and with where the bytes of the places above end.
struct ServerPlace {
    /// The place.
    let path: RealtimePath
    /// Its bytes.
    let bytes: [UInt8]
    /// How many bytes the place of each depth has, the root's first.
    private let ends: [Int]

    init(_ path: RealtimePath) {
        self.path = path
        var bytes: [UInt8] = []
        var ends = [0]
        for key in path.keys {
            PlaceBytes.append(key, to: &bytes)
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// The places above, the next first.
    var above: [[UInt8]] { ends.dropLast().reversed().map { Array(bytes[..<$0]) } }

    /// This place and the places above, the root first.
    var atOrAbove: [[UInt8]] { ends.map { Array(bytes[..<$0]) } }

    /// The way here from the place above that has so many bytes.
    ///
    /// - Throws: `StoreError.damaged` if no place above has.
    func path(fromByteCount count: Int) throws(StoreError) -> RealtimePath {
        guard let depth = ends.firstIndex(of: count) else {
            throw .damaged("the place of a node")
        }
        return RealtimePath(path.keys.dropFirst(depth))
    }
}
