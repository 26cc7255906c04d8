import HearthModel

/// A set of documents' names in as little memory as can be.
///
/// A name of twenty characters takes 25 to 30 bytes, where a `DocumentKey` in a tree takes 150.
///
/// Shape: a trie by a hash of the name, eight ways at each branch. A leaf holds about two kilobytes
/// of names, one after the other. A varint leads each name: twice the name's length, and one more
/// if the name lies in the set's collection; then the name's last segment stands for the name.
///
/// Persistent: a copy is free, a change copies the way to one leaf.
struct PackedKeySet: Sendable {
    /// How many names there are.
    private(set) var count = 0
    private var root = Node.empty
    /// Where the first name lies, and nearly always all of them.
    private var collection = ResourcePath.root

    /// The empty set.
    init() {}

    /// Some names, maybe twice.
    init(_ keys: some Sequence<DocumentKey>) {
        for key in keys { insert(key) }
    }

    /// Whether there are no names.
    var isEmpty: Bool { count == 0 }

    /// Whether a name is in the set.
    func contains(_ key: DocumentKey) -> Bool {
        if count == 0 { return false }
        return withEntry(of: key) { root.contains($0, hash: Self.hash(of: $0)) }
    }

    /// Adds a name.
    ///
    /// - Returns: Whether it was not there.
    @discardableResult
    mutating func insert(_ key: DocumentKey) -> Bool {
        if count == 0 { collection = key.collection }
        var root = take()
        let isNew = withEntry(of: key) { root.insert($0, hash: Self.hash(of: $0), level: 0) }
        self.root = root
        if isNew { count += 1 }
        return isNew
    }

    /// Takes a name away.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    mutating func remove(_ key: DocumentKey) -> Bool {
        if count == 0 { return false }
        var root = take()
        let wasThere = withEntry(of: key) { root.remove($0, hash: Self.hash(of: $0), level: 0) }
        self.root = root
        if wasThere { count -= 1 }
        return wasThere
    }

    /// All names, in no order. O(names).
    var keys: [DocumentKey] {
        var keys: [DocumentKey] = []
        keys.reserveCapacity(count)
        root.visit { keys.append(key(of: $0)) }
        return keys
    }

    /// How many bytes the names take, with the arrays that hold them. O(names).
    var byteCount: Int { root.byteCount }

    /// Takes the root out of the set.
    ///
    /// A change then finds no second reference, and changes the root in its place.
    private mutating func take() -> Node {
        defer { root = .empty }
        return root
    }

    /// Calls `body` with a name as it stands in a leaf.
    private func withEntry<Result>(
        of key: DocumentKey, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let isInside = collection.isImmediateParent(of: key.path)
        let skipped = isInside ? collection.string.utf8.count + 1 : 0
        var name = key.path.string
        return name.withUTF8 { name in
            let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(name)[skipped...])
            let size = rest.count + PackedKeyEntry.headByteCountMax
            return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
                let end = PackedKeyEntry.write(rest, isInside: isInside, to: buffer)
                return body(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
            }
        }
    }

    private func key(of entry: PackedKeyEntry) -> DocumentKey {
        let name = String(decoding: entry.name, as: UTF8.self)
        let rest = try? ResourcePath(parsing: name)
        let path = entry.isInside ? rest.map { collection.appending($0) } : rest
        guard let path, let key = DocumentKey(path) else {
            preconditionFailure("\"\(name)\" is not a document's name")
        }
        return key
    }

    fileprivate static func hash(of entry: UnsafeRawBufferPointer) -> UInt {
        var hasher = Hasher()
        hasher.combine(bytes: entry)
        return UInt(bitPattern: hasher.finalize())
    }
}

extension PackedKeySet {
    /// A piece of the trie.
    fileprivate enum Node: Sendable {
        case leaf([UInt8])
        case branch([Node])

        static let empty = Node.leaf([])
        /// How many ways there are at a branch, as bits of the hash.
        private static let bitCount = 3
        /// Below this level the hash has no more bits.
        private static let levelMax = UInt.bitWidth / bitCount
        /// How large a leaf may be that holds more than one name.
        private static let leafByteCountMax = 2_048
        /// What an array takes beside its elements.
        private static let arrayByteCount = 32

        private static func place(_ hash: UInt, _ level: Int) -> Int {
            Int((hash >> UInt(level * bitCount)) & UInt(1 << bitCount - 1))
        }

        func contains(_ entry: UnsafeRawBufferPointer, hash: UInt) -> Bool {
            var node = self
            var level = 0
            while case .branch(let children) = node {
                node = children[Self.place(hash, level)]
                level += 1
            }
            guard case .leaf(let bytes) = node else { return false }
            return Self.find(entry, in: bytes) != nil
        }

        mutating func insert(_ entry: UnsafeRawBufferPointer, hash: UInt, level: Int) -> Bool {
            switch self {
            case .branch(var children):
                self = .empty  // So that the children have one owner.
                defer { self = .branch(children) }
                return children[Self.place(hash, level)]
                    .insert(entry, hash: hash, level: level + 1)
            case .leaf(var bytes):
                if Self.find(entry, in: bytes) != nil { return false }
                self = .empty
                Self.reserve(bytes.count + entry.count, in: &bytes)
                bytes.append(contentsOf: entry)
                let isFull = bytes.count > Self.leafByteCountMax && level < Self.levelMax
                self = isFull ? Self.split(bytes, level) : .leaf(bytes)
                return true
            }
        }

        mutating func remove(_ entry: UnsafeRawBufferPointer, hash: UInt, level: Int) -> Bool {
            switch self {
            case .branch(var children):
                self = .empty
                let wasThere = children[Self.place(hash, level)]
                    .remove(entry, hash: hash, level: level + 1)
                self = (wasThere ? Self.merged(children) : nil) ?? .branch(children)
                return wasThere
            case .leaf(let bytes):
                guard let found = Self.find(entry, in: bytes) else { return false }
                var rest: [UInt8] = []
                Self.reserve(bytes.count - found.count, in: &rest)
                rest += bytes[..<found.lowerBound]
                rest += bytes[found.upperBound...]
                self = .leaf(rest)
                return true
            }
        }

        func visit(_ body: (PackedKeyEntry) -> Void) {
            switch self {
            case .branch(let children): for child in children { child.visit(body) }
            case .leaf(let bytes):
                bytes.withUnsafeBytes { bytes in
                    var start = 0
                    while start < bytes.count {
                        let entry = PackedKeyEntry(in: bytes, at: start)
                        body(entry)
                        start = entry.place.upperBound
                    }
                }
            }
        }

        var byteCount: Int {
            switch self {
            case .leaf(let bytes): bytes.isEmpty ? 0 : Self.arrayByteCount + bytes.capacity
            case .branch(let children):
                Self.arrayByteCount + children.capacity * MemoryLayout<Node>.stride
                    + children.reduce(0) { $0 + $1.byteCount }
            }
        }

        /// Where a name stands in a leaf.
        private static func find(
            _ entry: UnsafeRawBufferPointer, in bytes: [UInt8]
        ) -> Range<Int>? {
            bytes.withUnsafeBytes { bytes in
                var start = 0
                while start < bytes.count {
                    let place = PackedKeyEntry(in: bytes, at: start).place
                    if place.count == entry.count,
                        UnsafeRawBufferPointer(rebasing: bytes[place]).elementsEqual(entry)
                    {
                        return place
                    }
                    start = place.upperBound
                }
                return nil
            }
        }

        /// Makes room for little more than is needed: an array that doubles would waste a third.
        private static func reserve(_ byteCount: Int, in bytes: inout [UInt8]) {
            if byteCount <= bytes.capacity { return }
            let step = 128
            let whole = (byteCount + arrayByteCount + step - 1) / step * step
            bytes.reserveCapacity(whole - arrayByteCount)
        }

        private static func split(_ bytes: [UInt8], _ level: Int) -> Node {
            bytes.withUnsafeBytes { bytes in
                let first = PackedKeyEntry(in: bytes, at: 0).place
                if first.count == bytes.count { return .leaf(Array(bytes)) }
                var children = [Node](repeating: .empty, count: 1 << bitCount)
                var start = 0
                while start < bytes.count {
                    let place = PackedKeyEntry(in: bytes, at: start).place
                    let entry = UnsafeRawBufferPointer(rebasing: bytes[place])
                    let hash = PackedKeySet.hash(of: entry)
                    _ = children[Self.place(hash, level)]
                        .insert(entry, hash: hash, level: level + 1)
                    start = place.upperBound
                }
                return .branch(children)
            }
        }

        /// One leaf instead of several that hold little.
        private static func merged(_ children: [Node]) -> Node? {
            var byteCount = 0
            for child in children {
                guard case .leaf(let bytes) = child else { return nil }
                byteCount += bytes.count
            }
            guard byteCount <= leafByteCountMax / 4 else { return nil }
            var bytes: [UInt8] = []
            reserve(byteCount, in: &bytes)
            for case .leaf(let part) in children { bytes += part }
            return .leaf(bytes)
        }
    }
}

/// A name in a leaf of a `PackedKeySet`.
private struct PackedKeyEntry {
    /// The bytes of a head at most.
    static let headByteCountMax = 10

    /// Where it stands, with its head.
    let place: Range<Int>
    /// The name, or its last segment.
    let name: UnsafeRawBufferPointer
    /// Whether the rest of the name is the set's collection.
    let isInside: Bool

    /// Reads the name at a place.
    init(in bytes: UnsafeRawBufferPointer, at start: Int) {
        var head: UInt = 0
        var shift: UInt = 0
        var index = start
        repeat {
            head |= UInt(bytes[index] & 0x7F) << shift
            shift += 7
            index += 1
        } while bytes[index - 1] & 0x80 != 0
        place = start..<(index + Int(head >> 1))
        name = UnsafeRawBufferPointer(rebasing: bytes[index..<place.upperBound])
        isInside = head & 1 != 0
    }

    /// Writes a name, and returns its end.
    static func write(
        _ name: UnsafeRawBufferPointer, isInside: Bool, to buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var head = UInt(name.count) << 1 | (isInside ? 1 : 0)
        var index = 0
        while head >= 0x80 {
            buffer[index] = UInt8(truncatingIfNeeded: head) | 0x80
            head >>= 7
            index += 1
        }
        buffer[index] = UInt8(head)
        let start = index + 1
        UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).copyMemory(from: name)
        return start + name.count
    }
}
