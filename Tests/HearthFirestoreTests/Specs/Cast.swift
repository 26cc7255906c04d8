import HearthModel
import HearthTesting

/// The documents and queries that specs are about.
enum Cast {
    static let rooms = Query(path: ResourcePath(["rooms"]))
    static let hall = room("hall")
    static let attic = room("attic")

    static func key(_ name: String) -> DocumentKey {
        guard let key = try? DocumentKey(parsing: "rooms/\(name)") else {
            preconditionFailure("Two segments name a document")
        }
        return key
    }

    static func room(_ name: String, size: Int64 = 1, at microseconds: Int64 = 1_000) -> Document {
        .found(
            key(name), at: FirestoreSpec.version(microseconds),
            MapValue([("size", .integer(size))]))
    }

    /// The same with a write that the backend has not answered.
    static func pending(_ name: String, size: Int64 = 1) -> Document {
        var document = room(name, size: size)
        document.markLocalMutations()
        return document
    }

    static func set(_ name: String, size: Int64 = 1) -> Mutation {
        Mutation(key: key(name), kind: .set(MapValue([("size", .integer(size))])))
    }

    static func query(sizeFrom size: Int64) -> Query {
        var query = rooms
        query.filters = [.field(FieldPath(["size"]), .greaterThanOrEqual, .integer(size))]
        return query
    }

    static func first(_ count: Int) -> Query {
        var query = rooms
        query.limit = .init(count)
        return query
    }

    static func token(_ text: String) -> ResumePoint {
        ResumeToken(Array(text.utf8)).map { .token($0) } ?? .start
    }
}
