package import HearthModel

/// What Firestore accepts as a write before Firestore looks at documents.
package enum WriteRules {
    /// The transforms of one write at most.
    package static let transformCountMax = 500
    /// The writes of one batch write at most; a commit has no such limit.
    package static let batchWriteCountMax = 500
    /// The most bytes of documents that one commit writes, by Firestore's own rule of sizes: as
    /// many as a request may have.
    package static let commitByteCountMax = 10 * 1_024 * 1_024

    /// Refuses a write that no document can take.
    ///
    /// - Parameters:
    ///   - mutation: The write.
    ///   - database: The database that the write's names must be of.
    ///   - judge: Whether an emulator or the hosted service judges.
    /// - Throws: `HearthError` `invalidArgument`.
    package static func check(
        _ mutation: Mutation, in database: DatabaseID, by judge: WriteJudge = .emulator
    ) throws(HearthError) {
        try NameRules.check(mutation.key.path, in: database)
        switch mutation.kind {
        case .set(let fields): try ValueRules.check(fields, by: judge)
        case .patch(let values, let mask):
            for path in mask.paths {
                try ValueRules.check(path)
                // Values outside the mask are ignored, so they are not looked at.
                if let value = values[path] {
                    try ValueRules.check(
                        MapValue([(path.segments[0], nested(value, at: path))]), by: judge)
                }
            }
        case .delete: break
        case .verify:
            guard mutation.precondition != .none else {
                throw .argument("a verify must contain a precondition")
            }
        }
        guard mutation.transforms.count <= transformCountMax else {
            throw .argument(
                "A write can have at most \(transformCountMax) transforms; this one has "
                    + "\(mutation.transforms.count).")
        }
        if judge == .emulator, let field = mutation.transforms.fieldAroundAnother {
            throw .argument(
                "Cannot transform property \(field) and its nested property at the same time.")
        }
        for transform in mutation.transforms { try check(transform, judge) }
    }

    /// Refuses a batch write of too many writes.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    package static func checkBatchCount(_ count: Int) throws(HearthError) {
        guard count <= batchWriteCountMax else {
            throw .argument("maximum \(batchWriteCountMax) writes allowed per request")
        }
    }

    /// Refuses writes if an earlier write makes the condition of a later write impossible.
    ///
    /// No stored document can make such writes possible. The check therefore comes before
    /// everything that depends on stored documents: other conditions, rules, locks. The check
    /// ignores a condition on an update time that an earlier write has moved on, because whether
    /// the earlier write changes anything depends on the stored document.
    ///
    /// - Throws: `HearthError` `invalidArgument` that names the document.
    package static func checkOrder(
        of writes: [Mutation], in database: DatabaseID
    ) throws(HearthError) {
        try checkVerifications(of: writes)
        guard writes.count > 1, writes.contains(where: { $0.precondition.isOnExistence }) else {
            return
        }
        var isThere: [DocumentKey: Bool] = [:]
        for write in writes {
            if case .exists(let wanted) = write.precondition,
                let known = isThere[write.key], known != wanted
            {
                let reason =
                    known
                    ? "is written by an earlier write of the same commit, so it cannot be created"
                    : "is deleted by an earlier write of the same commit, so it cannot exist"
                throw .argument("\(database.documentsName)/\(write.key) \(reason).")
            }
            switch write.kind {
            case .set, .patch: isThere[write.key] = true
            case .delete: isThere[write.key] = false
            case .verify: break
            }
        }
    }

    /// Refuses a request that verifies a document twice, or verifies a document and writes to the
    /// same document.
    private static func checkVerifications(of writes: [Mutation]) throws(HearthError) {
        guard writes.count > 1, writes.contains(where: { $0.kind == .verify }) else { return }
        var isVerified: [DocumentKey: Bool] = [:]
        for write in writes {
            let verifies = write.kind == .verify
            if let earlier = isVerified.updateValue(verifies, forKey: write.key) {
                guard !earlier, !verifies else {
                    let what =
                        earlier && verifies
                        ? "verified more than once"
                        : earlier ? "verified and then written" : "written and then verified"
                    throw .argument(
                        "the same document cannot be \(what) in a single request")
                }
            }
        }
    }

    private static func check(
        _ transform: FieldTransform, _ judge: WriteJudge
    ) throws(HearthError) {
        try ValueRules.check(transform.field)
        let field = transform.field.canonicalString
        switch transform.operation {
        case .serverTimestamp:
            return
        case .increment(let operand), .maximum(let operand), .minimum(let operand):
            guard operand.isNumber else { throw .argument("Input must be int64 or double.") }
        case .arrayUnion(let elements), .arrayRemove(let elements):
            try ValueRules.check(.array(elements), of: field, by: judge)
        }
    }

    /// The value inside the maps of its path: the depth of these maps counts too.
    private static func nested(_ value: Value, at path: FieldPath) -> Value {
        path.segments.dropFirst().reversed().reduce(value) { .map(MapValue([($1, $0)])) }
    }
}

extension Precondition {
    fileprivate var isOnExistence: Bool {
        if case .exists = self { return true }
        return false
    }
}
