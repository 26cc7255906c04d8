import HearthFirestore
import HearthModel

/// Short spellings for what machine tests are made of.
func key(_ path: String) -> DocumentKey {
    guard let key = try? DocumentKey(parsing: path) else {
        preconditionFailure("\(path) is no document's path")
    }
    return key
}

func version(_ microseconds: Int64) -> SnapshotVersion {
    SnapshotVersion(Timestamp(microseconds: microseconds))
}

func document(
    _ path: String, at microseconds: Int64 = 1_000, _ fields: MapValue = [:],
    pending: Document.State = .synced
) -> Document {
    var document = Document.found(key(path), at: version(microseconds), fields)
    switch pending {
    case .synced: break
    case .localMutations: document.markLocalMutations()
    case .committedMutations: document.markCommittedMutations()
    }
    return document
}

func collection(_ path: String) -> Query {
    Query(path: (try? ResourcePath(parsing: path)) ?? .root)
}

func token(_ text: String) -> ResumeToken? { ResumeToken(Array(text.utf8)) }

let start = Timestamp(seconds: 1_000, nanoseconds: 0)
