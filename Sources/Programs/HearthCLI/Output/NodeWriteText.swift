import Hearth

/// Writes to the Realtime Database as objects: `queue show` prints them, `queue edit` reads them.
///
///     {"set": PATH, "value": VALUE}
///
/// A null removes all at the place; a path that ends in `/.priority` names a priority.
enum NodeWriteText {
    /// A write as an object.
    static func literal(_ write: PendingNodeWrite) -> ValueLiteral {
        Report().with("set", write.path)
            .with("value", write.value.map { ValueLiteral($0) } ?? .null).value
    }

    /// The write that an object describes.
    static func write(_ literal: ValueLiteral) throws(Failure) -> PendingNodeWrite {
        guard let fields = literal.fields else {
            throw Failure(.usage, "A write is an object, not \(literal.kind).")
        }
        for field in fields where !["set", "value"].contains(field.name) {
            throw Failure(.usage, "A write to an instance has no \"\(field.name)\".")
        }
        guard case .string(let path)? = literal["set"], let value = literal["value"] else {
            throw Failure(
                .usage, "A write to an instance has \"set\", a place, and \"value\".")
        }
        return PendingNodeWrite(path: path, value: try value.treeValue())
    }
}
