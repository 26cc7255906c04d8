package import HearthModel

/// Indexes as `firestore.indexes.json` describes them, the file that Firebase's tools deploy.
package struct IndexConfiguration: Hashable, Sendable {
    /// The indexes that a cache can keep, each once, in the order of the file.
    package let indexes: [FieldIndex]
    /// How many the file has beyond those: of vectors, or for searching.
    package let foreignCount: Int

    /// Reads the file's JSON.
    ///
    /// `fieldOverrides` say nothing that a cache could use; the key at an index's end is implied.
    /// - Throws: `HearthError` `invalidArgument`, which says where the file is wrong.
    package init(json bytes: [UInt8]) throws(HearthError) {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes)
        } catch {
            throw Self.refusal(error.description)
        }
        guard json.members != nil else { throw Self.refusal("it is no object") }
        var indexes: [FieldIndex] = []
        var foreignCount = 0
        for (number, element) in (json["indexes"]?.elements ?? []).enumerated() {
            guard let index = try Self.index(element, "indexes[\(number)]") else {
                foreignCount += 1
                continue
            }
            if !indexes.contains(index) { indexes.append(index) }
        }
        self.indexes = indexes
        self.foreignCount = foreignCount
    }

    private static func index(_ json: JSONValue, _ place: String) throws(HearthError)
        -> FieldIndex?
    {
        guard let group = json["collectionGroup"]?.string, !group.isEmpty else {
            throw refusal("\(place) has no collectionGroup")
        }
        let scope: FieldIndex.Scope
        switch json["queryScope"]?.string {
        case nil, "COLLECTION": scope = .collection
        case "COLLECTION_GROUP": scope = .group
        case let other?: throw refusal("\(place) has the queryScope \"\(other)\"")
        }
        var segments: [FieldIndex.Segment] = []
        for (number, field) in (json["fields"]?.elements ?? []).enumerated() {
            let place = "\(place).fields[\(number)]"
            if field["vectorConfig"] != nil || field["searchConfig"] != nil { return nil }
            let segment = try segment(field, place)
            if !segment.field.isDocumentID { segments.append(segment) }
        }
        guard let index = FieldIndex(group, segments, scope: scope) else {
            throw refusal("\(place) has no fields, too many, one twice, or two arrays")
        }
        return index
    }

    private static func segment(_ json: JSONValue, _ place: String) throws(HearthError)
        -> FieldIndex.Segment
    {
        guard let text = json["fieldPath"]?.string else {
            throw refusal("\(place) has no fieldPath")
        }
        let field: FieldPath
        do throws(PathError) {
            field = try FieldPath(canonical: text)
        } catch {
            throw refusal("\(place): \(error)")
        }
        if let array = json["arrayConfig"]?.string {
            guard array == "CONTAINS" else {
                throw refusal("\(place) has the arrayConfig \"\(array)\"")
            }
            return .init(field, .contains)
        }
        switch json["order"]?.string {
        case nil, "ASCENDING": return .init(field, .ascending)
        case "DESCENDING": return .init(field, .descending)
        case let other?: throw refusal("\(place) has the order \"\(other)\"")
        }
    }

    private static func refusal(_ reason: String) -> HearthError {
        HearthError(
            code: .invalidArgument, message: "The index configuration cannot be read: \(reason).")
    }
}
