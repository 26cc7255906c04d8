import HearthModel

/// Methods of values, by the type of the value.
extension Evaluator {
    mutating func method(
        _ name: String, of base: Expression, _ arguments: [Expression], _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        if case .name(let namespace) = base.kind, RuleNamespaces.names.contains(namespace),
            !isBound(namespace, scope)
        {
            return try callNamespace(namespace, name, values(arguments, scope))
        }
        let value = try value(base, scope)
        let arguments = try values(arguments, scope)
        switch value {
        case .string(let text): return try method(name, of: text, arguments)
        case .bytes(let bytes): return try method(name, of: bytes, arguments)
        case .timestamp(let time): return try method(name, of: time, arguments)
        case .duration(let span): return try method(name, of: span, arguments)
        case .latlng(let point): return try method(name, of: point, arguments)
        case .path(let path): return try method(name, of: path, arguments)
        case .list(let elements): return try method(name, ofList: elements, arguments)
        case .set(let elements): return try method(name, ofSet: elements, arguments)
        case .map(let map): return try method(name, of: map, arguments)
        case .mapDiff(let new, let old): return try method(name, ofDiff: new, old, arguments)
        case .constraint(let filters): return try method(name, of: filters, arguments)
        case .null: throw .nullValue
        case .boolean, .integer, .float, .vector: throw .noFunction(name)
        }
    }

    private mutating func method(
        _ name: String, of bytes: [UInt8], _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard arguments.isEmpty else { throw .arguments(arguments.count, "bytes.\(name)()") }
        switch name {
        case "size": return .integer(Int64(bytes.count))
        case "toHexString":
            try spend(bytes.count * 2)
            return .string(Digest.hexadecimal(bytes))
        case "toBase64":
            try spend(bytes.count * 2)
            return .string(Digest.base64(bytes))
        default: throw .noFunction(name)
        }
    }

    private func method(
        _ name: String, of point: GeoPoint, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch (name, arguments.first) {
        case ("latitude", nil): return .float(point.latitude)
        case ("longitude", nil): return .float(point.longitude)
        case ("distance", .latlng(let other)?) where arguments.count == 1:
            return .float(point.distance(to: other))
        case ("latitude", _), ("longitude", _), ("distance", _):
            throw .unsupported("latlng.\(name)(\(arguments.typeNames))")
        default: throw .noFunction(name)
        }
    }

    private mutating func method(
        _ name: String, of path: RulePath, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard name == "bind" else { throw .noFunction(name) }
        guard arguments.count == 1, case .map(let values) = arguments[0] else {
            throw .unsupported("path.bind(\(arguments.typeNames))")
        }
        var bound = 0
        var segments: [String] = []
        for segment in path.segments {
            guard segment.string.utf8HasPrefix("{"), segment.string.utf8HasSuffix("}"),
                let value = values[
                    String(decoding: segment.string.utf8.dropFirst().dropLast(), as: UTF8.self)]
            else {
                segments.append(segment.string)
                continue
            }
            bound += 1
            segments.append(try text(of: value))
        }
        guard bound >= values.count else {
            throw EvaluationError("The path has no place for a variable that is bound to it.")
        }
        try spend(segments.count)
        return .path(RulePath(segments))
    }

    private mutating func method(
        _ name: String, ofList elements: [RuleValue], _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch (name, arguments.first, arguments.count) {
        case ("size", _, 0): return .integer(Int64(elements.count))
        case ("toSet", _, 0): return .set(try elements.distinct(&work))
        case ("hasAll", .list(let others)?, 1): return .boolean(try holdsAll(others, elements))
        case ("hasAny", .list(let others)?, 1): return .boolean(try holdsAny(others, elements))
        case ("hasOnly", .list(let others)?, 1): return .boolean(try holdsAll(elements, others))
        case ("concat", .list(let others)?, 1):
            try spend(elements.count + others.count)
            return .list(elements + others)
        case ("removeAll", .list(let others)?, 1):
            var rest: [RuleValue] = []
            for element in elements {
                if try !others.holds(element, &work) { rest.append(element) }
            }
            return .list(rest)
        case ("join", .string(let separator)?, 1):
            var parts: [String] = []
            for element in elements { parts.append(try text(of: element)) }
            try spend(parts.reduce(0) { $0 + $1.utf8.count + separator.utf8.count })
            return .string(parts.joined(separator: separator))
        default:
            throw refusal(
                name, "list", arguments,
                [
                    "size", "toSet", "hasAll", "hasAny", "hasOnly", "concat", "removeAll", "join",
                ])
        }
    }

    private mutating func method(
        _ name: String, ofSet elements: [RuleValue], _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch (name, arguments.first, arguments.count) {
        case ("size", _, 0): return .integer(Int64(elements.count))
        case ("hasAll", .list(let others)?, 1), ("hasAll", .set(let others)?, 1):
            return .boolean(try holdsAll(others, elements, isSet: true))
        case ("hasAny", .list(let others)?, 1), ("hasAny", .set(let others)?, 1):
            return .boolean(try holdsAny(others, elements, isSet: true))
        case ("hasOnly", .list(let others)?, 1), ("hasOnly", .set(let others)?, 1):
            return .boolean(try holdsAll(elements, others, isSet: true))
        case ("difference", .set(let others)?, 1):
            return .set(try select(elements, isIn: others, false))
        case ("intersection", .set(let others)?, 1):
            return .set(try select(elements, isIn: others, true))
        case ("union", .set(let others)?, 1):
            return .set(elements + (try select(others, isIn: elements, false)))
        default:
            throw refusal(
                name, "set", arguments,
                [
                    "size", "hasAll", "hasAny", "hasOnly", "difference", "intersection", "union",
                ])
        }
    }

    private mutating func method(
        _ name: String, of map: RuleMap, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        if map.isOpen, name != "get" { throw .undetermined }
        switch (name, arguments.first, arguments.count) {
        case ("size", _, 0): return .integer(Int64(map.count))
        case ("keys", _, 0):
            try spend(map.count)
            return .list(map.entries.map { .string($0.key) })
        case ("values", _, 0):
            try spend(map.count)
            return .list(map.entries.map(\.value))
        case ("diff", .map(let other)?, 1):
            if other.isOpen { throw .undetermined }
            return .mapDiff(map, from: other)
        case ("get", .string(let key)?, 2):
            return try found([.string(key)], in: map) ?? arguments[1]
        case ("get", .list(let keys)?, 2): return try found(keys, in: map) ?? arguments[1]
        default:
            throw refusal(name, "map", arguments, ["size", "keys", "values", "diff", "get"])
        }
    }

    /// What lies at the end of a way through maps.
    private func found(
        _ keys: [RuleValue], in map: RuleMap
    ) throws(EvaluationError) -> RuleValue? {
        var current = RuleValue.map(map)
        for key in keys {
            guard case .string(let name) = key else { throw .type(key, expected: "string") }
            guard case .map(let map) = current else { return nil }
            guard let next = map[name] else {
                if map.isOpen { throw .undetermined }
                return nil
            }
            current = next
        }
        return current
    }

    private mutating func method(
        _ name: String, ofDiff new: RuleMap, _ old: RuleMap, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard arguments.isEmpty else { throw .arguments(arguments.count, "map_diff.\(name)()") }
        var added: [RuleValue] = []
        var changed: [RuleValue] = []
        var unchanged: [RuleValue] = []
        for entry in new.entries {
            if let before = old[entry.key] {
                if try before.equals(entry.value, &work) {
                    unchanged.append(.string(entry.key))
                } else {
                    changed.append(.string(entry.key))
                }
            } else {
                added.append(.string(entry.key))
            }
        }
        let removed = old.entries.filter { new[$0.key] == nil }.map { RuleValue.string($0.key) }
        try spend(new.count + old.count)
        switch name {
        case "addedKeys": return .set(added)
        case "removedKeys": return .set(removed)
        case "changedKeys": return .set(changed)
        case "affectedKeys": return .set(added + removed + changed)
        case "unchangedKeys": return .set(unchanged)
        default: throw .noFunction(name)
        }
    }

    /// A method of an array with only a part of its elements known.
    private mutating func method(
        _ name: String, of filters: [FieldFilter], _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard arguments.count == 1, case .list(let others) = arguments[0] else {
            throw .undetermined
        }
        guard name == "hasAny", try holdsAny(others, filters.heldElements) else {
            throw .undetermined
        }
        return .boolean(true)
    }

    private mutating func holdsAll(
        _ wanted: [RuleValue], _ elements: [RuleValue], isSet: Bool = false
    ) throws(EvaluationError) -> Bool {
        for element in wanted {
            guard try elements.holds(element, isSet: isSet, &work) else { return false }
        }
        return true
    }

    private mutating func holdsAny(
        _ wanted: [RuleValue], _ elements: [RuleValue], isSet: Bool = false
    ) throws(EvaluationError) -> Bool {
        for element in wanted {
            if try elements.holds(element, isSet: isSet, &work) { return true }
        }
        return false
    }

    /// The elements of a set that another set holds, or does not.
    private mutating func select(
        _ elements: [RuleValue], isIn others: [RuleValue], _ wanted: Bool
    ) throws(EvaluationError) -> [RuleValue] {
        var result: [RuleValue] = []
        for element in elements {
            if try others.holds(element, isSet: true, &work) == wanted { result.append(element) }
        }
        return result
    }

    /// Why a method cannot be called so: it does not exist, or takes something else.
    func refusal(
        _ name: String, _ type: String, _ arguments: [RuleValue], _ known: [String]
    ) -> EvaluationError {
        known.contains(name)
            ? .unsupported("\(type).\(name)(\(arguments.typeNames))") : .noFunction(name)
    }
}

extension GeoPoint {
    /// The distance on a sphere of the Earth's mean radius, in metres.
    fileprivate func distance(to other: GeoPoint) -> Double {
        let radians = Double.pi / 180
        let (from, to) = (latitude * radians, other.latitude * radians)
        let height = RuleMath.sine((to - from) / 2)
        let width = RuleMath.sine((other.longitude - longitude) * radians / 2)
        let chord = height * height + RuleMath.cosine(from) * RuleMath.cosine(to) * width * width
        return 2 * 6_371_010 * RuleMath.arcsine(min(1, chord.squareRoot()))
    }
}
