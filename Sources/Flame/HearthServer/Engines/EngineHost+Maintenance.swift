import HearthEngine
import HearthModel
import Synchronization

/// The background work of a host: when nobody waits, or after stepping back for long enough.
extension EngineHost {
    /// Does maintenance of the store after a delay.
    func maintainLater(after delay: Duration) {
        let timer =
            maintenanceTimer
            ?? parts.clock.makeTimer(on: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.maintain() }
            }
        maintenanceTimer = timer
        timer.set(after: delay)
    }

    /// Does one slice of maintenance unless somebody waits, and schedules the next slice.
    private func maintain() {
        guard let store else { return }
        var delay = parts.limits.backgroundDelay
        do throws(StoreError) {
            if !stepsBack(nil), try !hasMoreToMaintain(store) {
                delay = parts.limits.maintenancePeriod
            }
        } catch {
            chore = .forget
            delay = parts.limits.maintenancePeriod
            noteFailure(error)  // Nothing is lost by it, and the next turn meets the same disk.
        }
        maintainLater(after: delay)
    }

    private func hasMoreToMaintain(_ store: Store) throws(StoreError) -> Bool {
        if chore == .forget {
            defer { parts.outlet.statusChanged() }
            if try parts.forget(store, parts.clock.now()) { return true }
            chore = .shrink
        }
        if try parts.shrink(store) { return true }
        chore = .forget
        return false
    }

    /// Lets a timer that has run out wait for its turn.
    func rang(_ id: Timer) {
        if id.isBackground, stepsBack(id) {
            timers?.schedule(id, after: parts.limits.backgroundDelay)
            return
        }
        guard let ring = timers?.ring(of: id) else { return }
        _ = submit([Entry.ring(ring)], from: .timers)
    }

    /// Whether background work lets a waiting input go first.
    ///
    /// Background work steps back for a limited time only; otherwise a client that never pauses
    /// would let the cache grow without bound.
    private func stepsBack(_ id: Timer?) -> Bool {
        let now = parts.clock.uptime()
        let since = steppedBackSince[id] ?? now
        let mustWait = inbox.withLock { !$0.mailbox.isEmpty }
        guard mustWait, now - since < parts.limits.backgroundPatience else {
            steppedBackSince[id] = nil
            return false
        }
        steppedBackSince[id] = since
        return true
    }
}
