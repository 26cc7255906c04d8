/// The writes that a JSON file becomes at a place of the Realtime Database, in order.
struct NodeImportPlan {
    /// One write, which happens whole or not at all.
    enum Write: Hashable, Sendable {
        /// Replaces all at the place.
        case set(ValueLiteral)
        /// Replaces what is at the paths below the place that a map names.
        case update(ValueLiteral)
    }

    /// The writes, in order.
    private(set) var writes: [Write] = []
    private let byteCountMax: Int
    private let countMax: Int
    /// The parts of the next write.
    private var group: [ValueLiteral.Field] = []
    private var groupByteCount = 0
    /// The priorities of places that were divided. Nothing has a priority, so children come first.
    private var priorities: [ValueLiteral.Field] = []

    /// Bytes that a path and the frame around it add to a part, at most, without the keys.
    private static let partByteCount = 64

    /// Replaces all at the place: in one write if the value fits; if not, the first write removes what
    /// is there, and the others bring the parts, in the order of the file.
    ///
    /// - Throws: `Failure` `usage` for a value or a name that the Realtime Database cannot have.
    init(
        replacing value: ValueLiteral, byteCountMax: Int = ValueLiteral.writeByteCountMax
    ) throws(Failure) {
        self.byteCountMax = byteCountMax
        countMax = .max
        _ = try value.treeValue()
        guard value.jsonByteCount > byteCountMax, Self.children(of: value) != nil else {
            writes = [.set(value)]
            return
        }
        writes = [.set(.null)]
        try divide(value, at: "")
        finish()
    }

    /// Replaces the children that the file has, in groups. A child that is too large for one write is
    /// removed first, and then brought in parts.
    ///
    /// - Throws: `Failure` `usage` for what is no object, or what the Realtime Database cannot have.
    init(
        merging value: ValueLiteral, batchSize: Int,
        byteCountMax: Int = ValueLiteral.writeByteCountMax
    ) throws(Failure) {
        self.byteCountMax = byteCountMax
        countMax = batchSize
        _ = try value.treeUpdate()
        for field in value.fields ?? [] {
            let byteCount = field.value.jsonByteCount
            if byteCount > byteCountMax, Self.children(of: field.value) != nil {
                add(field.name, .null, byteCount: 0)
                flush()
                try divide(field.value, at: field.name)
            } else {
                add(field.name, field.value, byteCount: byteCount)
            }
        }
        finish()
    }

    /// Adds the children of a value, divided until each part fits.
    private mutating func divide(_ value: ValueLiteral, at path: String) throws(Failure) {
        for child in Self.children(of: value) ?? [] where child.value != .null {
            guard !child.name.isEmpty, !child.name.utf8.contains(UInt8(ascii: "/")) else {
                let words = "\"\(child.name)\" is no key: keys have no slash, and are not empty."
                throw Failure(.usage, words.oneLine)
            }
            let place = path.isEmpty ? child.name : "\(path)/\(child.name)"
            if child.name == ".priority" {
                priorities.append(.init(name: place, value: child.value))
                continue
            }
            let byteCount = child.value.jsonByteCount
            if byteCount > byteCountMax, Self.children(of: child.value) != nil {
                try divide(child.value, at: place)
            } else {
                add(place, child.value, byteCount: byteCount)
            }
        }
    }

    /// What a value can be divided into; `nil` for a leaf.
    private static func children(of value: ValueLiteral) -> [ValueLiteral.Field]? {
        if let elements = value.elements {
            return elements.enumerated().map { .init(name: "\($0.offset)", value: $0.element) }
        }
        guard let fields = value.fields,
            !fields.contains(where: { $0.name == ".value" || $0.name == ".sv" })
        else { return nil }
        return fields
    }

    private mutating func add(_ name: String, _ value: ValueLiteral, byteCount: Int) {
        let byteCount = byteCount + name.utf8.count + Self.partByteCount
        if group.count >= countMax || groupByteCount + byteCount > byteCountMax { flush() }
        group.append(.init(name: name, value: value))
        groupByteCount += byteCount
    }

    private mutating func flush() {
        if !group.isEmpty { writes.append(.update(.map(group))) }
        group = []
        groupByteCount = 0
    }

    private mutating func finish() {
        flush()
        for priority in priorities {
            add(priority.name, priority.value, byteCount: priority.value.jsonByteCount)
        }
        flush()
    }
}
