import HearthEngine
import HearthFirestore
import Synchronization

/// Takes the surveys that an engine orders, each on a thread of its own, and hands over the answers.
///
/// A survey that nobody waits for any more ends within some hundred documents, and the desk drops
/// its findings. A survey that several users wait for stands in the line of each user. The desk
/// takes the survey once, when the survey is first in one of the lines.
final class SurveyDesk: Sendable {
    /// Answers a question from a snapshot. Blocks on the disk.
    typealias Read =
        @Sendable (
            _ order: SurveyOrder, _ isWanted: @escaping @Sendable () -> Bool
        ) throws(StoreError) -> SurveyOutcome
    /// Takes an answer, on any thread.
    typealias Done = @Sendable (FirestoreEngine.Input, MailboxSource) -> Void

    /// How many surveys of one store run at once: one more than a user can have, so that a user's
    /// long survey leaves room for another user's survey.
    static let countMax = 2

    private final class Job: Sendable {
        let order: SurveyOrder
        let done: Done
        private let isEnded = Atomic<Bool>(false)
        private let isBegun = Atomic<Bool>(false)

        init(_ order: SurveyOrder, _ done: @escaping Done) {
            self.order = order
            self.done = done
        }

        var isWanted: Bool { !isEnded.load(ordering: .relaxed) }

        var hasBegun: Bool { isBegun.load(ordering: .relaxed) }

        func end() { isEnded.store(true, ordering: .relaxed) }

        func begin() { isBegun.store(true, ordering: .relaxed) }
    }

    private struct State {
        var line = SurveyLine<Job>(laneCount: countMax)
        /// Those that wait or run.
        var jobs: [SurveyID: Job] = [:]
        /// Those that stand in the lines of several owners.
        var shared: Set<SurveyID> = []
        /// How many jobs may have ended while they stood in the line, where they still are.
        var endedCount = 0

        /// Nobody waits for a job any more.
        ///
        /// The line is looked through seldom: a session that leaves ends thousands at once.
        mutating func end(_ id: SurveyID) {
            guard let job = jobs.removeValue(forKey: id) else { return }
            shared.remove(id)
            job.end()
            endedCount += 1
            guard endedCount > jobs.count else { return }
            line.remove { !$0.isWanted }
            endedCount = 0
        }

        /// Another owner waits for a job. If the job has begun, it goes on as it is.
        mutating func join(_ id: SurveyID, _ owner: UInt32?) {
            guard let job = jobs[id], !job.hasBegun else { return }
            line.append(job, of: owner)
            shared.insert(id)
        }

        /// The next job to begin, which leaves the lines of all its owners.
        mutating func next() -> SurveyLine<Job>.Begun? {
            guard let next = line.next(at: .now) else { return nil }
            next.element.begin()
            if shared.remove(next.element.order.id) != nil { line.remove { $0 === next.element } }
            return next
        }
    }

    private let read: Read
    private let state = Mutex(State())

    /// A desk of surveys that `read` answers.
    init(_ read: @escaping Read) {
        self.read = read
    }

    /// Begins a survey, soon, or ends one, or hands an answer on. Never blocks.
    func run(_ errand: SurveyErrand, done: @escaping Done) {
        switch errand {
        case .begin(let order):
            let job = Job(order, done)
            state.withLock { state in
                state.jobs.updateValue(job, forKey: order.id)?.end()
                state.line.append(job, of: order.payer)
            }
            beginNext()
        case .join(let id, let owner):
            state.withLock { $0.join(id, owner) }
            beginNext()
        case .handOn(let order, let outcome):
            done(.surveyed(order.id, outcome), order.source)
        case .end(let id):
            state.withLock { $0.end(id) }
        }
    }

    /// Ends all surveys: the engine that ordered them is no more.
    func endAll() {
        state.withLock { state in
            for job in state.jobs.values { job.end() }
            state.jobs = [:]
            state.shared = []
            state.line.remove { !$0.isWanted }
            state.endedCount = 0
        }
    }

    private func beginNext() {
        while let next = state.withLock({ $0.next() }) {
            let isStarted = SurveyThread.start { [self] in
                SurveyThread.wait(next.pause)
                answer(next.element)
                finish(next)
                beginNext()
            }
            if isStarted { continue }
            tell(next.element, .failed)
            finish(next)
        }
    }

    private func finish(_ next: SurveyLine<Job>.Begun) {
        state.withLock { state in
            state.line.finished(next.owner, at: .now)
            let id = next.element.order.id
            if state.jobs[id] === next.element { state.jobs[id] = nil }
        }
    }

    private func answer(_ job: Job) {
        guard job.isWanted else { return }
        var outcome = SurveyOutcome.failed
        do throws(StoreError) {
            outcome = try read(job.order) { job.isWanted }
        } catch {
            // The turn looks by itself. If the store fails there too, the host deals with that.
        }
        tell(job, outcome)
    }

    private func tell(_ job: Job, _ outcome: SurveyOutcome) {
        if job.isWanted { job.done(.surveyed(job.order.id, outcome), job.order.source) }
    }
}

extension SurveyOrder {
    /// The one who asked is charged for the turn that takes the answer.
    fileprivate var source: MailboxSource {
        session.map { .session($0, of: payer ?? 0) } ?? .timers
    }

    /// The Unix user whose turn it is in the line.
    fileprivate var payer: UInt32? { uid.map { SubordinateUsers.ofMachine.owner(of: $0) } }
}
