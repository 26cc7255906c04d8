package import HearthModel

/// What can be sent to a backend at all.
extension FirestoreCodec {
    /// The most bytes of a request that commits: Firestore's limit, 10 MiB.
    package static let commitByteCountMax = 10 << 20

    /// How many bytes of the request writes take, each with its tag and length.
    ///
    /// - Throws: As `encode(_: Mutation)`.
    package func sentByteCount(of mutations: [Mutation]) throws(CodecError) -> Int {
        try mutationBytes(mutations).count + mutations.count
    }

    /// Why writes can never be committed together; `nil` if that depends on what the backend holds.
    ///
    /// - Complexity: O(parts); beyond half the limit they are encoded, to be measured as they are sent.
    package func refusalToSend(_ mutations: [Mutation]) -> HearthError? {
        for mutation in mutations {
            if let refusal = SendingRules.refusal(of: mutation) { return refusal }
        }
        let bound = mutations.reduce(0) { $0 + byteCountBound(of: $1) }
        guard bound > Self.commitByteCountMax / 2 else { return nil }
        do throws(CodecError) {
            let head = 2 * (database.name.utf8.count + 8)
            let byteCount = try sentByteCount(of: mutations) + head
            guard byteCount > Self.commitByteCountMax else { return nil }
            return HearthError(
                code: .invalidArgument,
                message: "The writes can never be sent together: their request has \(byteCount) "
                    + "bytes, and Firestore takes \(Self.commitByteCountMax). Write less at a "
                    + "time.")
        } catch {
            return HearthError(
                code: .invalidArgument, message: "The writes cannot be sent. \(error)")
        }
    }

    /// The most bytes that a write may take.
    private func byteCountBound(of mutation: Mutation) -> Int {
        var bound = 64 + documentsPrefix.utf8.count + mutation.key.path.string.utf8.count
        switch mutation.kind {
        case .set(let fields): bound += fields.byteCountBound
        case .patch(let fields, let mask):
            bound += fields.byteCountBound + mask.paths.reduce(0) { $0 + Self.bound(of: $1) }
        case .delete, .verify: break
        }
        for transform in mutation.transforms {
            bound += 32 + Self.bound(of: transform.field)
            switch transform.operation {
            case .serverTimestamp: break
            case .increment(let operand), .maximum(let operand), .minimum(let operand):
                bound += operand.byteCountBound
            case .arrayUnion(let elements), .arrayRemove(let elements):
                bound += elements.reduce(0) { $0 + $1.byteCountBound }
            }
        }
        return bound
    }

    /// Quoting doubles a path's bytes at most.
    private static func bound(of path: FieldPath) -> Int {
        path.segments.reduce(8) { $0 + 2 * $1.utf8.count + 3 }
    }
}
