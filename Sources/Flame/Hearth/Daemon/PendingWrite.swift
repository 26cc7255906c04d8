import HearthModel

/// One write of a batch that waits or was rejected, as the daemon will send the write.
public struct PendingWrite: Sendable {
    /// What a write does to its document.
    public enum Operation: Sendable {
        /// Replaces the document.
        case set([String: any Sendable])
        /// Changes some fields and deletes others.
        case change([FieldPath: any Sendable], deleting: [FieldPath])
        /// Deletes the document.
        case delete
        /// Changes nothing: the write only checks its precondition.
        case check
    }

    /// A change of a field that the backend computes.
    public enum Order: Sendable {
        /// The field becomes the time of the commit.
        case serverTimestamp
        /// The field grows by a number.
        case increment(any Sendable)
        /// The field becomes the greater of its value and a number.
        case maximum(any Sendable)
        /// The field becomes the smaller of its value and a number.
        case minimum(any Sendable)
        /// The field's array gets the elements that it does not hold yet.
        case arrayUnion([any Sendable])
        /// The field's array loses the elements.
        case arrayRemove([any Sendable])
    }

    /// The document's path.
    public var documentPath: String
    /// What the write does to the document.
    public var operation: Operation
    /// The changes that the backend computes after `operation`, in this order.
    public var orders: [(field: FieldPath, order: Order)]
    /// Whether the document must exist (true) or must not (false); `nil` for no condition.
    public var mustExist: Bool?
    /// When the document must have been changed last; `nil` for no condition. A write cannot have
    /// this condition and `mustExist` together.
    public var mustHaveUpdateTime: Timestamp?
    /// The fields of a `.set` that came from the queue, told apart by the bytes of their names.
    package private(set) var spelledFields: SpelledMap?

    /// Describes a write.
    ///
    /// - Parameters:
    ///   - documentPath: The document's path.
    ///   - operation: What the write does to the document.
    ///   - orders: The changes that the backend computes after `operation`, in this order.
    ///   - mustExist: Whether the document must exist (true) or must not (false); `nil` for no
    ///     condition.
    ///   - mustHaveUpdateTime: When the document must have been changed last; `nil` for no
    ///     condition. At most one of the two conditions may be given.
    public init(
        documentPath: String, operation: Operation,
        orders: [(field: FieldPath, order: Order)] = [], mustExist: Bool? = nil,
        mustHaveUpdateTime: Timestamp? = nil
    ) {
        self.documentPath = documentPath
        self.operation = operation
        self.orders = orders
        self.mustExist = mustExist
        self.mustHaveUpdateTime = mustHaveUpdateTime
    }
}

// MARK: - From the queue

extension PendingWrite {
    init(_ mutation: Mutation, in firestore: Firestore) {
        let decoder = ValueDecoder(firestore: firestore, behavior: .none, keepsSpellings: true)
        documentPath = mutation.key.path.string
        switch mutation.kind {
        case .set(let fields):
            let spelled = decoder.spelled(fields)
            (operation, spelledFields) = (.set(spelled.dictionary), spelled)
        case .patch(let values, let mask):
            var changed: [FieldPath: any Sendable] = [:]
            var deleted: [FieldPath] = []
            for path in mask.paths {
                let field = FieldPath(path.segments)
                if let value = values[path] {
                    changed[field] = decoder.decode(value)
                } else {
                    deleted.append(field)
                }
            }
            operation = .change(changed, deleting: deleted)
        case .delete: operation = .delete
        case .verify: operation = .check
        }
        orders = mutation.transforms.map {
            (FieldPath($0.field.segments), Order($0.operation, decoder))
        }
        switch mutation.precondition {
        case .none: break
        case .exists(let exists): mustExist = exists
        case .updateTime(let version): mustHaveUpdateTime = Timestamp(version.timestamp)
        }
    }
}

extension PendingWrite.Order {
    fileprivate init(_ operation: FieldTransform.Operation, _ decoder: ValueDecoder) {
        self =
            switch operation {
            case .serverTimestamp: .serverTimestamp
            case .increment(let number): .increment(decoder.decode(number))
            case .maximum(let number): .maximum(decoder.decode(number))
            case .minimum(let number): .minimum(decoder.decode(number))
            case .arrayUnion(let elements): .arrayUnion(elements.map(decoder.decode))
            case .arrayRemove(let elements): .arrayRemove(elements.map(decoder.decode))
            }
    }

    fileprivate func operation() throws(FirestoreError) -> FieldTransform.Operation {
        switch self {
        case .serverTimestamp: return .serverTimestamp
        case .increment(let number): return .increment(try Self.number(number))
        case .maximum(let number): return .maximum(try Self.number(number))
        case .minimum(let number): return .minimum(try Self.number(number))
        case .arrayUnion(let elements): return .arrayUnion(try UserData.encodeElements(elements))
        case .arrayRemove(let elements): return .arrayRemove(try UserData.encodeElements(elements))
        }
    }

    private static func number(_ any: any Sendable) throws(FirestoreError) -> Value {
        let value = try UserData.encodeOperand(any)
        switch value {
        case .integer, .double: return value
        case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            throw FirestoreError(.invalidArgument, "A field can only be counted with a number.")
        }
    }
}

// MARK: - Into the queue

extension PendingWrite {
    /// The write in the form for the daemon, checked like any write.
    ///
    /// - Throws: `invalidArgument` for a bad path, for data that Firestore cannot hold, or for two
    ///   preconditions.
    func mutation() throws(FirestoreError) -> Mutation {
        let key: DocumentKey
        do throws(PathError) {
            key = try DocumentKey(parsing: documentPath)
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
        var transforms: [FieldTransform] = []
        for (field, order) in orders {
            transforms.append(FieldTransform(field: field.model, operation: try order.operation()))
        }
        return Mutation(
            key: key, kind: try kind(at: key), precondition: try precondition(),
            transforms: transforms)
    }

    private func kind(at key: DocumentKey) throws(FirestoreError) -> Mutation.Kind {
        switch operation {
        case .set(let fields): return try UserData.set(fields, at: key).kind
        case .change(let changed, let deleted):
            var data: [AnyHashable: Any] = changed
            for field in deleted { data[field] = FieldValue.delete() }
            return try UserData.update(data, at: key).kind
        case .delete: return .delete
        case .check: return .verify
        }
    }

    private func precondition() throws(FirestoreError) -> HearthModel.Precondition {
        switch (mustExist, mustHaveUpdateTime) {
        case (nil, nil): return .none
        case (let exists?, nil): return .exists(exists)
        case (nil, let time?): return .updateTime(SnapshotVersion(time.model))
        case (_?, _?):
            throw FirestoreError(
                .invalidArgument,
                "A write asks for the document's existence or its update time, not for both.")
        }
    }
}
