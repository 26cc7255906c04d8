import HearthModel

/// The way to a field inside a document: one name for each map on the way.
///
/// A plain string means the same where its names hold none of `~*/[]` and no dot.
public struct FieldPath: Hashable, Sendable {
    let model: HearthModel.FieldPath

    /// Takes names as they are. There must be at least one, and none may be empty.
    public init(_ fieldNames: [String]) {
        precondition(
            !fieldNames.isEmpty && fieldNames.allSatisfy { !$0.isEmpty },
            "A field path needs names that are not empty")
        model = HearthModel.FieldPath(fieldNames)
    }

    private init(model: HearthModel.FieldPath) {
        self.model = model
    }

    /// The names, one for each map on the way.
    public var names: [String] { model.segments }

    /// By which queries mean a document's own name.
    public static func documentID() -> FieldPath {
        FieldPath(model: .documentID)
    }
}

/// What names a field: a dotted string, or a `FieldPath`.
public protocol FieldName {
    /// The path, or what is wrong with the string.
    func resolvedFieldPath() throws -> FieldPath
}

extension FieldPath: FieldName {
    public func resolvedFieldPath() -> FieldPath { self }
}

extension String: FieldName {
    public func resolvedFieldPath() throws -> FieldPath {
        do throws(PathError) {
            return FieldPath(try HearthModel.FieldPath(dotted: self).segments)
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
    }
}

extension FieldName {
    func modelPath() throws(FirestoreError) -> HearthModel.FieldPath {
        do {
            return try resolvedFieldPath().model
        } catch {
            throw FirestoreError(any: error)
        }
    }
}
