import HearthModel

extension RuleValue {
    /// Whether two values are equal: lists in order, sets in any order.
    ///
    /// A whole number equals a float if they are the same as floats, but not inside of lists and maps.
    ///
    /// - Parameter work: Counts down what is compared.
    /// - Throws: `EvaluationError` if a query does not tell, or the work is used up.
    func equals(
        _ other: RuleValue, _ work: inout Int, isInside: Bool = false
    ) throws(EvaluationError) -> Bool {
        work -= 1
        guard work > 0 else { throw .tooMuchWork }
        if let filters = constraint ?? other.constraint {
            if filters.exclude(constraint == nil ? self : other) { return false }
            throw .undetermined
        }
        switch (self, other) {
        case (.null, .null): return true
        case (.boolean(let left), .boolean(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        case (.float(let left), .float(let right)): return left == right
        case (.integer(let left), .float(let right)): return !isInside && Double(left) == right
        case (.float(let left), .integer(let right)): return !isInside && left == Double(right)
        case (.string(let left), .string(let right)):
            work -= left.utf8.count / 64
            return utf8Equals(left, right)
        case (.bytes(let left), .bytes(let right)):
            work -= left.count / 64
            return left == right
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.latlng(let left), .latlng(let right)):
            return left.latitude == right.latitude && left.longitude == right.longitude
        case (.path(let left), .path(let right)): return left == right
        case (.list(let left), .list(let right)): return try left.equals(right, &work)
        case (.set(let left), .set(let right)): return try left.equals(asSet: right, &work)
        case (.map(let left), .map(let right)): return try left.equals(right, &work)
        case (.vector(let left), .vector(let right)):
            work -= left.storedByteCount / 64
            return left == right
        case (.mapDiff(let left, let leftOld), .mapDiff(let right, let rightOld)):
            guard try left.equals(right, &work) else { return false }
            return try leftOld.equals(rightOld, &work)
        default: return false
        }
    }

    /// What a query tells of a field, if it does not tell the value.
    var constraint: [FieldFilter]? {
        if case .constraint(let filters) = self { return filters }
        return nil
    }

    /// Orders two values of one kind: negative, zero or positive; `nil` if they have no order.
    func order(_ other: RuleValue) -> Int? {
        switch (self, other) {
        case (.string(let left), .string(let right)): utf8Compare(left, right)
        case (.bytes(let left), .bytes(let right)): compareBytes(left, right)
        case (.timestamp(let left), .timestamp(let right)): Self.order(left, right)
        case (.duration(let left), .duration(let right)): Self.order(left, right)
        case (.integer(let left), .float(let right)): Self.order(Double(left), right)
        case (.float(let left), .integer(let right)): Self.order(left, Double(right))
        case (.integer, .integer), (.float, .float):
            stored.flatMap { left in other.stored.map { left.compare(to: $0) } }
        default: nil
        }
    }

    /// The value as a document holds it; `nil` for what no document holds in this form.
    var stored: Value? {
        switch self {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .float(let number): .double(number)
        case .string(let text): .string(text)
        case .bytes(let bytes): .bytes(bytes)
        case .timestamp(let time): .timestamp(time)
        case .latlng(let point): .geoPoint(point)
        case .vector(let map): .map(map)
        case .duration, .path, .list, .set, .map, .mapDiff, .constraint: nil
        }
    }

    private static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
        left < right ? -1 : (left > right ? 1 : 0)
    }
}

extension RuleMap {
    func equals(_ other: RuleMap, _ work: inout Int) throws(EvaluationError) -> Bool {
        if isOpen || other.isOpen { throw .undetermined }
        guard count == other.count else { return false }
        for (left, right) in zip(entries, other.entries) {
            guard utf8Equals(left.key, right.key),
                try left.value.equals(right.value, &work, isInside: true)
            else { return false }
        }
        return true
    }
}

extension Array where Element == RuleValue {
    /// Whether two lists hold equal elements in one order.
    func equals(_ other: [RuleValue], _ work: inout Int) throws(EvaluationError) -> Bool {
        guard count == other.count else { return false }
        for (left, right) in zip(self, other) {
            guard try left.equals(right, &work, isInside: true) else { return false }
        }
        return true
    }

    /// Whether two lists without repetitions hold equal elements in any order.
    func equals(asSet other: [RuleValue], _ work: inout Int) throws(EvaluationError) -> Bool {
        guard count == other.count else { return false }
        for element in self {
            guard try other.holds(element, isSet: true, &work) else { return false }
        }
        return true
    }

    /// Whether an equal element is in the list or set. O(n).
    ///
    /// In a set a whole number equals a float of the same value, in a list it does not.
    func holds(
        _ wanted: RuleValue, isSet: Bool = false, _ work: inout Int
    ) throws(EvaluationError) -> Bool {
        for element in self {
            if try element.equals(wanted, &work, isInside: !isSet) { return true }
        }
        return false
    }

    /// The elements without repetitions. O(n^2), so that hostile keys gain nothing.
    func distinct(_ work: inout Int) throws(EvaluationError) -> [RuleValue] {
        var result: [RuleValue] = []
        for element in self {
            var isKnown = false
            for known in result {
                if try known.equals(element, &work) { isKnown = true }
            }
            if !isKnown { result.append(element) }
        }
        return result
    }
}
