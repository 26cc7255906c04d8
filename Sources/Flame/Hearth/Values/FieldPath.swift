import HearthModel

/// The way to a field inside a document: one name for each map on the way.
///
/// A plain string with dots means the same path if no name holds a dot or one of `~*/[]`.
public struct FieldPath: Hashable, Sendable {
    let model: HearthModel.FieldPath

    /// Takes names as they are. There must be at least one name, and no name may be empty.
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

    /// The path that stands for a document's own name in queries.
    public static func documentID() -> FieldPath {
        FieldPath(model: .documentID)
    }
}

/// A name of a field: a dotted string, or a `FieldPath`.
public protocol FieldName {
    /// The path of the name.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if a string names no field.
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
