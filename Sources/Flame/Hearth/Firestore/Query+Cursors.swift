import HearthModel

/// The start and the end of the results, by values for the first sort keys or by a document.
///
/// A query reports a mistake in its cursors when the query is read or listened to.
extension Query {
    /// Starts at the values. A result with the values themselves is part of the results.
    public func start(at fieldValues: [Any]) -> Query {
        with { query throws(FirestoreError) in
            query.startAt = Bound(try query.position(fieldValues), isInclusive: true)
        }
    }

    /// Starts after the values. A result with the values themselves is left out.
    public func start(after fieldValues: [Any]) -> Query {
        with { query throws(FirestoreError) in
            query.startAt = Bound(try query.position(fieldValues), isInclusive: false)
        }
    }

    /// Ends before the values. A result with the values themselves is left out.
    public func end(before fieldValues: [Any]) -> Query {
        with { query throws(FirestoreError) in
            query.endAt = Bound(try query.position(fieldValues), isInclusive: false)
        }
    }

    /// Ends at the values. A result with the values themselves is part of the results.
    public func end(at fieldValues: [Any]) -> Query {
        with { query throws(FirestoreError) in
            query.endAt = Bound(try query.position(fieldValues), isInclusive: true)
        }
    }

    /// Starts at a document. The document must have all fields that the query sorts by.
    public func start(atDocument document: DocumentSnapshot) -> Query {
        with { query throws(FirestoreError) in
            query.startAt = Bound(try query.position(of: document), isInclusive: true)
        }
    }

    /// Starts after a document. The document must have all fields that the query sorts by.
    public func start(afterDocument document: DocumentSnapshot) -> Query {
        with { query throws(FirestoreError) in
            query.startAt = Bound(try query.position(of: document), isInclusive: false)
        }
    }

    /// Ends before a document. The document must have all fields that the query sorts by.
    public func end(beforeDocument document: DocumentSnapshot) -> Query {
        with { query throws(FirestoreError) in
            query.endAt = Bound(try query.position(of: document), isInclusive: false)
        }
    }

    /// Ends at a document. The document must have all fields that the query sorts by.
    public func end(atDocument document: DocumentSnapshot) -> Query {
        with { query throws(FirestoreError) in
            query.endAt = Bound(try query.position(of: document), isInclusive: true)
        }
    }
}

extension HearthModel.Query {
    fileprivate func position(_ fieldValues: [Any]) throws(FirestoreError) -> [Value] {
        guard fieldValues.count <= explicitOrderBys.count else {
            throw FirestoreError(
                .invalidArgument,
                "A cursor has \(fieldValues.count) values, the query sorts by "
                    + "\(explicitOrderBys.count) fields.")
        }
        var position: [Value] = []
        for (any, orderBy) in zip(fieldValues, explicitOrderBys) {
            let value = try UserData.encodeOperand(any)
            position.append(orderBy.field.isDocumentID ? try nameOperand(value) : value)
        }
        return position
    }

    fileprivate func position(of snapshot: DocumentSnapshot) throws(FirestoreError) -> [Value] {
        guard let document = snapshot.document else {
            throw FirestoreError(
                .notFound, "\(snapshot.reference.path) does not exist; it cannot be a cursor.")
        }
        var position: [Value] = []
        for orderBy in orderBys {
            if orderBy.field.isDocumentID {
                position.append(.reference(snapshot.reference.name))
                continue
            }
            guard let value = document[orderBy.field] else {
                throw FirestoreError(
                    .invalidArgument,
                    "\(document.key) has no field \(orderBy.field), by which the query sorts.")
            }
            if case .serverTimestamp = value {
                throw FirestoreError(
                    .invalidArgument,
                    "\(orderBy.field) of \(document.key) is a server timestamp not set yet.")
            }
            position.append(value)
        }
        return position
    }
}
