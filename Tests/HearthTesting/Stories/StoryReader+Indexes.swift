import HearthFirestore
import HearthModel

/// What stories say of local indexes and of the clients on a cache.
extension StoryReader {
    /// An index configuration: the object of `firestore.indexes.json`, or its text.
    func indexConfiguration(
        _ json: JSONValue, at place: String
    ) throws(StoryError) -> [FieldIndex] {
        let bytes = json.string.map { Array($0.utf8) } ?? JSONWriter.bytes(of: json)
        let configuration: IndexConfiguration
        do {
            try checkForm(of: try JSONReader.read(bytes), at: place)
            configuration = try IndexConfiguration(json: bytes)
        } catch let error as StoryError {
            throw error
        } catch {
            throw StoryError(place: place, reason: "\(error)")
        }
        guard configuration.foreignCount == 0 else {
            throw StoryError(place: place, reason: "there is an index that no cache can keep")
        }
        return configuration.indexes
    }

    private func checkForm(of json: JSONValue, at place: String) throws(StoryError) {
        var file = try StoryObject(json, at: "\(place), index configuration")
        for json in try file.array("indexes") {
            var index = try StoryObject(json, at: file.place)
            for name in ["collectionGroup", "queryScope"] { _ = try index.optionalString(name) }
            for json in try index.array("fields") {
                var field = try StoryObject(json, at: file.place)
                for name in ["fieldPath", "order", "arrayConfig"] {
                    _ = try field.optionalString(name)
                }
                try field.finish()
            }
            try index.finish()
        }
        guard try file.optionalArray("fieldOverrides") ?? [] == [] else {
            throw file.fail("a cache can do nothing with overrides")
        }
        try file.finish()
    }

    /// Indexes as the SDKs print their own: parts of a path, and kinds by number.
    func indexes(_ json: [JSONValue], at place: String) throws(StoryError) -> [FieldIndex] {
        var indexes: [FieldIndex] = []
        for element in json { indexes.append(try index(StoryObject(element, at: place))) }
        return indexes
    }

    private func index(_ object: StoryObject) throws(StoryError) -> FieldIndex {
        var object = object
        var segments: [FieldIndex.Segment] = []
        for json in try object.array("fields") {
            var field = try StoryObject(json, at: "\(object.place).fields")
            let path = try field.object("fieldPath")
            let number = try field.integer("kind")
            guard Self.indexKinds.indices.contains(number) else {
                throw field.fail("no kind has the number \(number)")
            }
            segments.append(.init(try slice(path), Self.indexKinds[number]))
            try field.finish()
        }
        let group = try object.string("collectionGroup")
        try passOverBookkeeping(of: &object)
        try object.finish()
        guard let index = FieldIndex(group, segments) else {
            throw object.fail("this is no index")
        }
        return index
    }

    private static let indexKinds: [FieldIndex.Kind] = [.ascending, .descending, .contains]

    /// A path that is a part of a longer one.
    private func slice(_ object: StoryObject) throws(StoryError) -> FieldPath {
        var object = object
        let segments = try strings(object.array("segments"), at: object.place)
        let offset = try object.optionalInteger("offset") ?? 0
        let count = try object.optionalInteger("len") ?? segments.count - offset
        guard offset >= 0, count >= 0, offset <= segments.count - count else {
            throw object.fail("a path has no such part")
        }
        try object.finish()
        return FieldPath(Array(segments[offset..<(offset + count)]))
    }

    /// The SDKs' own numbers and how far their backfilling has come. Ours goes otherwise, and no
    /// runner compares them; but exactly these numbers must be there.
    private func passOverBookkeeping(of object: inout StoryObject) throws(StoryError) {
        _ = try object.optionalInteger("indexId")
        guard var state = try object.optionalObject("indexState") else { return }
        _ = try state.optionalInteger("sequenceNumber")
        if var offset = try state.optionalObject("offset") {
            _ = try offset.optionalInteger("largestBatchId")
            _ = offset.take("readTime")
            _ = offset.take("documentKey")
            try offset.finish()
        }
        try state.finish()
    }

    /// The state of a client among several. One alone is always primary, and seen or not works on.
    func clientState(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        switch try object.optionalString("visibility") {
        case nil, "visible", "hidden", "prerender": break
        case let other?: throw object.fail("no visibility is \"\(other)\"")
        }
        guard try object.optionalBoolean("primary") ?? true else {
            throw object.fail("a client can only become primary")
        }
        try object.finish()
        return .applyClientState
    }
}
