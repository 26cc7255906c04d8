import HashTreeCollections
package import HearthModel
package import HearthRules

/// Rules, and who is held to them: every caller but the admin, in a project that has some.
///
/// Without rules everybody may do everything, as in Google's emulator.
extension Backend {
    /// Gives a project its rules, for every call from now on.
    ///
    /// - Parameters:
    ///   - source: In the rules language of `service cloud.firestore`.
    ///   - project: `nil` for every project that is given none of its own.
    ///   - fileName: What a report calls the source.
    /// - Throws: `HearthError` `invalidArgument` with line and column; the rules stay as they were.
    package mutating func setRules(
        _ source: String, project: String?, fileName: String = "firestore.rules"
    ) throws(HearthError) {
        let rules: RuleSet
        do throws(RulesError) {
            rules = try RuleSet(source, fileName: fileName)
        } catch {
            throw .argument(
                "Error compiling rules:\nL\(error.position.line):\(error.position.column) "
                    + "\(error.reason).")
        }
        guard let project else {
            commonRules = rules
            for project in coverage.keys where projectRules[project] == nil {
                coverage[project] = RuleCoverage()
            }
            return
        }
        projectRules[UTF8Text(project)] = rules
        if coverage[UTF8Text(project)] != nil { coverage[UTF8Text(project)] = RuleCoverage() }
    }

    /// Whether a project is held to rules.
    package func hasRules(_ project: String) -> Bool {
        projectRules[UTF8Text(project)] != nil || commonRules != nil
    }

    /// The rules that a caller is held to; `nil` if there are none.
    func accessGuard(
        of database: DatabaseID, for caller: Caller, at time: Timestamp
    ) -> AccessGuard? {
        guard let rules = projectRules[UTF8Text(database.project)] ?? commonRules else {
            return nil
        }
        let auth: RuleRequest.Auth?
        switch caller {
        case .admin: return nil
        case .user(let user): auth = RuleRequest.Auth(uid: user.uid, token: user.claims)
        case .nobody: auth = nil
        }
        var access = AccessGuard(rules: rules, database: database, auth: auth, time: time)
        if keepsVerdicts || !coverage.isEmpty && coverage[UTF8Text(database.project)] != nil {
            access.recorder = RuleRecorder()
        }
        return access
    }

    /// Asks the rules, and keeps what was noted.
    private mutating func ask(
        _ access: AccessGuard,
        _ question: (inout AccessGuard) throws(HearthError) -> Void
    ) throws(HearthError) {
        var access = access
        defer {
            if let recorder = access.recorder { keep(recorder, of: access) }
        }
        try question(&access)
    }

    /// Keeps what was noted while a request was judged.
    private mutating func keep(_ recorder: RuleRecorder, of access: AccessGuard) {
        let project = UTF8Text(access.database.project)
        if keepsVerdicts {
            let room = Self.verdictCountMax - verdicts.count
            verdicts += recorder.verdicts.prefix(max(0, room))
            if coverage[project] == nil, mayBegin(coverageOf: project) {
                coverage[project] = RuleCoverage()
            }
        }
        coverage[project]?.add(recorder, of: access.rules)
    }

    /// Whether to count what the rules of a project come to, though nobody has asked for it.
    ///
    /// A caller may invent any number of projects that the common rules judge.
    private func mayBegin(coverageOf project: UTF8Text) -> Bool {
        projectRules[project] != nil || coverageCount < Self.coverageCountMax
    }

    /// In how many projects the backend counts the rules' outcomes, more than a person looks at.
    /// Beyond this count, the backend counts outcomes only in a project with rules of its own, or
    /// in a project that somebody asks about.
    package static let coverageCountMax = 64

    /// Verdicts that are kept of one request: a request may read or write many documents.
    package static let verdictCountMax = 20

    /// What the rules have said since the last call, if verdicts are kept.
    package mutating func takeVerdicts() -> [RuleVerdict] {
        defer { verdicts = [] }
        return verdicts
    }

    /// Does something whose verdicts belong to no present request.
    mutating func withoutVerdicts<Value>(
        _ body: (inout Backend) throws(HearthError) -> Value
    ) throws(HearthError) -> Value {
        let kept = verdicts
        defer { verdicts = kept }
        return try body(&self)
    }

    /// Refuses a read that the rules do not allow.
    mutating func checkRead(
        _ subject: ReadSubject, _ view: ReadView, by caller: Caller, at now: Timestamp
    ) throws(HearthError) {
        guard let access = accessGuard(of: view.database, for: caller, at: now) else { return }
        let documents = AccessDocuments(documents: view.documents, moment: view.moment)
        switch subject {
        case .documents(let keys):
            try ask(access) { access throws(HearthError) in try access.check(keys, in: documents) }
        case .query(let plan), .nearest(let plan, _):
            try ask(access) { access throws(HearthError) in try access.check(plan, in: documents) }
        case .nothing: return
        }
    }

    /// Refuses writes that the rules do not allow, before their preconditions are looked at.
    mutating func checkWrites(
        _ writes: [Mutation], in id: DatabaseID, by caller: Caller, at version: SnapshotVersion
    ) throws(HearthError) {
        guard caller != .admin, hasRules(id.project) else { return }
        var application = WriteApplication(
            database: id, version: version, documents: documents(of: id), count: writes.count)
        guard let access = accessGuard(of: id, for: caller, at: application.requestTime) else {
            return
        }
        for write in writes {
            _ = try application.apply(
                Mutation(key: write.key, kind: write.kind, transforms: write.transforms))
        }
        let documents = AccessDocuments(
            documents: documents(of: id), moment: version, application: application)
        try ask(access) { access throws(HearthError) in try access.check(writes, in: documents) }
    }

    /// The messages of a commit for a stream, or of all missed changes, without targets that the
    /// rules no longer allow: such targets are removed with the cause, in place of their news.
    ///
    /// The rules judge a target when the target has news, as in Google's emulator, and not before.
    mutating func allowed(
        _ messages: [WatchChange], on stream: StreamID, in id: DatabaseID,
        _ database: inout Database, at version: SnapshotVersion, _ now: Timestamp
    ) -> [WatchChange] {
        guard let caller = callers[stream],
            let access = accessGuard(of: id, for: caller, at: now),
            let session = database.watch.sessions[stream]
        else { return messages }
        let documents = AccessDocuments(documents: database.documents, moment: version)
        let kept = verdicts  // Of the request whose commit is the news.
        defer { verdicts = kept }
        var refusals: [WireTargetID: HearthError] = [:]
        for target in Set(messages.flatMap(\.concerned)) {
            do throws(HearthError) {
                switch session.targets[target] {
                case .documents(let keys):
                    try ask(access) { access throws(HearthError) in
                        try access.check(keys, in: documents)
                    }
                case .query(let query):
                    guard let plan = database.watch.plan(of: query) else { continue }
                    try ask(access) { access throws(HearthError) in
                        try access.check(plan, in: documents)
                    }
                case nil: continue
                }
            } catch {
                refusals[target] = error
            }
        }
        if refusals.isEmpty { return discreet(messages, access, documents) }
        var result = discreet(
            messages.dropLast().compactMap { $0.without(Set(refusals.keys)) }, access, documents)
        for (target, error) in refusals.sorted(by: { $0.key < $1.key }) {
            _ = database.watch.unsubscribe(Subscription(stream: stream, target: target))
            result.append(.target(.init(kind: .removed(error), targets: [target])))
        }
        return result + messages.suffix(1)
    }

    /// The messages about a resumed target that the rules let the stream's caller see.
    func allowed(
        _ messages: [WatchChange], on stream: StreamID, in id: DatabaseID, _ database: Database,
        at moment: SnapshotVersion, _ now: Timestamp
    ) -> [WatchChange] {
        guard let caller = callers[stream],
            let access = accessGuard(of: id, for: caller, at: now)
        else { return messages }
        let documents = AccessDocuments(documents: database.documents, moment: moment)
        return discreet(messages, access, documents)
    }

    /// The same without the new content of documents that have left all targets, unless the caller
    /// may get these documents: the rules of a query allow the query's results, and nothing else.
    ///
    /// No verdict is kept, since the caller has not asked for these documents.
    private func discreet(
        _ messages: [WatchChange], _ access: AccessGuard, _ documents: AccessDocuments
    ) -> [WatchChange] {
        var access = access
        access.recorder = nil
        var room = Self.judgedDepartureCountMax
        return messages.map { message in
            guard let key = message.departed else { return message }
            if room > 0 {
                room -= 1
                do throws(HearthError) {
                    try access.check([key], in: documents)
                    return message
                } catch {
                    // The caller learns that the document has left, and nothing else.
                }
            }
            return message.withoutDeparted(at: documents.moment)
        }
    }

    /// About how many departed documents the backend asks the rules, in one turn's news for one
    /// stream. The stream hears of further documents only that they have left, even if the rules
    /// would allow more.
    private static let judgedDepartureCountMax = 100

    /// Refuses a target that the rules do not allow.
    mutating func checkWatch(
        _ request: WatchRequest, of stream: StreamID, in id: DatabaseID, _ database: Database,
        at now: Timestamp
    ) throws(HearthError) {
        guard let caller = callers[stream],
            let access = accessGuard(of: id, for: caller, at: now)
        else { return }
        let documents = AccessDocuments(documents: database.documents, moment: database.log.end)
        switch request.subject {
        case .documents(let keys):
            try ask(access) { access throws(HearthError) in try access.check(keys, in: documents) }
        case .query(let query):
            let plan = try QueryPlan(query, in: id)
            try ask(access) { access throws(HearthError) in try access.check(plan, in: documents) }
        case .unreadable: return
        }
    }
}

extension WatchChange {
    /// The targets that hear of a document, or are told anew.
    fileprivate var concerned: [WireTargetID] {
        switch self {
        case .document(let change): change.updated + change.removed
        case .target(let change): change.targets
        case .existenceFilter(let filter): [filter.target]
        }
    }

    /// The document of a message that would tell new content of a document in no target any more.
    fileprivate var departed: DocumentKey? {
        guard case .document(let change) = self, change.updated.isEmpty,
            change.document?.isFound ?? false
        else { return nil }
        return change.key
    }

    /// The same without the content of the document.
    fileprivate func withoutDeparted(at moment: SnapshotVersion) -> WatchChange {
        guard case .document(let change) = self else { return self }
        var departure = DocumentWatchChange(
            updated: [], removed: change.removed, key: change.key, document: nil)
        departure.readAt = moment
        return .document(departure)
    }

    /// The same for all other targets; `nil` if nothing is left to say.
    fileprivate func without(_ targets: Set<WireTargetID>) -> WatchChange? {
        switch self {
        case .document(let change):
            let updated = change.updated.filter { !targets.contains($0) }
            let removed = change.removed.filter { !targets.contains($0) }
            if updated.isEmpty && removed.isEmpty { return nil }
            var kept = DocumentWatchChange(
                updated: updated, removed: removed, key: change.key, document: change.document)
            kept.readAt = change.readAt
            return .document(kept)
        case .target(let change):
            let kept = change.targets.filter { !targets.contains($0) }
            // No targets would mean all of them.
            if kept.isEmpty { return change.targets.isEmpty ? self : nil }
            return .target(
                TargetWatchChange(
                    kind: change.kind, targets: kept, resumeToken: change.resumeToken,
                    readAt: change.readAt))
        case .existenceFilter(let filter):
            return targets.contains(filter.target) ? nil : self
        }
    }
}
