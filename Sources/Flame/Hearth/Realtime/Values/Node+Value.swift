import HearthModel

/// How nodes look to a program: strings, flags, numbers, dictionaries and arrays.
extension Node {
    /// The value without priorities; `nil` if nothing is there.
    ///
    /// Children whose keys are whole numbers come as an array, if more than half of its places are
    /// taken. The other places hold `nil`. If Swift compares two keys as equal (two spellings of
    /// "é"), one child remains.
    var value: (any Sendable)? {
        if let leaf { return leaf.value }
        guard !isEmpty else { return nil }
        if let count = arrayCount { return array(of: count) }
        var values: [String: any Sendable] = [:]
        values.reserveCapacity(childCount)
        for child in children { values[child.key.text] = child.node.value }
        return values
    }

    private func array(of count: Int) -> any Sendable {
        var elements: [any Sendable] = []
        elements.reserveCapacity(count)
        for child in children {
            let place = Int(child.key.integer ?? 0)
            while elements.count < place { elements.append((any Sendable)?.none) }
            if let value = child.node.value { elements.append(value) }
        }
        return elements
    }

    /// The value with its priorities, in the form that `setValue` takes; `nil` if nothing is there.
    var exportValue: (any Sendable)? { exportValue(keepsSpellings: false) }

    /// The value with its priorities; `nil` if nothing is there.
    ///
    /// - Parameter keepsSpellings: Whether children in which Swift takes two keys for one become a
    ///   `SpelledMap`, which loses none.
    func exportValue(keepsSpellings: Bool) -> (any Sendable)? {
        guard !isEmpty else { return nil }
        var values: [String: any Sendable] = [:]
        if let priority { values[".priority"] = priority.value }
        if let leaf {
            guard !values.isEmpty else { return leaf.value }
            values[".value"] = leaf.value
            return values
        }
        guard !keepsSpellings else {
            var fields = values.map { SpelledMap.Field($0.key, $0.value) }
            for child in children {
                guard let value = child.node.exportValue(keepsSpellings: true) else { continue }
                fields.append(SpelledMap.Field(child.key.text, value))
            }
            return SpelledMap(fields).simplest
        }
        for child in children where values[child.key.text] == nil {
            values[child.key.text] = child.node.exportValue
        }
        return values
    }
}

extension LeafValue {
    /// The value as a program reads it: `Bool`, `Int`, `Double` or `String`.
    var value: any Sendable {
        switch self {
        case .bool(let flag): flag
        case .integer(let number): Int(number)
        case .double(let number): number
        case .string(let text): text
        }
    }
}
