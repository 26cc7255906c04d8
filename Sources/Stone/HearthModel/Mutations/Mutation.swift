/// One write to one document.
package struct Mutation: Hashable, Sendable {
    /// What the write does.
    package enum Kind: Hashable, Sendable {
        /// Replaces the whole document.
        case set(MapValue)
        /// Changes the fields of a mask; one absent from the values is deleted.
        case patch(MapValue, FieldMask)
        /// Deletes the document.
        case delete
        /// Changes nothing and only checks the precondition. Transactions only.
        case verify
    }

    /// The document.
    package let key: DocumentKey
    /// What the write does.
    package let kind: Kind
    /// What must hold before.
    package let precondition: Precondition
    /// Changes that depend on the present value, made after `kind`.
    package let transforms: [FieldTransform]

    /// Writes to a document.
    ///
    /// - Parameters:
    ///   - key: The document.
    ///   - kind: What the write does.
    ///   - precondition: What must hold of the document before the write.
    ///   - transforms: Changes that depend on the present value, made after `kind`.
    package init(
        key: DocumentKey, kind: Kind, precondition: Precondition = .none,
        transforms: [FieldTransform] = []
    ) {
        self.key = key
        self.kind = kind
        self.precondition = precondition
        self.transforms = transforms
    }

    /// Whether the write can change its document; what only checks a condition cannot.
    package var isChange: Bool { kind != .verify || !transforms.isEmpty }

    /// What the backend answered to one write.
    package struct Result: Hashable, Sendable {
        /// When the document changed; the commit's time if the backend left it out.
        package let version: SnapshotVersion
        /// One value for each transform, in order.
        package let transformResults: [Value]

        /// Takes the answer's parts.
        package init(version: SnapshotVersion, transformResults: [Value] = []) {
            self.version = version
            self.transformResults = transformResults
        }
    }
}

extension Mutation {
    /// Shows the write in a document before the backend has spoken.
    ///
    /// - Parameters:
    ///   - document: The document as it is locally; unchanged if the precondition fails.
    ///   - mask: The fields that earlier local writes changed; `nil` for the whole document.
    ///   - writtenAt: When the write was accepted.
    /// - Returns: The fields changed by then; `nil` for the whole document.
    /// - Source: firestore `model/mutation`, apply to the local view.
    package func apply(
        to document: inout Document, mask: FieldMask?, writtenAt: Timestamp
    ) -> FieldMask? {
        guard precondition.isMet(by: document) else { return mask }
        let results = transforms.map {
            $0.operation.localResult(previous: document[$0.field], writtenAt: writtenAt)
        }
        switch kind {
        case .set(let fields):
            document.becomeFound(at: document.version, transformed(fields, results))
            document.markLocalMutations()
            return nil
        case .patch(let values, let patched):
            let fields = Self.patched(document.fields, values, patched)
            document.becomeFound(at: document.version, transformed(fields, results))
            document.markLocalMutations()
            return mask?.union(patched.paths + transforms.map(\.field))
        case .delete:
            document.becomeMissing(at: document.version)
            document.markLocalMutations()
            return nil
        case .verify:
            return mask
        }
    }

    /// Brings a cached remote document to what the backend's acknowledgement means.
    ///
    /// - Throws: `HearthError` `internalError` if the backend answered with another number of
    ///   transform results than there are transforms.
    package func applyAcknowledged(to document: inout Document, _ result: Result)
        throws(HearthError)
    {
        guard result.transformResults.count == transforms.count || transforms.isEmpty else {
            throw HearthError(
                code: .internalError,
                message: "The backend answered \(result.transformResults.count) transform results "
                    + "to \(transforms.count) transforms of \(key).")
        }
        let results = zip(transforms, result.transformResults).map {
            $0.operation.acknowledgedResult(previous: document[$0.field], answer: $1)
        }
        switch kind {
        case .set(let fields):
            document.becomeFound(at: result.version, transformed(fields, results))
            document.markCommittedMutations()
        case .patch(let values, let mask):
            guard precondition.isMet(by: document) else {
                document.becomeUnknown(at: result.version)
                return
            }
            let fields = Self.patched(document.fields, values, mask)
            document.becomeFound(at: result.version, transformed(fields, results))
            document.markCommittedMutations()
        case .delete:
            document.becomeMissing(at: result.version)
            document.markCommittedMutations()
        case .verify:
            break
        }
    }

    /// A patch that remembers the present values of fields whose transforms are not idempotent,
    /// or `nil` if there are none.
    package func baseMutation(for document: Document) -> Mutation? {
        var base = MapValue.empty
        var paths: [FieldPath] = []
        for transform in transforms {
            guard let value = transform.operation.baseValue(previous: document[transform.field])
            else { continue }
            base.set(transform.field, to: value)
            paths.append(transform.field)
        }
        if paths.isEmpty { return nil }
        return Mutation(
            key: key, kind: .patch(base, FieldMask(paths)), precondition: .exists(true))
    }

    /// The one write that has the same effect as all local writes in `document`.
    ///
    /// - Parameters:
    ///   - document: The document with its local writes.
    ///   - mask: The fields that they changed; `nil` for the whole document.
    /// - Returns: `nil` if there is no local write.
    /// - Source: firestore `model/mutation`, overlay mutation.
    package static func overlay(of document: Document, mask: FieldMask?) -> Mutation? {
        guard document.hasLocalMutations else { return nil }
        guard let mask else {
            return Mutation(
                key: document.key,
                kind: document.isMissing ? .delete : .set(document.fields))
        }
        // A merge of nothing changes no field, but makes an empty document of a missing one.
        if mask.paths.isEmpty, !document.isFound || !document.fields.isEmpty { return nil }
        var values = MapValue.empty
        var paths: Set<FieldPath> = []
        for field in mask.paths where !paths.contains(field) {
            var path = field
            var value = document[path]
            if value == nil, path.count > 1 {
                // The patch writes the parent's value for a nested field that is gone; the parent
                // may be gone too.
                path = path.parent
                value = document[path]
            }
            if let value { values.set(path, to: value) } else { values.remove(path) }
            paths.insert(path)
        }
        return Mutation(key: document.key, kind: .patch(values, FieldMask(paths)))
    }

    /// `fields` with the masked paths taken from `values`, or removed where absent there.
    package static func patched(_ fields: MapValue, _ values: MapValue, _ mask: FieldMask)
        -> MapValue
    {
        var result = fields
        for path in mask.paths where path.count > 0 {
            if let value = values[path] {
                result.set(path, to: value)
            } else {
                result.remove(path)
            }
        }
        return result
    }

    private func transformed(_ fields: MapValue, _ results: [Value]) -> MapValue {
        var result = fields
        for (transform, value) in zip(transforms, results) {
            result.set(transform.field, to: value)
        }
        return result
    }
}
