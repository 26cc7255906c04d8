import HearthEngine
import HearthFirestore
import Synchronization

/// Takes the surveys that an engine orders, each on a thread of its own, and hands over the answers.
///
///     line of the store > line for room > thread --tooLarge, and others had the room--> line for room
///                                           \--else--> told
///
/// A survey that nobody waits for any more ends within some hundred documents. What it found is
/// dropped. A survey that several users wait for stands in the line of each, and is taken once: when
/// the first of its turns has come. No thread and no snapshot waits for room.
final class SurveyDesk: Sendable {
    /// Answers a question from a snapshot, within a room. Blocks on the disk.
    typealias Read =
        @Sendable (
            _ order: SurveyOrder, _ room: any SurveyRoom,
            _ isWanted: @escaping @Sendable () -> Bool
        ) throws(StoreError) -> SurveyOutcome
    /// Takes an answer, on any thread.
    typealias Done = @Sendable (FirestoreEngine.Input, MailboxSource) -> Void

    /// How many surveys of one store run at once: one more than a user can have, so that a user's
    /// long survey leaves room for another user's survey.
    static let countMax = 2

    private final class Job: Sendable {
        /// How a job waits for room.
        private struct Claim {
            /// The last claim; `nil` before the first.
            var number: UInt64?
            /// All who wait for the job, in the order of coming: each claim stands in the line of each.
            var owners: [UInt32?]
        }

        let order: SurveyOrder
        let done: Done
        private let memory: SharedSurveyMemory
        private let isEnded = Atomic<Bool>(false)
        private let isBegun = Atomic<Bool>(false)
        private let claim: Mutex<Claim>

        init(_ order: SurveyOrder, _ memory: SharedSurveyMemory, _ done: @escaping Done) {
            self.order = order
            self.memory = memory
            self.done = done
            claim = Mutex(Claim(owners: [order.payer]))
        }

        var isWanted: Bool { !isEnded.load(ordering: .relaxed) }

        /// Whether the job has left the line of the store.
        var hasBegun: Bool { isBegun.load(ordering: .relaxed) }

        func begin() { isBegun.store(true, ordering: .relaxed) }

        /// The job needs no room any more, and does not wait for any.
        func end() {
            let last = claim.withLock { claim in
                isEnded.store(true, ordering: .relaxed)
                return claim.number
            }
            if let last { memory.leave(last) }
        }

        /// The job waits for room, unless it has ended: a race.
        func wait(by number: UInt64) {
            let (isWanted, owners) = claim.withLock { claim in
                claim.number = number
                return (self.isWanted, claim.owners)
            }
            guard isWanted else { return memory.leave(number) }
            for owner in owners { memory.join(number, owner) }
        }

        /// Another owner waits for the job, which waits for room, or will.
        func join(_ owner: UInt32?) {
            let last = claim.withLock { claim in
                if !claim.owners.contains(owner) { claim.owners.append(owner) }
                return claim.number
            }
            if let last { memory.join(last, owner) }
        }
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

        /// Another owner waits for a job. If the job has room, it goes on as it is.
        mutating func join(_ id: SurveyID, _ owner: UInt32?) {
            guard let job = jobs[id] else { return }
            job.join(owner)
            if job.hasBegun { return }
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
    private let memory: SharedSurveyMemory
    private let state = Mutex(State())

    /// A desk of surveys that `read` answers.
    ///
    /// - Parameter memory: What the surveys of all desks share.
    init(sharing memory: SharedSurveyMemory, _ read: @escaping Read) {
        self.memory = memory
        self.read = read
    }

    /// Begins a survey, soon, or ends one, or hands an answer on. Never blocks.
    func run(_ errand: SurveyErrand, done: @escaping Done) {
        switch errand {
        case .begin(let order):
            let job = Job(order, memory, done)
            state.withLock { state in
                state.jobs.updateValue(job, forKey: order.id)?.end()
                state.line.append(job, of: order.payer)
            }
            beginNext()
        case .join(let id, let user):
            let owner = user.map { SubordinateUsers.ofMachine.owner(of: $0) }
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
            claim(SurveyMemoryLimits.firstByteCount, for: next, pause: next.pause)
        }
    }

    /// Has a survey wait for room, and begin.
    private func claim(
        _ byteCount: Int, for next: SurveyLine<Job>.Begun, pause: Duration = .zero
    ) {
        let number = memory.ask(byteCount, of: next.owner) { [self] room in
            begin(next, in: room, pause)
        }
        next.element.wait(by: number)
    }

    private func begin(
        _ next: SurveyLine<Job>.Begun, in room: SharedSurveyRoom?, _ pause: Duration
    ) {
        guard let room, next.element.isWanted else { return leave(next) }
        let isStarted = OwnThread.start { [self] in
            OwnThread.wait(pause)
            take(next, in: room)
        }
        if isStarted { return }
        room.end()
        tell(next.element, .failed)
        leave(next)
    }

    private func take(_ next: SurveyLine<Job>.Begun, in room: SharedSurveyRoom) {
        let job = next.element
        let outcome = outcome(of: job, in: room)
        if case .tooLarge = outcome, job.isWanted, let greater = room.greaterClaim {
            room.end()
            return claim(greater, for: next)
        }
        if outcome.holdsDocuments { room.settle() } else { room.end() }
        tell(job, outcome)
        leave(next)
    }

    /// A survey leaves its place to the next.
    private func leave(_ next: SurveyLine<Job>.Begun) {
        finish(next)
        beginNext()
    }

    private func finish(_ next: SurveyLine<Job>.Begun) {
        state.withLock { state in
            state.line.finished(next.owner, at: .now)
            let id = next.element.order.id
            if state.jobs[id] === next.element { state.jobs[id] = nil }
        }
    }

    private func outcome(of job: Job, in room: SharedSurveyRoom) -> SurveyOutcome {
        guard job.isWanted else { return .failed }
        do throws(StoreError) {
            return try read(job.order, room) { job.isWanted }
        } catch {
            // The turn looks by itself. If the store fails there too, the host deals with that.
            return .failed
        }
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

extension SurveyOutcome {
    /// Whether the outcome needs the survey's room.
    fileprivate var holdsDocuments: Bool {
        switch self {
        case .documents, .picture: true
        case .numbers, .tooLarge, .failed: false
        }
    }
}
