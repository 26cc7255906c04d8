import HearthModel

/// Methods of texts and of snapshots.
extension RealtimeEvaluator {
    /// In units of UTF-16. A part of `auth` that is no text may have a member of that name.
    mutating func length(
        _ base: RealtimeExpression
    ) throws(EvaluationError) -> RealtimeRuleValue {
        let value = try value(base)
        switch value {
        case .string(let text):
            try spend(text.utf8.count / 8)
            return .integer(Int64(text.utf16.count))
        case .claims(.array(let elements)) where base.type == .any:
            return .integer(Int64(elements.count))
        case .claims(let claims) where base.type == .any:
            return RealtimeRuleValue(claims: claims["length"])
        // As for every other member of a value without members.
        case .null where base.type == .any, .boolean where base.type == .any,
            .integer where base.type == .any, .double where base.type == .any:
            return .null
        case .null, .boolean, .integer, .double, .claims, .tree, .snapshot:
            throw EvaluationError("length needs a string, and is asked of \(value.typeName)")
        }
    }

    mutating func matches(
        _ base: RealtimeExpression, _ pattern: Pattern
    ) throws(EvaluationError) -> Bool {
        let text = try text(base, for: "matches()")
        try spend(text.utf8.count / 8)
        var matcher = PatternMatcher(pattern, text, work: work)
        let isMatch = matcher.matchesAnywhere()
        work = matcher.work
        try spend(0)
        return isMatch
    }

    mutating func apply(
        _ method: RealtimeExpression.TextMethod, _ base: RealtimeExpression,
        _ arguments: [RealtimeExpression]
    ) throws(EvaluationError) -> RealtimeRuleValue {
        let text = try text(base, for: "\(method.rawValue)()")
        var given: [String] = []
        for argument in arguments {
            given.append(try self.text(argument, for: "\(method.rawValue)()"))
        }
        try spend(given.reduce(text.utf8.count) { $0 + $1.utf8.count } / 8)
        switch method {
        case .contains:
            return .boolean(ByteSearch(given[0]).first(in: Array(text.utf8), from: 0) != nil)
        case .beginsWith: return .boolean(text.utf8.starts(with: given[0].utf8))
        case .endsWith:
            return .boolean(text.utf8.reversed().starts(with: given[0].utf8.reversed()))
        case .replace: return .string(try replace(given[0], in: text, by: given[1]))
        case .toLowerCase: return .string(text.lowercased())
        case .toUpperCase: return .string(text.uppercased())
        }
    }

    /// Replaces every occurrence; nothing occurs in no place.
    private mutating func replace(
        _ part: String, in text: String, by replacement: String
    ) throws(EvaluationError) -> String {
        guard !part.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let search = ByteSearch(part)
        var result: [UInt8] = []
        var start = 0
        while let place = search.first(in: bytes, from: start) {
            try spend(replacement.utf8.count / 8 + 1)
            result += bytes[start..<place]
            result += replacement.utf8
            start = place + part.utf8.count
        }
        return String(decoding: result + bytes[start...], as: UTF8.self)
    }

    mutating func apply(
        _ method: RealtimeExpression.SnapshotMethod, _ base: RealtimeExpression,
        _ arguments: [RealtimeExpression]
    ) throws(EvaluationError) -> RealtimeRuleValue {
        let value = try value(base)
        guard case .snapshot(let snapshot) = value else {
            throw EvaluationError(
                "\(method.rawValue)() needs a snapshot, and is asked of \(value.typeName)")
        }
        let node = snapshot.node
        switch method {
        case .val: return RealtimeRuleValue(node)
        case .child: return .snapshot(try child(arguments[0], of: snapshot, method))
        case .parent:
            guard let parent = snapshot.parent else {
                throw EvaluationError("the root has no parent")
            }
            try spend(parent.keys.count)
            return .snapshot(parent)
        case .hasChild:
            return .boolean(try !child(arguments[0], of: snapshot, method).node.isEmpty)
        case .hasChildren:
            // All names are asked for, since each must be one.
            var hasAll = !arguments.isEmpty || node.childCount > 0
            for argument in arguments {
                let isThere = try !child(argument, of: snapshot, method).node.isEmpty
                hasAll = hasAll && isThere
            }
            return .boolean(hasAll)
        case .exists: return .boolean(!node.isEmpty)
        case .getPriority: return RealtimeRuleValue(node.priority)
        case .isNumber: return .boolean(node.leaf?.number != nil)
        case .isString:
            if case .string = node.leaf { return .boolean(true) }
            return .boolean(false)
        case .isBoolean:
            if case .bool = node.leaf { return .boolean(true) }
            return .boolean(false)
        }
    }

    private mutating func child(
        _ path: RealtimeExpression, of snapshot: RuleSnapshot,
        _ method: RealtimeExpression.SnapshotMethod
    ) throws(EvaluationError) -> RuleSnapshot {
        let path = try text(path, for: "\(method.rawValue)()")
        try spend(path.utf8.count + snapshot.keys.count)
        return snapshot.child(path)
    }
}
