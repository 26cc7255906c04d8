import HearthModel

/// Says which index a query lacks, with a link that would create the index.
///
/// The link carries an `Index` of the admin API: name 1, query_scope 2, fields 3 {field_path 1,
/// order 2, array_config 3}.
struct MissingIndex {
    let database: DatabaseID
    let collectionID: UTF8Text
    let scope: IndexDefinition.Scope
    let demand: IndexDemand

    /// The refusal in production's words.
    var error: HearthError {
        HearthError(code: .failedPrecondition, message: message)
    }

    private var message: String {
        if let vector = demand.vector { return vectorMessage(vector) }
        guard let single = demand.single else {
            let name = "\(group)/indexes/_"
            return "The query requires an index. You can create it here: "
                + "\(console)?create_composite=\(encoded(name, demand.fields))"
        }
        let kind =
            switch single.kind {
            case .ascending, .vector: "ASC"
            case .descending: "DESC"
            case .contains: "CONTAINS"
            }
        let name = "\(group)/fields/\(single.path)"
        return "The query requires a \(scope.rawValue)_\(kind) index for collection "
            + "\(collectionID) and field \(single.path). You can create it here: "
            + "\(console)?create_exemption=\(encoded(name, [single]))"
    }

    private func vectorMessage(_ vector: IndexDefinition.Field) -> String {
        let fields = demand.needed.map { field in
            field.kind == .contains
                ? " --field-config=array-config=CONTAINS,field-path=\(field.path)"
                : " --field-config=order=ASCENDING,field-path=\(field.path)"
        }.joined()
        var dimension = 0
        if case .vector(let count) = vector.kind { dimension = count }
        return "Missing vector index configuration. Please create the required index with the "
            + "following gcloud command: gcloud firestore indexes composite create "
            + "--project=\(database.project) --collection-group=\(collectionID) "
            + "--query-scope=\(scope.rawValue)\(fields) --field-config=vector-config="
            + "'{\"dimension\":\"\(dimension)\",\"flat\": \"{}\"}',field-path=\(vector.path)"
    }

    private var group: String {
        "projects/\(database.project)/databases/\(database.database)/collectionGroups/"
            + "\(collectionID)"
    }

    private var console: String {
        let root = "https://console.firebase.google.com/v1/r/project/\(database.project)/firestore"
        return database.database == "(default)"
            ? "\(root)/indexes" : "\(root)/databases/\(database.database)/indexes"
    }

    private func encoded(_ name: String, _ fields: [IndexDefinition.Field]) -> String {
        var bytes = Self.field(1, Array(name.utf8))
        bytes += [0x10, scope == .collection ? 1 : 2]
        for field in fields {
            var part = Self.field(1, Array(field.path.canonicalString.utf8))
            switch field.kind {
            case .ascending: part += [0x10, 1]
            case .descending: part += [0x10, 2]
            case .contains: part += [0x18, 1]
            case .vector: break  // Vectors have a message of their own.
            }
            bytes += Self.field(3, part)
        }
        return Base64.encodeForLinks(bytes)
    }

    /// A field of bytes.
    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        var count = bytes.count
        var result = [number << 3 | 2]
        while count >= 0x80 {
            result.append(UInt8(truncatingIfNeeded: count) | 0x80)
            count >>= 7
        }
        result.append(UInt8(count))
        return result + bytes
    }
}
