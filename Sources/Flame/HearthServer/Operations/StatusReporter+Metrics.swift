import HearthEngine
import HearthModel
import HearthWire

extension StatusReporter {
    /// Figures of the daemon and of all its databases. Blocks on the disk.
    package func metrics() -> String {
        var text = MetricsText()
        text.add(.info, 1, [("version", constants.daemonVersion)])
        text.add(.uptime, Double((ContinuousClock.now - startedAt).components.seconds))
        let databases = engines.all.sorted { $0.key.description < $1.key.description }
        let reports = databases.map { key, engine in (status(of: key), engine) }
        let isDegraded =
            !generalReasons.isEmpty || reports.contains { !$0.0.degradedReasons.isEmpty }
        text.add(.degraded, isDegraded ? 1 : 0)
        for (report, engine) in reports { add(report, engine.lifecycle.status, to: &text) }
        return text.text
    }

    private static func labels(of key: EngineKey) -> [(String, String)] {
        switch key {
        case .firestore(let database):
            [("project", database.project), ("database", database.database)]
        case .realtime(let instance): [("instance", instance.description)]
        }
    }

    private func add(_ report: StatusReport, _ status: EngineStatus, to text: inout MetricsText) {
        let labels = Self.labels(of: report.database)
        for state in SyncState.allCases {
            text.add(
                .syncState, status.syncState == state ? 1 : 0,
                labels + [("state", state.rawValue)])
        }
        let isFailing = if case .failed = status.phase { true } else { status.storeFailure != nil }
        text.add(.storeFailing, isFailing ? 1 : 0, labels)
        text.add(.clients, Double(report.clientCount), labels)
        text.add(.listeners, Double(report.listenerCount), labels)
        text.add(.storeLosses, Double(report.losses.reduce(0) { $0 + $1.count }), labels)
        let age = report.oldestWrittenAt.map { SystemClock().now().secondsSince($0) } ?? 0
        for (metric, value) in [
            (Metric.targets, report.targetCount), (.queueBatches, report.queueBatchCount),
            (.queueAge, max(0, Int(age))), (.deadLetters, report.deadLetterCount),
            (.cacheBytes, report.cacheByteCount), (.cacheDocuments, report.cachedDocumentCount),
            (.historyEntries, report.historyEntryCount), (.historyBytes, report.historyByteCount),
        ] {
            // With 0 a sum over databases would look like a whole that it is not; with NaN it is NaN.
            text.add(metric, report.hasUnknownCounts ? .nan : Double(value), labels)
        }
        let figures = status.figures
        for (metric, value) in [
            (Metric.acceptedWrites, figures.acceptedCount),
            (.committedWrites, figures.committedCount),
            (.rejectedWrites, figures.rejectedCount),
            (.refusedRequests, figures.refusedCount), (.snapshots, figures.snapshotCount),
            (.collections, figures.collectionCount),
            (.collectedDocuments, figures.collectedDocumentCount),
            (.documentReads, figures.documentReads.reads),
            (.documentReadsAlone, figures.documentReads.aloneReads),
        ] {
            text.add(metric, Double(value), labels)
        }
        text.add(.upstreamCommit, figures.upstreamCommits, labels)
        text.add(.storeCommit, figures.storeCommits, labels)
        text.add(.turn, figures.turns, labels)
    }
}
