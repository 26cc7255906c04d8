import HearthModel

/// A question for the children of a place, for one read or for observers. Each method returns a new
/// query.
///
/// A mistake in a query (two orders, a limit of 0) throws no error at once. The query reports the
/// first mistake when it is read or observed.
public class DatabaseQuery: @unchecked Sendable {  // All it stores is `let`.
    /// The `Database` that the query asks.
    public let database: Database
    let path: RealtimePath
    let constraints: QueryConstraints
    /// The first mistake in the query; `nil` if there is none.
    let fault: DatabaseError?

    init(
        database: Database, path: RealtimePath, constraints: QueryConstraints = QueryConstraints(),
        fault: DatabaseError? = nil
    ) {
        self.database = database
        self.path = path
        self.constraints = constraints
        self.fault = fault
    }

    /// The place that the query asks about.
    public var ref: DatabaseReference { DatabaseReference(database: database, path: path) }

    /// What a listener of the query asks for.
    var target: ListenTarget { ListenTarget(path, constraints.parameters) }

    /// Looks for a mistake before `keepSynced`, which keeps silent about mistakes.
    ///
    /// - Throws: The first mistake.
    package func validate() throws(DatabaseError) { _ = try validated() }

    /// The target, if the query has no mistake.
    ///
    /// - Throws: The first mistake.
    func validated() throws(DatabaseError) -> ListenTarget {
        if let fault { throw fault }
        try constraints.checkOrder()
        return target
    }

    /// A copy with the change, or with the error that `change` throws.
    private func with(
        _ change: (inout QueryConstraints) throws(DatabaseError) -> Void
    ) -> DatabaseQuery {
        if fault != nil { return self }
        var constraints = constraints
        do throws(DatabaseError) {
            try change(&constraints)
            return DatabaseQuery(database: database, path: path, constraints: constraints)
        } catch {
            return DatabaseQuery(
                database: database, path: path, constraints: self.constraints, fault: error)
        }
    }
}

/// Order and number.
extension DatabaseQuery {
    /// Sorts by what lies at a path below each child.
    public func queryOrdered(byChild key: String) -> DatabaseQuery {
        with { query throws(DatabaseError) in try query.sort(byChild: key) }
    }

    /// Sorts by the keys of the children.
    public func queryOrderedByKey() -> DatabaseQuery {
        with { query throws(DatabaseError) in try query.sort(by: .key, "queryOrderedByKey()") }
    }

    /// Sorts by the values of the children.
    public func queryOrderedByValue() -> DatabaseQuery {
        with { query throws(DatabaseError) in try query.sort(by: .value, "queryOrderedByValue()") }
    }

    /// Sorts by the priorities of the children, as a query without an order does.
    public func queryOrderedByPriority() -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.sort(by: .priority, "queryOrderedByPriority()")
        }
    }

    /// Keeps the first children, 1 or more.
    public func queryLimited(toFirst limit: UInt) -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.limit(
                to: Int(clamping: limit), from: .first, "queryLimited(toFirst:)")
        }
    }

    /// Keeps the last children, 1 or more.
    public func queryLimited(toLast limit: UInt) -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.limit(to: Int(clamping: limit), from: .last, "queryLimited(toLast:)")
        }
    }
}

/// Bounds. A value is a string, a flag, a number or `nil`; in the order of keys, a string, which need
/// not be a key.
extension DatabaseQuery {
    /// Begins at a value.
    public func queryStarting(atValue startValue: Any?) -> DatabaseQuery {
        starting("queryStarting(atValue:)", startValue, nil, isInclusive: true)
    }

    /// Begins at a value, and among children of this value at a key.
    public func queryStarting(atValue startValue: Any?, childKey: String?) -> DatabaseQuery {
        starting("queryStarting(atValue:childKey:)", startValue, childKey, isInclusive: true)
    }

    /// Begins after a value.
    public func queryStarting(afterValue startAfterValue: Any?) -> DatabaseQuery {
        starting("queryStarting(afterValue:)", startAfterValue, nil, isInclusive: false)
    }

    /// Begins after a value and, among children of this value, after a key.
    public func queryStarting(
        afterValue startAfterValue: Any?, childKey: String?
    ) -> DatabaseQuery {
        starting(
            "queryStarting(afterValue:childKey:)", startAfterValue, childKey, isInclusive: false)
    }

    /// Ends at a value.
    public func queryEnding(atValue endValue: Any?) -> DatabaseQuery {
        ending("queryEnding(atValue:)", endValue, nil, isInclusive: true)
    }

    /// Ends at a value, and among children of this value at a key.
    public func queryEnding(atValue endValue: Any?, childKey: String?) -> DatabaseQuery {
        ending("queryEnding(atValue:childKey:)", endValue, childKey, isInclusive: true)
    }

    /// Ends before a value.
    public func queryEnding(beforeValue endBeforeValue: Any?) -> DatabaseQuery {
        ending("queryEnding(beforeValue:)", endBeforeValue, nil, isInclusive: false)
    }

    /// Ends before a value and, among children of this value, before a key.
    public func queryEnding(beforeValue endBeforeValue: Any?, childKey: String?) -> DatabaseQuery {
        ending("queryEnding(beforeValue:childKey:)", endBeforeValue, childKey, isInclusive: false)
    }

    /// Keeps the children that equal a value.
    public func queryEqual(toValue value: Any?) -> DatabaseQuery {
        equal("queryEqual(toValue:)", value, nil)
    }

    /// Keeps the child of a key, if the child equals a value.
    public func queryEqual(toValue value: Any?, childKey: String?) -> DatabaseQuery {
        equal("queryEqual(toValue:childKey:)", value, childKey)
    }

    private func starting(
        _ call: String, _ value: Any?, _ key: String?, isInclusive: Bool
    ) -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.start(
                at: QueryConstraints.End(
                    call: call, value: value, key: key, isInclusive: isInclusive))
        }
    }

    private func ending(
        _ call: String, _ value: Any?, _ key: String?, isInclusive: Bool
    ) -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.end(
                at: QueryConstraints.End(
                    call: call, value: value, key: key, isInclusive: isInclusive))
        }
    }

    private func equal(_ call: String, _ value: Any?, _ key: String?) -> DatabaseQuery {
        with { query throws(DatabaseError) in
            try query.equal(
                to: QueryConstraints.End(call: call, value: value, key: key, isInclusive: true))
        }
    }
}

extension DatabaseQuery: Hashable {
    /// Whether both ask the same of the same database.
    public static func == (lhs: DatabaseQuery, rhs: DatabaseQuery) -> Bool {
        lhs.database === rhs.database && lhs.path == rhs.path
            && lhs.constraints == rhs.constraints && lhs.fault == rhs.fault
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(constraints)
    }
}
