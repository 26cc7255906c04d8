package import HearthModel
package import HearthRules

/// A request that is tried against rules before the rules count.
///
/// Nothing is read or written for anybody. Rules see the stored documents. The trial may replace the
/// document that the request is about.
package struct RuleTrial: Sendable {
    /// The document that the request is about, as it is before the request.
    package enum Resource: Hashable, Sendable {
        /// As it is stored.
        case stored
        /// It does not exist.
        case missing
        /// It exists, with these fields.
        case found(MapValue)
    }

    /// What a trial came to.
    package struct Outcome: Sendable {
        /// What the rules said, and the expressions that decided.
        package let verdict: RuleVerdict
        /// What each expression came to in this trial alone. Shape: as `RuleReport.json` has it.
        package let report: JSONValue
    }

    /// What is to be done.
    package let method: RuleMethod
    /// The document; for a list, the collection.
    package let path: ResourcePath
    /// Who asks; `nil` for somebody who is not signed in.
    package let auth: RuleRequest.Auth?
    /// The document before the request.
    package let resource: Resource
    /// The document's fields after a create or an update.
    package let newFields: MapValue?
    private let key: DocumentKey?

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - method: What is to be done.
    ///   - path: The document; for a list, the collection.
    ///   - auth: Who asks; `nil` for somebody who is not signed in.
    ///   - resource: The document before the request.
    ///   - newFields: The document's fields after a create or an update; `nil` for other methods.
    /// - Throws: `HearthError` `invalidArgument` for a path that the method cannot be about.
    package init(
        _ method: RuleMethod, _ path: ResourcePath, by auth: RuleRequest.Auth?,
        resource: Resource = .stored, newFields: MapValue? = nil
    ) throws(HearthError) {
        key = DocumentKey(path)
        guard (key == nil) == (method == .list), !path.isEmpty else {
            throw .argument(
                method == .list
                    ? "A list is of a collection, such as rooms."
                    : "A \(method.rawValue) is of a document, such as rooms/hall.")
        }
        self.method = method
        self.path = path
        self.auth = auth
        self.resource = resource
        self.newFields = newFields
    }

    /// Asks rules about the request.
    ///
    /// - Parameters:
    ///   - rules: The source.
    ///   - view: The documents that rules may look up.
    ///   - now: The time that rules see as `request.time`.
    /// - Throws: `RulesError` with line and column for a source that is no rules.
    package func outcome(
        by rules: String, in view: ReadView, at now: Timestamp
    ) throws(RulesError) -> Outcome {
        let rules = try RuleSet(rules)
        let documents = documents(in: view)
        var accesses = RuleAccesses(recorder: RuleRecorder())
        _ = rules.decide(request(documents, view.database, now), reading: documents, &accesses)
        guard let recorder = accesses.recorder, let verdict = recorder.verdicts.first else {
            preconditionFailure("A recorder was there, and the rules gave no verdict")
        }
        var coverage = RuleCoverage()
        coverage.add(recorder, of: rules)
        return Outcome(verdict: verdict, report: coverage.report(of: rules).json)
    }

    private func request(
        _ documents: TrialDocuments, _ database: DatabaseID, _ now: Timestamp
    ) -> RuleRequest {
        guard let key = documents.key else {
            let query = RuleQuery(scope: .collection(path))
            return RuleRequest(query, in: database, by: auth, at: now)
        }
        var request = RuleRequest(
            method, documents.document(key), in: database, by: auth, at: now)
        if method == .create || method == .update {
            request.newDocument = documents.documentAfter(key)
        }
        return request
    }

    private func documents(in view: ReadView) -> TrialDocuments {
        guard let key else { return TrialDocuments(view: view) }
        let before: Document
        switch resource {
        case .stored: before = view.document(key)
        case .missing: before = .missing(key, at: view.moment)
        case .found(let fields): before = .found(key, at: view.moment, fields)
        }
        let after: Document
        switch method {
        case .get, .list: after = before
        case .delete: after = .missing(key, at: view.moment)
        case .create, .update: after = .found(key, at: view.moment, newFields ?? .empty)
        }
        return TrialDocuments(view: view, key: key, before: before, after: after)
    }
}

/// The stored documents, and in the place of one of them the trial's.
private struct TrialDocuments: RuleDocuments {
    let view: ReadView
    var key: DocumentKey?
    var before: Document?
    var after: Document?

    func document(_ other: DocumentKey) -> Document {
        if let before, other == key { return before }
        return view.document(other)
    }

    func documentAfter(_ other: DocumentKey) -> Document {
        if let after, other == key { return after }
        return view.document(other)
    }
}
