import HearthModel

/// Applies the writes of a commit in order, to documents that nobody else sees yet.
struct WriteApplication {
    /// The database, for the names in refusals.
    let database: DatabaseID
    /// The commit's time.
    let version: SnapshotVersion
    private let documents: DocumentTable
    /// The written documents, in the order of each document's first write.
    private var written: [DocumentChange] = []
    /// Where the documents are in `written`.
    private var places: [DocumentKey: Int] = [:]
    private var byteCount = 0

    /// Begins a commit on documents as they are.
    ///
    /// - Parameter count: How many writes the commit has.
    init(
        database: DatabaseID, version: SnapshotVersion, documents: DocumentTable, count: Int = 0
    ) {
        self.database = database
        self.version = version
        self.documents = documents
        written.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// The documents that the writes changed, in the order of each document's first write.
    var changes: [DocumentChange] {
        func isChange(_ change: DocumentChange) -> Bool {
            !(change.new.isMissing && change.old.isMissing)
                && change.new.version != change.old.version
        }
        return written.allSatisfy(isChange) ? written : written.filter(isChange)
    }

    /// A document as the writes so far have left it.
    func document(_ key: DocumentKey) -> Document {
        places[key].map { written[$0].new } ?? documents.document(key)
    }

    /// Makes one write.
    ///
    /// - Throws: `HearthError` if the precondition fails or the document cannot become so; the whole
    ///   commit is then void.
    mutating func apply(_ mutation: Mutation) throws(HearthError) -> Mutation.Result {
        let document = document(mutation.key)
        try check(mutation.precondition, of: document)
        switch mutation.kind {
        case .verify:
            return Mutation.Result(version: document.isFound ? document.version : .zero)
        case .delete:
            if document.isFound { put(.missing(mutation.key, at: version), instead: document) }
            return Mutation.Result(version: .zero)
        case .set(let fields):
            return try update(document, to: fields, mutation.transforms)
        case .patch(let values, let mask):
            let fields = Mutation.patched(document.fields, values, mask)
            return try update(document, to: fields, mutation.transforms)
        }
    }

    private mutating func update(
        _ document: Document, to fields: MapValue, _ transforms: [FieldTransform]
    ) throws(HearthError) -> Mutation.Result {
        var fields = fields
        var results: [Value] = []
        for transform in transforms {
            let value = transform.operation.committedResult(
                previous: fields[transform.field], commitTime: requestTime)
            fields.set(transform.field, to: value)
            results.append(transform.operation.answer(value))
        }
        if document.isFound, document.fields == fields {
            // Nothing changed, so nothing happened: the update time stays.
            return Mutation.Result(version: document.version, transformResults: results)
        }
        let new = Document.found(
            document.key, at: version, fields,
            createdAt: document.isFound ? document.createdAt : version)
        if !transforms.isEmpty { try ValueRules.check(fields) }
        byteCount += try ValueRules.checkSize(of: new, in: database)
        guard byteCount <= WriteRules.commitByteCountMax else {
            throw .argument("Transaction too big. Decrease transaction size.")
        }
        put(new, instead: document)
        return Mutation.Result(version: version, transformResults: results)
    }

    private mutating func put(_ new: Document, instead old: Document) {
        if let place = places[new.key] {
            written[place] = DocumentChange(old: written[place].old, new: new)
        } else {
            places[new.key] = written.count
            written.append(DocumentChange(old: old, new: new))
        }
    }

    /// The time that transforms see has whole milliseconds.
    var requestTime: Timestamp {
        Timestamp(
            seconds: version.timestamp.seconds,
            nanoseconds: version.timestamp.nanoseconds / 1_000_000 * 1_000_000)
    }

    private func check(_ precondition: Precondition, of document: Document) throws(HearthError) {
        var name: String { "\(database.documentsName)/\(document.key)" }
        switch precondition {
        case .none:
            return
        case .exists(true):
            guard document.isFound else {
                throw HearthError(code: .notFound, message: "No document to update: \(name)")
            }
        case .exists(false):
            guard !document.isFound else {
                throw HearthError(
                    code: .alreadyExists, message: "Document already exists: \(name)")
            }
        case .updateTime(let wanted):
            let stored = document.isFound ? document.version : .zero
            if wanted == stored { return }
            if document.isFound, wanted > stored {
                throw .argument(
                    "Invalid base version, it is greater than the stored version: \(name)")
            }
            throw HearthError(
                code: .failedPrecondition,
                message: "the stored version (\(stored.timestamp.microseconds)) does not match "
                    + "the required base version (\(wanted.timestamp.microseconds))")
        }
    }
}

extension FieldTransform.Operation {
    /// What the backend answers when the field became `value`: null for arrays.
    fileprivate func answer(_ value: Value) -> Value {
        switch self {
        case .arrayUnion, .arrayRemove: .null
        case .serverTimestamp, .increment, .maximum, .minimum: value
        }
    }
}
