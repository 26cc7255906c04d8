/// A place in the Realtime Database's tree: keys from the root down.
package struct RealtimePath: Hashable, Sendable, CustomStringConvertible {
    /// How many keys a path may have in the hosted service.
    package static let depthMax = 32

    /// The keys from the root down; none at the root.
    package let keys: [ChildKey]

    /// The place of the whole tree.
    package static let root = RealtimePath([])

    /// The place of a client's reports about itself. Nothing is ever stored there.
    package static let info = RealtimePath([ChildKey(unchecked: ".info")])

    /// Joins keys.
    package init(_ keys: some Sequence<ChildKey>) {
        self.keys = Array(keys)
    }

    /// Reads a path: keys between slashes. Extra slashes may stand anywhere.
    ///
    /// - Returns: `nil` if a part is no key. Only the first may be `.info`.
    package init?(_ text: String) {
        var text = text
        guard let keys = text.withUTF8(Self.keys) else { return nil }
        self.keys = keys
    }

    /// The keys between the slashes of a text; `nil` if a part is no key.
    private static func keys(in text: UnsafeBufferPointer<UInt8>) -> [ChildKey]? {
        var keys: [ChildKey] = []
        var rest = text[...]
        while !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: "/") }
            rest = rest[name.endIndex...].dropFirst()
            if name.isEmpty { continue }
            if keys.isEmpty, name.elementsEqual(".info".utf8) {
                keys = info.keys
            } else {
                guard ChildKey.isKey(UnsafeBufferPointer(rebasing: name)) else { return nil }
                keys.append(ChildKey(unchecked: String(decoding: name, as: UTF8.self)))
            }
        }
        return keys
    }

    /// Whether this is the whole tree.
    package var isRoot: Bool { keys.isEmpty }

    /// Whether this is `.info` or below it.
    package var isInfo: Bool { keys.first?.text == ".info" }

    /// How many keys there are.
    package var depth: Int { keys.count }

    /// How long the text of the path is without slashes at its ends, in bytes.
    package var byteCount: Int {
        keys.reduce(max(0, keys.count - 1)) { $0 + $1.text.utf8.count }
    }

    /// The place above; `nil` at the root.
    package var parent: RealtimePath? {
        isRoot ? nil : RealtimePath(keys.dropLast())
    }

    /// The key of this place in the one above; `nil` at the root.
    package var last: ChildKey? { keys.last }

    /// The place of a child.
    package func appending(_ key: ChildKey) -> RealtimePath { RealtimePath(keys + [key]) }

    /// The place that another path leads to from here.
    package func appending(_ path: RealtimePath) -> RealtimePath {
        if isRoot { return path }
        return path.isRoot ? self : RealtimePath(keys + path.keys)
    }

    /// Whether another place equals this place or lies below.
    package func contains(_ other: RealtimePath) -> Bool { other.keys.starts(with: keys) }

    /// The way from here to another place; `nil` if the other place does not lie below.
    package func relative(_ other: RealtimePath) -> RealtimePath? {
        contains(other) ? RealtimePath(other.keys.dropFirst(keys.count)) : nil
    }

    /// The path without a slash in front; the root is empty.
    ///
    /// Not `description` less its first character: a key that begins with a combining mark forms a
    /// character with the slash in front.
    package var bareText: String { keys.map(\.text).joined(separator: "/") }

    /// The path with a slash before each key; the root is one slash.
    package var description: String {
        if isRoot { return "/" }
        var text = ""
        text.reserveCapacity(byteCount + 1)
        for key in keys {
            text += "/"
            text += key.text
        }
        return text
    }

    /// Adds the bytes of `description` to others, without a text in between.
    package func writeText(to bytes: inout [UInt8]) {
        if isRoot { bytes.append(UInt8(ascii: "/")) }
        for key in keys {
            bytes.append(UInt8(ascii: "/"))
            bytes += key.text.utf8
        }
    }
}

/// The order of places: key by key, and a place before all places below.
extension RealtimePath: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool { compare(lhs, rhs) < 0 }

    /// Orders two places: negative, zero or positive.
    package static func compare(_ lhs: Self, _ rhs: Self) -> Int {
        for (left, right) in zip(lhs.keys, rhs.keys) {
            let result = ChildKey.compare(left, right)
            if result != 0 { return result }
        }
        return lhs.keys.count - rhs.keys.count
    }
}

/// Paths that stand in our own source. What comes from outside is no literal and is read.
extension RealtimePath: ExpressibleByStringLiteral {
    /// Takes a literal, which must be a path.
    package init(stringLiteral text: String) {
        guard let path = RealtimePath(text) else {
            preconditionFailure("\"\(text)\" in the source is no path")
        }
        self = path
    }
}

extension ResourcePath {
    /// The path of the same names, for what treats the places of both kinds of databases alike.
    package init(_ path: RealtimePath) {
        // A key is never empty and holds no slash, so it is a segment.
        self.init(path.keys.map { PathSegment(unchecked: $0.text) })
    }
}
