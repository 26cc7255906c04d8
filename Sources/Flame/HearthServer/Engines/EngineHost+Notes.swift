import HearthEngine
import HearthModel

/// How the host counts and reports the decisions of the engine.
extension EngineHost {
    /// Whether others should hear the news: news about a failing store is not told twice.
    func publish(_ news: EngineNews) -> Bool {
        switch news {
        case .onlineState(let state): note { $0.onlineState = state }
        case .syncState(let state): note { $0.syncState = state }
        case .store: return failure == nil
        case .committed:
            noteCommitted()
            return false
        case .connectionFailed(let error):
            let failure = ConnectionFailure(error: error, at: parts.clock.now())
            note { $0.connectionFailure = failure }
            return false
        case .connectionRecovered:
            note { $0.connectionFailure = nil }
            return false
        case .rejected: figures.rejectedCount += 1
        case .collected(let count):
            figures.collectionCount += 1
            figures.collectedDocumentCount += UInt64(count)
        case .marking(let error): note { $0.markerFailure = error?.message }
        case .read(let sums): figures.documentReads.add(sums)
        case .pinned(let figures):
            note { $0.pins = figures }
            return false
        case .loading(let bundles):
            note { $0.bundles = bundles }
            return false
        case .lost(let loss, let account): keepReport(of: loss, account)
        case .madeGood(let loss):
            if !status.losses.isEmpty { keepReport(of: loss, nil) }
            return false
        case .cleared: dropReports()
        case .other: break
        }
        return true
    }

    private func keepReport(of loss: LossName, _ account: String?) {
        guard let losses = parts.keepReport(loss, account) else { return }
        note { $0.losses = losses }
    }

    private func dropReports() {
        guard !status.losses.isEmpty, let losses = parts.dropReports() else { return }
        note { $0.losses = losses }
    }

    /// Counts a commit. Its time is known unless the host has sent the batch on no stream, as when the
    /// store failed while the answer came.
    private func noteCommitted() {
        figures.committedCount += 1
        guard !sentAt.isEmpty else { return }
        figures.upstreamCommits.count(parts.clock.uptime() - sentAt.removeFirst())
    }

    /// Tells when the backend is tried again; a timer that has run out tells nothing any more.
    func noteNextAttempt() {
        let next = Timer.allCases.filter(\.isReconnection).compactMap { timers?.deadline(of: $0) }
        note { $0.nextAttemptAt = next.min() }
    }

    /// The backend answers batches in the order in which they were sent.
    func noteSending(_ command: Effect.Command) {
        switch command.sending {
        case .batch?: sentAt.append(parts.clock.uptime())
        case .anew?: sentAt = []
        case nil: break
        }
    }
}
