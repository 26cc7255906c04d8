package import HearthEngine
import HearthModel

extension SurveyOrder {
    /// Answers the question from a snapshot of the store.
    ///
    /// - Parameters:
    ///   - snapshot: Only read. Holds every group that was accepted before the order.
    ///   - room: Where the survey has room for what it holds, and for the answer; `nil` if nobody counts.
    ///     Without room for all the outcome is `tooLarge`.
    ///   - isWanted: Whether somebody still waits. If nobody does, any outcome will do.
    /// - Throws: `StoreError` if the store cannot be read.
    /// - Complexity: O(documents where the query looks), or what an index or an earlier result leaves.
    package func answer(
        from snapshot: any FirestoreTransaction, in room: (any SurveyRoom)? = nil,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(StoreError) -> SurveyOutcome {
        var bounds = ScanBounds(
            byteCountMax: terms.byteCountMax, room: room, isWanted: isWanted)
        switch question.wanted {
        case .documents(let fields):
            guard var findings = try self.findings(having: fields, snapshot, bounds) else {
                return .tooLarge
            }
            findings.hold = SurveyHold(room)
            return .documents(findings)
        case .numbers(let aggregations, let user):
            return try numbers(AggregateComputation(aggregations), of: user, snapshot, bounds)
        case .picture(let user):
            // The turn that would take a large picture itself would hold as many bytes.
            bounds.byteCountMax = nil
            guard var picture = try self.picture(of: user, snapshot, bounds) else {
                return .tooLarge
            }
            picture.hold = SurveyHold(room)
            return .picture(picture)
        }
    }

    /// The cache as a user sees it, without what only an engine knows.
    private func store(of user: UserID) -> LocalStore {
        LocalStore(user: user, policy: .leastUsed(cacheByteCountMax: nil))
    }

    private func findings(
        having fields: [FieldPath], _ snapshot: any FirestoreTransaction, _ bounds: ScanBounds
    ) throws(StoreError) -> SurveyFindings? {
        let query = question.query
        let limit = query.limit?.count
        var before = bounds.heldByteCount
        var firstCount: Int?
        var written: Set<DocumentKey> = []
        if let limit {
            let overlays = try snapshot.overlays(for: query, of: user, within: bounds)
            guard let overlays else { return nil }
            written = Set(overlays.keys)
            bounds.letGo(downTo: before)
            let (count, isTooMany) = limit.addingReportingOverflow(
                written.count + terms.spareCount)
            guard !isTooMany, count <= terms.firstCountMax,
                bounds.hold(written.count, of: SurveyBytes.name)
            else { return nil }
            firstCount = count
            before = bounds.heldByteCount
        }
        if fields.isEmpty {
            let store = store(of: user)
            if let walks = QueryPlanner(query.firstOfOrder).walks(through: try snapshot.indexes()) {
                return try store.walk(
                    walks, query, firstCount: firstCount, within: bounds, snapshot
                ).map { SurveyFindings($0, isCompleteBelow: firstCount, sortedFor: query) }
            }
            // Written documents are read anew, and the backend named none to spare for a limit.
            if let previous = try store.fromPreviousResults(query, within: bounds, snapshot),
                written.isDisjoint(with: previous.keys)
            {
                return SurveyFindings(previous.findings, isCompleteBelow: limit, sortedFor: query)
            }
            bounds.letGo(downTo: before)
        }
        let found = try snapshot.remoteDocuments(
            DocumentScan(
                query: query.firstOfOrder, firstCount: firstCount, having: fields, bounds: bounds))
        guard found.isWhole else { return nil }
        return SurveyFindings(
            LocalStore.Findings(documents: found.documents, examinedCount: found.scannedCount),
            isCompleteBelow: firstCount, sortedFor: fields.isEmpty ? query : nil)
    }

    private func picture(
        of user: UserID, _ snapshot: any FirestoreTransaction, _ bounds: ScanBounds
    ) throws(StoreError) -> SurveyPicture? {
        let query = question.query
        let store = store(of: user)
        let result = try store.execute(
            query, usesPreviousResults: true, within: bounds, snapshot)
        guard let result, bounds.hold(result.documents.count, of: SurveyBytes.pictured) else {
            return nil
        }
        if bounds.room != nil, query.limit != nil, result.remoteKeys == nil {
            // Their names tell whether the limit has lost one.
            let namedCount = try store.namedCount(of: query, snapshot)
            guard bounds.hold(namedCount, of: SurveyBytes.name) else { return nil }
        }
        return try store.picture(of: query, from: result, knownAt: readAt, snapshot)
    }

    private func numbers(
        _ computation: AggregateComputation, of user: UserID,
        _ snapshot: any FirestoreTransaction, _ bounds: ScanBounds
    ) throws(StoreError) -> SurveyOutcome {
        let query = question.query
        let store = store(of: user)
        let before = bounds.heldByteCount
        if let short = try store.executeWithoutScan(query, within: bounds, snapshot) {
            return try numbers(
                computation, over: short.documents.values, short.description, store, snapshot)
        }
        bounds.letGo(downTo: before)
        guard let overlays = try snapshot.overlays(for: query, of: user, within: bounds) else {
            return .tooLarge
        }
        let found = try snapshot.remoteDocuments(
            DocumentScan(
                query: query, including: Set(overlays.keys), having: computation.fields,
                tally: computation, bounds: bounds))
        guard found.isWhole, let tally = found.tally else { return .tooLarge }
        var pending: [Document] = []
        for (key, overlay) in overlays {
            var document = found.documents[key] ?? .invalid(key)
            overlay.apply(to: &document)
            guard query.matches(document) else { continue }
            guard bounds.hold(document) else { return .tooLarge }
            pending.append(document)
        }
        let plan = QueryPlanDescription(
            plan: .fullScan, examinedCount: found.scannedCount + overlays.count,
            matchedCount: tally.documentCount + pending.count { tally.counts($0) },
            why: query.reasonToScan)
        return try numbers(tally, over: pending, plan, store, snapshot)
    }

    /// The numbers, after some documents have been added.
    private func numbers(
        _ computation: AggregateComputation, over documents: some Sequence<Document>,
        _ plan: QueryPlanDescription, _ store: LocalStore, _ snapshot: any FirestoreTransaction
    ) throws(StoreError) -> SurveyOutcome {
        var tally = computation
        var hasPendingWrites = false
        for document in documents where tally.counts(document) {
            tally.add(document)
            if document.hasLocalMutations { hasPendingWrites = true }
        }
        return .numbers(
            SurveyNumbers(
                values: tally.values, documentCount: tally.documentCount, plan: plan,
                hasPendingWrites: hasPendingWrites,
                readAt: max(try store.readAt(of: question.query, snapshot), readAt)))
    }
}

extension SurveyFindings {
    /// What was found. With fewer documents than `count` these are all that match; `nil` if they are in
    /// any case.
    ///
    /// Of more documents the first `count` are left: walks find the first of each range, and the
    /// backend named the first documents alone. So behind the first `count` some may be missing.
    fileprivate init(
        _ found: LocalStore.Findings, isCompleteBelow count: Int?, sortedFor query: Query?
    ) {
        var documents = found.documents
        var sorted = query.map { DocumentSet(order: $0.order, documents.values) }
        if let count, let limit = query?.limit, var first = sorted {
            while first.count > count, let last = limit.far(first) {
                first.remove(last.key)
                documents[last.key] = nil
            }
            sorted = first
        }
        self.init(
            documents: documents, examinedCount: found.examinedCount,
            isComplete: count.map { found.documents.count < $0 } ?? true, sorted: sorted)
    }
}

extension LocalStore {
    /// What a user is shown who asks once.
    ///
    /// - Parameter version: Up to when the backend has told of the query, if the store may not know.
    func picture(
        of query: Query, from result: QueryResult, knownAt version: SnapshotVersion = .zero,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> SurveyPicture {
        var snapshot = ViewSnapshot(of: query, cached: result.documents.values)
        snapshot.readAt = max(try readAt(of: query, store), version)
        snapshot.lostCount = try lostCount(in: snapshot, named: result.remoteKeys, store)
        return SurveyPicture(
            snapshot: snapshot, plan: result.description, wantedIndexes: result.wantedIndexes)
    }
}
