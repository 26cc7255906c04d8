import Dispatch
import HearthEngine
import HearthModel

/// How a host lives with a failing store: it reports, serves inputs that need no room, and retries.
///
///     works --failed--> fails --probe held--> works
///       \--damaged--> rescued, opened anew
extension EngineHost {
    /// Notes a failure of the store, and schedules the next try.
    ///
    /// - Returns: Whether the store worked before.
    @discardableResult
    func noteFailure(_ error: StoreError) -> Bool {
        let isNews = failure == nil
        if case .full = error { parts.releaseReserve() }
        guard isNews || error.isWorse(than: failure) else { return false }
        let error = parts.advise(error)
        failure = error
        let reason =
            error.isFull
            ? "\(error) Reads go on; new writes are refused until there is room."
            : error.description
        note { $0.storeFailure = reason }
        parts.outlet.tell(.failed(error))
        if isNews { retryLater() }
        if let reason = error.damage { rescueSoon(reason) }
        return isNews
    }

    /// After the present turn: the store cannot be changed under it.
    private func rescueSoon(_ reason: String) {
        executor.queue.async {
            self.assumeIsolated { host in
                guard host.store != nil, host.failure?.damage != nil else { return }
                do throws(StoreError) {
                    if try host.parts.condemn(reason) { host.reopen() }
                } catch {
                    host.note { $0.storeFailure = "\(StoreError.damaged(reason)) \(error)" }
                }
            }
        }
    }

    /// Keeps room for reads; without it the disk counts as full.
    func takeReserve() {
        do throws(StoreError) {
            try parts.takeReserve()
        } catch {
            noteFailure(error)
        }
    }

    /// Whether the store works again.
    func tryAgain(_ store: Store) {
        guard let failure else { return }
        if let reason = failure.damage {
            rescueSoon(reason)  // That the disk takes a write says nothing of what it gave.
            return retryLater()
        }
        do throws(StoreError) {
            if failure.isFull { try parts.takeReserve() }
            try parts.probe(store)
            noteRecovery()
        } catch {
            store.rollback()
            if error.isFull { parts.releaseReserve() }
            retryLater()
        }
    }

    /// Takes inputs while the disk is full.
    ///
    /// Inputs that need room fail without a try, because the reserve must last for the remaining
    /// inputs.
    func runSparingly(_ inputs: [Input], _ error: StoreError)
        -> [Effect]
    {
        var actions: [Effect] = []
        var group: [Input] = []
        for input in inputs {
            guard input.needsRoom else {
                group.append(input)
                continue
            }
            if !group.isEmpty { actions += runTogether(group) }
            group = []
            actions += engine.turnFailed(input, error, at: parts.clock.now())
        }
        return group.isEmpty ? actions : actions + runTogether(group)
    }
}

extension StoreError {
    /// Whether there is no room.
    var isFull: Bool { if case .full = self { true } else { false } }

    /// A damage counts for more than whatever was known before.
    fileprivate func isWorse(than other: StoreError?) -> Bool {
        damage != nil && other?.damage == nil
    }
}
