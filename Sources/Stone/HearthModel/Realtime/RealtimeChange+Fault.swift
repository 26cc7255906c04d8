extension RealtimeChange {
    /// The most bytes of one write, as SDKs count them. 16 MiB; the service takes no more.
    package static let byteCountMax = 16 << 20

    /// What keeps the service from ever taking the change, in a sentence; `nil` for nothing. O(n).
    ///
    /// The types of keys, numbers and priorities refuse the rest.
    package var fault: String? {
        let byteCount = byteCount
        if byteCount > Self.byteCountMax {
            return "The write has about \(byteCount) bytes, and the service takes "
                + "\(Self.byteCountMax) at once. Write it in parts."
        }
        switch self {
        case .set(let place, let node):
            let part = Part(place, node)
            return place.path.isInfo ? Self.faultOfInfo : part.fault(ofAtMost: byteCount)
        case .update: return Self.fault(of: parts, ofAtMost: byteCount)
        }
    }

    private static let faultOfInfo =
        "Nothing can be written below .info, where the client reports about itself."

    /// The same for the places of an update, which count from the root.
    private static func fault(of parts: [Part], ofAtMost byteCount: Int) -> String? {
        if parts.contains(where: \.place.path.isInfo) { return faultOfInfo }
        for part in parts {
            if let fault = part.fault(ofAtMost: byteCount) { return fault }
        }
        guard parts.count > 1 else { return nil }
        let sorted = parts.map(\.place).sorted { WritePath.compare($0, $1) < 0 }
        for (upper, lower) in zip(sorted, sorted.dropFirst()) where upper.covers(lower) {
            return "The update names \(upper) and, at or below it, \(lower). Name each place once."
        }
        return nil
    }
}

extension RealtimeChange.Part {
    /// - Parameter byteCount: What the whole change has.
    fileprivate func fault(ofAtMost byteCount: Int) -> String? {
        let depth = place.path.depth + node.template.depth
        if depth > RealtimePath.depthMax {
            return "The write reaches \(depth) keys deep, and the service allows "
                + "\(RealtimePath.depthMax). Write less deep."
        }
        if place.isPriority, !node.canBePriority {
            return "What is written at \(place) must be a number, a string or null."
        }
        // A unit of UTF-16 has three bytes of UTF-8 at most, so only large nodes are looked through.
        guard byteCount > LeafValue.stringByteCountMax / 3 else { return nil }
        return node.template.longestString > LeafValue.stringByteCountMax
            ? "A string has more than \(LeafValue.stringByteCountMax) bytes, which the service "
                + "does not take." : nil
    }
}

extension Node {
    /// How many keys the deepest leaf lies below this node.
    fileprivate var depth: Int { children.reduce(0) { max($0, $1.node.depth + 1) } }

    /// How many bytes the longest string has.
    fileprivate var longestString: Int {
        if case .string(let text)? = leaf { return text.utf8.count }
        return children.reduce(0) { max($0, $1.node.longestString) }
    }
}
