import HearthModel

/// Functions that every source has.
extension Evaluator {
    mutating func callNamespace(
        _ namespace: String, _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch namespace {
        case "math": return try callMath(name, arguments)
        case "timestamp": return try callTimestamp(name, arguments)
        case "duration": return try callDuration(name, arguments)
        case "latlng": return try callLatLng(name, arguments)
        default: return try callHashing(name, arguments)
        }
    }

    mutating func callGlobal(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        let isKnown = [
            "get", "exists", "getAfter", "existsAfter", "debug", "int", "float", "string", "path",
        ].contains(name)
        guard isKnown else { throw .noFunction(name) }
        guard arguments.count == 1 || name == "debug" && !arguments.isEmpty else {
            throw .arguments(arguments.count, "\(name)(value)")
        }
        switch name {
        case "debug": return arguments[0]
        case "int": return .integer(try integer(arguments[0]))
        case "float": return .float(try float(arguments[0]))
        case "string": return .string(try text(of: arguments[0]))
        case "path": return .path(try path(arguments[0]))
        default: return try lookUp(name, arguments[0])
        }
    }

    private func integer(_ value: RuleValue) throws(EvaluationError) -> Int64 {
        switch value {
        case .integer(let number): return number
        case .float(let number):
            guard number > -0x1p63, number < 0x1p63 else { throw .outOfRange }
            return Int64(number)
        case .string(let text):
            guard let number = Int64(text) else { throw Self.conversion(text, "int") }
            return number
        default: throw .unsupported("int(\(value.typeName))")
        }
    }

    private func float(_ value: RuleValue) throws(EvaluationError) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .float(let number): return number
        case .string(let text):
            guard let number = Double(text) else { throw Self.conversion(text, "float") }
            return number
        default: throw .unsupported("float(\(value.typeName))")
        }
    }

    private static func conversion(_ text: String, _ type: String) -> EvaluationError {
        EvaluationError(
            "Type conversion error. Argument: [\(text)], From type: [string], To type: [\(type)].")
    }

    private mutating func path(_ value: RuleValue) throws(EvaluationError) -> RulePath {
        guard case .string(let text) = value else {
            throw .unsupported("path(\(value.typeName))")
        }
        try spend(text.utf8.count)
        var bytes = text.utf8[...]
        if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
        let segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard segments.allSatisfy({ !$0.isEmpty }) else {
            throw EvaluationError(
                "Invalid Path Template \(text). Empty segment is not allowed.")
        }
        return RulePath(segments.map { String($0) ?? "" })
    }

    /// Reads another document. What was read before costs nothing.
    private mutating func lookUp(
        _ name: String, _ value: RuleValue
    ) throws(EvaluationError) -> RuleValue {
        guard case .path(let wanted) = value else {
            throw .unsupported("\(name)(\(value.typeName))")
        }
        let failure = EvaluationError(
            "Service call error. Function: [\(name)], Argument: [\(wanted.text)].")
        let segments = wanted.segments.map(\.string)
        guard segments.count > 3, utf8Equals(segments[0], "databases"),
            utf8Equals(segments[1], request.database.database),
            utf8Equals(segments[2], "documents"),
            let path = try? ResourcePath(segments: Array(segments[3...])),
            let key = DocumentKey(path)
        else { throw failure }
        let isAfter = name == "getAfter" || name == "existsAfter"
        let access = RuleAccesses.Key(document: key, isAfter: isAfter)
        if accesses.keys.insert(access).inserted {
            accessCount += 1
            guard accessCount <= RulesLimits.accessCountMax,
                accesses.keys.count <= RulesLimits.sharedAccessCountMax
            else { throw EvaluationError(failure.reason, isFinal: true) }
        }
        let document = isAfter ? documents.documentAfter(key) : documents.document(key)
        if name == "exists" || name == "existsAfter" { return .boolean(document.isFound) }
        guard document.isFound else { throw failure }
        return RuleValue.document(document, in: request.database)
    }

    private func callLatLng(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard name == "value" else { throw .noFunction("latlng.\(name)") }
        guard arguments.count == 2, let latitude = arguments[0].number,
            let longitude = arguments[1].number
        else { throw .unsupported("latlng.value(\(arguments.typeNames))") }
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        guard point.isValid else {
            throw EvaluationError(
                "Latitude should be in [-90,90] range and longitude should be in [-180,180] "
                    + "range. latitude: \(latitude), longitude: \(longitude).")
        }
        return .latlng(point)
    }

    private func callMath(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        let names = ["abs", "ceil", "floor", "isInfinite", "isNaN", "pow", "round", "sqrt"]
        guard names.contains(name) else { throw .noFunction("math.\(name)") }
        guard arguments.count == (name == "pow" ? 2 : 1), let number = arguments[0].number,
            let last = arguments[arguments.count - 1].number
        else { throw .unsupported("math.\(name)(\(arguments.typeNames))") }
        switch name {
        case "abs":
            guard case .integer(let whole) = arguments[0] else { return .float(abs(number)) }
            guard whole != .min else { throw .outOfRange }
            return .integer(abs(whole))
        case "ceil": return .float(number.rounded(.up))
        case "floor": return .float(number.rounded(.down))
        case "isInfinite": return .boolean(number.isInfinite)
        case "isNaN": return .boolean(number.isNaN)
        case "pow": return .float(RuleMath.power(number, last))
        case "sqrt": return .float(number.squareRoot())
        default:
            if case .integer(let whole) = arguments[0] { return .integer(whole) }
            let rounded = (number + 0.5).rounded(.down)
            guard rounded >= -0x1p63, rounded < 0x1p63 else { throw .outOfRange }
            return .integer(Int64(rounded))
        }
    }

    private mutating func callHashing(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard ["crc32", "crc32c", "md5", "sha256"].contains(name) else {
            throw .noFunction("hashing.\(name)")
        }
        let bytes: [UInt8]
        switch arguments.first {
        case .bytes(let content)? where arguments.count == 1: bytes = content
        case .string(let text)? where arguments.count == 1: bytes = Array(text.utf8)
        default: throw .unsupported("hashing.\(name)(\(arguments.typeNames))")
        }
        try spend(bytes.count)
        switch name {
        case "crc32": return .bytes(Digest.crc32(bytes))
        case "crc32c": return .bytes(Digest.crc32c(bytes))
        case "md5": return .bytes(Digest.md5(bytes))
        default: return .bytes(SHA256.digest(bytes))
        }
    }
}

extension RuleValue {
    /// The number, if it is one.
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}
