import HearthEngine
import HearthModel
import Synchronization

/// What a host does when nobody waits, or when it has stepped back for long enough.
extension EngineHost {
    /// Looks after the store when a time is over.
    func maintainLater(after delay: Duration) {
        let timer =
            maintenanceTimer
            ?? parts.clock.makeTimer(on: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.maintain() }
            }
        maintenanceTimer = timer
        timer.set(after: delay)
    }

    /// Looks after the store for a slice, unless somebody waits, and sets off the next.
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

    /// Whether work that can wait lets somebody go first. It does for a while only: who never pauses would
    /// have the cache grow without bound.
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
