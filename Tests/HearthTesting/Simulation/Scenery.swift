import HearthFirestore
import HearthModel

/// The few documents, users and writes of simulations; few, so that they meet.
enum Scenery {
    /// Every document there can be.
    static let keys: [DocumentKey] = ["a", "b", "c", "d", "e", "f"].flatMap { name in
        ["rooms/\(name)", "rooms/a/items/\(name)"].compactMap { path in
            (try? ResourcePath(parsing: path)).flatMap { DocumentKey($0) }
        }
    }

    /// Everyone who signs in.
    static let users = [UserID("ann"), UserID("bob"), .unauthenticated]

    /// Where daemons mark their batches.
    static let marks = ResourcePath(["marks"])

    static let size = FieldPath(["size"])
    static let tags = FieldPath(["tags"])
    private static let seen = FieldPath(["seen"])

    /// A random write to a random document of the list.
    ///
    /// - Parameter version: When the backend last changed a document.
    static func mutation<R: RandomNumberGenerator>(
        of keys: [DocumentKey], using random: inout R, version: (DocumentKey) -> SnapshotVersion
    ) -> Mutation {
        guard let key = keys.randomElement(using: &random) else {
            preconditionFailure("A writer has at least one document")
        }
        let precondition = precondition(of: version(key), using: &random)
        let size = MapValue([("size", number(using: &random))])
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
            let fields = MapValue([
                ("size", number(using: &random)), ("tags", .array([tag(using: &random)])),
            ])
            return Mutation(key: key, kind: .set(fields), precondition: precondition)
        case 3, 4:
            return Mutation(key: key, kind: .delete, precondition: precondition)
        case 5, 6:
            return Mutation(
                key: key, kind: .patch(size, FieldMask([Self.size])), precondition: .exists(true))
        case 7:
            return Mutation(key: key, kind: .patch(size, FieldMask([Self.size])))
        case 8:
            // Deletes a field.
            return Mutation(key: key, kind: .patch(.empty, FieldMask([tags])))
        default:
            let transforms = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                transform(using: &random)
            }
            return Mutation(
                key: key, kind: .patch(.empty, .empty), precondition: precondition,
                transforms: transforms[0].field == transforms.last?.field
                    ? [transforms[0]] : transforms)
        }
    }

    private static func precondition<R: RandomNumberGenerator>(
        of version: SnapshotVersion, using random: inout R
    ) -> Precondition {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .exists(true)
        case 1: .exists(false)
        case 2 where version > .zero: .updateTime(version)
        default: .none
        }
    }

    private static func transform<R: RandomNumberGenerator>(
        using random: inout R
    ) -> FieldTransform {
        let number = number(using: &random)
        let elements = [tag(using: &random), tag(using: &random)]
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            return FieldTransform(field: size, operation: .increment(.integer(1)))
        case 2: return FieldTransform(field: size, operation: .maximum(number))
        case 3: return FieldTransform(field: size, operation: .minimum(number))
        case 4: return FieldTransform(field: tags, operation: .arrayUnion(elements))
        case 5: return FieldTransform(field: tags, operation: .arrayRemove(elements))
        default: return FieldTransform(field: seen, operation: .serverTimestamp)
        }
    }

    static func number<R: RandomNumberGenerator>(using random: inout R) -> Value {
        .integer(Int64.random(in: 0..<5, using: &random))
    }

    static func tag<R: RandomNumberGenerator>(using random: inout R) -> Value {
        .string(["x", "y", "z"].randomElement(using: &random) ?? "x")
    }
}
