package import HearthEngine
package import HearthModel
import HearthRealtime

/// Children whose keys begin with a text.
///
/// The store sorts keys that are whole numbers first, by value. So the numbers that begin with some
/// digits lie in several stretches, one for each count of digits. All other keys with a common
/// beginning lie in one stretch.
extension RealtimeReader {
    /// A stretch of keys in their order.
    private struct Stretch {
        /// A key in front of the stretch; `nil` for the beginning.
        let after: ChildKey?
        /// Whether a key is not behind the stretch.
        let holds: (ChildKey) -> Bool
    }

    /// Keys that are read at a time.
    private static let pageCount = 64
    /// Writes that wait and are looked at, and the bytes of each.
    private static let (writeCountMax, writeByteCountMax) = (64, 64 << 10)
    /// Keys that one question looks at: some keys of a stretch may not begin with the text.
    private static let lookCountMax = 4_096

    /// The keys of a place's cached children that begin with a text. A number with zeros in front is found by
    /// the whole number alone.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - prefix: The text that the keys begin with; empty for all keys.
    ///   - count: How many keys at most.
    /// - Throws: `StoreError` if the store cannot be read.
    /// - Complexity: O(count * log n).
    package func children(
        of path: RealtimePath, beginningWith prefix: String, count: Int
    ) throws(StoreError) -> [ChildKey] {
        if prefix.isEmpty { return try children(of: path, count: count) }
        guard ChildKey(prefix) != nil else { return [] }
        var keys: [ChildKey] = []
        for stretch in Self.numbers(beginningWith: prefix) + [Self.texts(beginningWith: prefix)] {
            try take(stretch, of: path, beginningWith: prefix, count: count, into: &keys)
        }
        return keys
    }

    /// The keys of a place's children that begin with a text and that the first waiting writes make, each
    /// with whether there are children below.
    ///
    /// - Complexity: O(bytes of at most `writeCountMax` small writes).
    package func waitingChildren(
        of path: RealtimePath, beginningWith prefix: String
    ) throws(StoreError) -> [ChildKey: Bool] {
        var children: [ChildKey: Bool] = [:]
        let entries = try queuedWrites(count: Self.writeCountMax)
        for entry in entries where entry.byteCount <= Self.writeByteCountMax {
            guard let write = try queuedWrite(entry.id) else { continue }
            for part in write.change.parts where !part.place.isPriority && !part.node.isEmpty {
                for (key, hasChildren) in Self.children(of: path, in: part)
                where key.text.utf8.starts(with: prefix.utf8) {
                    children[key] = hasChildren || children[key] == true
                }
            }
        }
        return children
    }

    /// The children that a part of a write makes of a place.
    private static func children(
        of path: RealtimePath, in part: RealtimeChange.Part
    ) -> [(key: ChildKey, hasChildren: Bool)] {
        let place = part.place.path
        if let below = path.relative(place), let key = below.keys.first {
            return [(key, below.depth > 1 || part.node.template.childCount > 0)]
        }
        guard let rest = place.relative(path) else { return [] }
        return part.node.template.node(at: rest).children.map { ($0.key, $0.node.childCount > 0) }
    }

    private func take(
        _ stretch: Stretch, of path: RealtimePath, beginningWith prefix: String, count: Int,
        into keys: inout [ChildKey]
    ) throws(StoreError) {
        var after = stretch.after
        var lookCount = 0
        while keys.count < count, lookCount < Self.lookCountMax {
            let page = try children(of: path, after: after, count: Self.pageCount)
            for key in page {
                guard stretch.holds(key), keys.count < count else { return }
                if key.text.utf8.starts(with: prefix.utf8) { keys.append(key) }
            }
            guard page.count == Self.pageCount else { return }
            after = page.last
            lookCount += page.count
        }
    }

    /// The stretch of the keys that are no numbers.
    private static func texts(beginningWith prefix: String) -> Stretch {
        let first = ChildKey(unchecked: prefix)
        return Stretch(after: ChildKey(unchecked: inFront(of: prefix))) { key in
            key.text.utf8.starts(with: prefix.utf8) || key < first
        }
    }

    /// A text that is no number, in front of all keys that begin with `prefix` and are no numbers, with few
    /// keys between.
    private static func inFront(of prefix: String) -> String {
        var scalars = Array(prefix.unicodeScalars)
        // Keys are in the order of UTF-16. There, scalars from 0xD800 on do not follow their numbers.
        if let last = scalars.popLast(), last.value > 1, last.value < 0xD800,
            let before = Unicode.Scalar(last.value - 1)
        {
            scalars += [before, "\u{FFFF}"]
        } else {
            scalars.append("\u{1}")
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The stretches of the whole numbers of 32 bits.
    private static func numbers(beginningWith prefix: String) -> [Stretch] {
        let isNegative = prefix.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? prefix.dropFirst() : prefix[...]
        if isNegative, digits.isEmpty { return [stretch(Int64(Int32.min)...(-1))] }
        guard digits.utf8.count <= 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits), String(number) == digits
        else { return [] }
        var stretches: [Stretch] = []
        var scale: Int64 = 1
        // Zero has no further digits.
        for _ in 0...(number == 0 ? 0 : 10 - digits.utf8.count) {
            let (low, high) = (number * scale, number * scale + scale - 1)
            stretches.append(stretch(isNegative ? -high...(-low) : low...high))
            scale *= 10
        }
        return stretches
    }

    private static func stretch(_ numbers: ClosedRange<Int64>) -> Stretch {
        let isFirst = numbers.lowerBound <= Int64(Int32.min)
        let before = min(numbers.lowerBound - 1, Int64(Int32.max))
        return Stretch(after: isFirst ? nil : ChildKey(unchecked: "\(before)")) { key in
            key.integer.map { Int64($0) <= numbers.upperBound } ?? false
        }
    }
}
