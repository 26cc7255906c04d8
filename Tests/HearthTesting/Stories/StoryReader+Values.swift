import HearthModel

/// The parts that steps and expectations are made of.
extension StoryReader {
    /// A target, by the number that the SDKs would give it.
    func target(_ json: JSONValue, at place: String) throws(StoryError) -> TargetID {
        guard let number = json.integer, let id = Int32(exactly: number) else {
            throw StoryError(place: place, reason: "a target is a number")
        }
        return TargetID(id)
    }

    func targets(_ json: [JSONValue], at place: String) throws(StoryError) -> [TargetID] {
        var ids: [TargetID] = []
        for element in json { ids.append(try target(element, at: place)) }
        return ids
    }

    /// A version, which stories count in microseconds.
    func version(_ json: JSONValue, at place: String) throws(StoryError) -> SnapshotVersion {
        guard let microseconds = json.integer else {
            throw StoryError(place: place, reason: "a version is a number of microseconds")
        }
        return SnapshotVersion(Timestamp(microseconds: microseconds))
    }

    func token(_ text: String?) -> ResumeToken? {
        text.flatMap { ResumeToken(Array($0.utf8)) }
    }

    func key(_ path: String, at place: String) throws(StoryError) -> DocumentKey {
        do {
            return try DocumentKey(parsing: path)
        } catch {
            throw StoryError(place: place, reason: "\(error)")
        }
    }

    func keys(_ json: [JSONValue]?, at place: String) throws(StoryError) -> [DocumentKey] {
        var keys: [DocumentKey] = []
        for path in try strings(json ?? [], at: place) { keys.append(try key(path, at: place)) }
        return keys
    }

    func strings(_ json: [JSONValue], at place: String) throws(StoryError) -> [String] {
        var strings: [String] = []
        for element in json {
            guard let string = element.string else {
                throw StoryError(place: place, reason: "only strings should stand in this list")
            }
            strings.append(string)
        }
        return strings
    }

    func fieldPath(_ text: String, at place: String) throws(StoryError) -> FieldPath {
        do {
            return try FieldPath(dotted: text)
        } catch {
            throw StoryError(place: place, reason: "\(error)")
        }
    }

    func error(_ object: StoryObject) throws(StoryError) -> HearthError {
        var object = object
        let number = try object.integer("code")
        guard let code = Int32(exactly: number).flatMap(StatusCode.init), code != .ok else {
            throw object.fail("\(number) is no status code")
        }
        let message = try object.optionalString("message") ?? "The story says so."
        try object.finish()
        return HearthError(code: code, message: message)
    }

    // MARK: Values

    func fields(_ json: JSONValue, at place: String) throws(StoryError) -> MapValue {
        guard let members = json.members else {
            throw StoryError(place: place, reason: "fields are an object")
        }
        var entries: [MapValue.Entry] = []
        for member in members {
            entries.append(.init(key: member.name, value: try value(member.value, at: place)))
        }
        return MapValue(entries: entries)
    }

    func value(_ json: JSONValue, at place: String) throws(StoryError) -> Value {
        switch json {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .double(let number): return .double(number)
        case .string(let text): return .string(text)
        case .array(let elements):
            var values: [Value] = []
            for element in elements { values.append(try value(element, at: place)) }
            return .array(values)
        case .object:
            return .map(try fields(json, at: place))
        }
    }

    func document(_ json: JSONValue, at place: String) throws(StoryError) -> Document {
        var object = try StoryObject(json, at: place)
        let key = try key(object.string("key"), at: place)
        let version = try version(object.require("version"), at: place)
        var createdAt = SnapshotVersion.zero
        if let time = object.take("createTime") { createdAt = try self.version(time, at: place) }
        let content = try object.require("value")
        var document = Document.missing(key, at: version)
        if content != .null {
            document = .found(
                key, at: version, try fields(content, at: place), createdAt: createdAt)
        }
        if var options = try object.optionalObject("options") {
            if try options.optionalBoolean("hasLocalMutations") ?? false {
                document.markLocalMutations()
            }
            if try options.optionalBoolean("hasCommittedMutations") ?? false {
                document.markCommittedMutations()
            }
            try options.finish()
        }
        try object.finish()
        return document
    }

    // MARK: Queries

    /// A query: an object, or a path alone.
    func query(_ json: JSONValue, at place: String) throws(StoryError) -> Query {
        if let text = json.string { return Query(path: try path(text, at: place)) }
        var object = try StoryObject(json, at: place)
        let path = try path(object.string("path"), at: place)
        var query = Query(path: path)
        if let group = try object.optionalString("collectionGroup") {
            guard let group = try? PathSegment(parsing: group) else {
                throw object.fail("\"\(group)\" is no collection's id")
            }
            query = Query(collectionGroup: group, below: path)
        }
        for filter in try object.optionalArray("filters") ?? [] {
            query.filters.append(try self.filter(filter, at: place))
        }
        for orderBy in try object.optionalArray("orderBys") ?? [] {
            guard let parts = orderBy.elements, parts.count == 2, let field = parts[0].string,
                let direction = Self.directions[parts[1].string ?? ""]
            else { throw object.fail("a sort key is a field, and asc or desc") }
            query.explicitOrderBys.append(OrderBy(try fieldPath(field, at: place), direction))
        }
        let limitType = try object.optionalString("limitType") ?? "LimitToFirst"
        guard let end = Self.limitEnds[limitType] else {
            throw object.fail("no limit is \"\(limitType)\"")
        }
        if let limit = try object.optionalInteger("limit") {
            query.limit = Query.Limit(limit, end)
        }
        try object.finish()
        return query
    }

    private static let directions: [String: OrderBy.Direction] = [
        "asc": .ascending, "desc": .descending,
    ]
    private static let limitEnds: [String: Query.Limit.End] = [
        "LimitToFirst": .first, "LimitToLast": .last,
    ]

    private func path(_ text: String, at place: String) throws(StoryError) -> ResourcePath {
        do {
            return try ResourcePath(parsing: text)
        } catch {
            throw StoryError(place: place, reason: "\(error)")
        }
    }

    private func filter(_ json: JSONValue, at place: String) throws(StoryError) -> Filter {
        guard let parts = json.elements, parts.count == 3, let name = parts[0].string,
            let op = parts[1].string.flatMap(FieldFilter.Operator.init)
        else { throw StoryError(place: place, reason: "a filter is a field, an operator, a value") }
        let field = try fieldPath(name, at: place)
        guard field.isDocumentID, let text = parts[2].string else {
            return .field(field, op, try value(parts[2], at: place))
        }
        let document = DocumentName(database: database, path: try path(text, at: place))
        return .field(field, op, .reference(document))
    }
}
