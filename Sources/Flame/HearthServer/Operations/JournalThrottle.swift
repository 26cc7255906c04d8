import Dispatch
import HearthEngine
package import Logging
import Synchronization

/// Keeps programs from filling the journal: lines that a program can cause at will are told a few times, and the
/// rest is counted and told as a number. See `LineBudget`.
///
/// All databases and sessions share one throttle, since a program can open one database or session
/// after the other.
package final class JournalThrottle: Sendable {
    private struct State {
        /// The budgets of lines that were told in the last period, by the lines' messages.
        var budgets: [String: LineBudget] = [:]
        var timer: (any HostTimer)?
        var isTimerSet = false
    }

    private let state = Mutex(State())
    private let logger: Logger
    private let clock: any HostClock
    private let queue = DispatchQueue(label: "hearth.journal")

    /// Has told nothing yet.
    package init(logger: Logger, clock: any HostClock = SystemClock()) {
        self.logger = logger
        self.clock = clock
    }

    /// Whether an event is to be recorded that programs of a user have caused.
    func admits(_ event: JournalEvent, ofUser payer: UInt32) -> Bool {
        admits("\(event.message)", of: .user(payer))
    }

    /// Whether a line is to be told that programs of a user have caused.
    ///
    /// - Parameter line: The message, which stays the same and names no particulars.
    package func admits(_ line: String, ofUser payer: UInt32) -> Bool {
        admits(line, of: .user(payer))
    }

    /// Whether a line is to be told that programs of a database have caused.
    func admits(_ line: String, of key: EngineKey) -> Bool { admits(line, of: .engine(key)) }

    private func admits(_ line: String, of source: LineBudget.Source) -> Bool {
        let now = clock.uptime()
        let (isTold, omissions) = state.withLock { state in
            var budget = state.budgets[line] ?? LineBudget()
            let omissions = budget.elapsed(at: now)
            let isTold = budget.counted(source, at: now)
            state.budgets[line] = budget
            setTimer(&state, at: now)
            return (isTold, omissions)
        }
        tell(omissions, line)
        return isTold
    }

    private func ring() {
        let now = clock.uptime()
        let told = state.withLock { state in
            state.isTimerSet = false
            let told = state.budgets.keys.sorted().map { line in
                (line, state.budgets[line]?.elapsed(at: now) ?? [])
            }
            state.budgets = state.budgets.filter { $0.value.end != nil }
            setTimer(&state, at: now)
            return told
        }
        for (line, omissions) in told { tell(omissions, line) }
    }

    /// Sets the timer to the end of the first period.
    private func setTimer(_ state: inout State, at now: Duration) {
        guard !state.isTimerSet, let end = state.budgets.values.compactMap(\.end).min() else {
            return
        }
        let timer = state.timer ?? clock.makeTimer(on: queue) { [weak self] in self?.ring() }
        state.timer = timer
        state.isTimerSet = true
        timer.set(after: end - now)
    }

    private func tell(_ omissions: [LineBudget.Omission], _ line: String) {
        for omission in omissions {
            let count = omission.lineCount
            var fields: [JournalField: String] = [
                .line: line, .lineCount: "\(count)",
                .reason: "\(count) more of \"\(line)\" in \(LineBudget.period) were left out.",
            ]
            switch omission.source {
            case .user(let uid)?: fields[.clientUID] = "\(uid)"
            case .engine(let key)?: fields[.engine] = "\(key)"
            case nil: break
            }
            logger.record(.linesLeftOut, fields)
        }
    }
}
