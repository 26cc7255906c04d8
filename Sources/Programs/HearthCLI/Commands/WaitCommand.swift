import ArgumentParser
import Hearth

/// `hearth wait`.
struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until the daemon is as you want it.",
        discussion: """
            drained: the backend has answered all writes accepted so far, and none is queued. \
            live: the backend answers. --pinned: the results of a pin have been complete, and are as \
            fresh as the pin wants; what an earlier life of the daemon got counts. The command \
            waits for every open database, of Firestore and of the Realtime Database; --database \
            and --instance name one. Without --timeout the command waits 5 s for a daemon that is \
            not there, and 20 s for one that does not answer; with it, as long as is said. Ends with \
            status 124 if the time is up, and with 3 if no daemon was there. \
            JSON: state (drained, live, pinned).
            """)

    /// What can be waited for.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case drained
        case live

        /// What the command does, for failures.
        fileprivate var wish: String {
            switch self {
            case .drained: "wait until the queue is empty"
            case .live: "wait until the backend answers"
            }
        }

        /// What has not happened if the time is up.
        var overdue: String {
            switch self {
            case .drained:
                "The backend has not answered all waiting writes in the given time"
            case .live: "The backend has not answered in the given time"
            }
        }
    }

    @Option(help: "What to wait for.")
    var state: State?
    @Option(
        help: ArgumentHelp(
            "The pin to wait for: yours, else one of pins.keep, else another user's.",
            valueName: "name"), completion: CompletionSubject.pin.kind)
    var pinned: String?
    @Option(
        help: ArgumentHelp("How long, such as 30s or 500ms.", valueName: "time"),
        transform: DurationText.parse)
    var timeout: DurationText?
    @OptionGroup var connection: OperatorOptions

    /// Between two looks at the queue: often enough for a bar that moves.
    private static let lookPause = Duration.milliseconds(200)
    /// Before the command asks anew a daemon that gave no answer.
    private static let retryPause = Duration.milliseconds(500)

    func validate() throws {
        if (state == nil) == (pinned == nil) {
            throw ValidationError("Say what to wait for: --state STATE or --pinned NAME.")
        }
        if pinned != nil, connection.choice.instance != nil {
            throw ValidationError("--pinned waits for a pin of a Firestore database.")
        }
    }

    func run() async throws {
        guard let timeout else { return try await wait(within: nil) }
        let deadline = ContinuousClock.now + timeout.duration
        while true {
            do {
                return try await wait(within: deadline - ContinuousClock.now)
            } catch let failure as Failure {
                // The daemon may come, or come back, while there is time.
                guard failure.status == .notRunning || failure.status == .timedOut,
                    ContinuousClock.now + Self.retryPause < deadline
                else { throw failure }
                try await Task.sleep(for: Self.retryPause)
            }
        }
    }

    private func wait(within timeout: Duration?) async throws {
        if let pinned { return try await waitUntilPinned(pinned, within: timeout) }
        guard let state else { return }
        try await wait(until: state, within: timeout)
    }

    private func waitUntilPinned(_ name: String, within timeout: Duration?) async throws {
        let session = try await Session.whenStarted(
            connection.connection, patience: timeout ?? Session.startPatience, timeout: timeout)
        try await session.attempt(
            "wait until the pin \(name) is complete", timeout: timeout,
            overdue: "The pin \(name) has not become complete in the given time"
        ) {
            let database = session.firestore
            try await database.attended {
                let name = PinNames(pins: try await database.pins()).name(name)
                try await database.waitForPin(name)
            }
        }
        say("pinned")
    }

    private func say(_ state: String) {
        if connection.json {
            Terminal.print(Report().with("state", state).line)
        } else if !connection.quiet {
            Terminal.print(state)
        }
    }

    private func wait(until state: State, within timeout: Duration?) async throws {
        let begun = ContinuousClock.now
        let session = try await OperatorSession.open(
            connection, patience: timeout ?? Session.startPatience, timeout: timeout)
        let rest = timeout.map { $0 - (ContinuousClock.now - begun) }
        let isWatched = !connection.json && !connection.quiet
        try await session.attempt(state.wish, timeout: rest, overdue: state.overdue) {
            try await session.database.attended {
                switch state {
                case .drained: try await Self.waitUntilDrained(session, isWatched)
                case .live: try await Self.waitUntilLive(session)
                }
            }
        }
        say(state.rawValue)
    }

    /// People see meanwhile how many batches have gone.
    private static func waitUntilDrained(_ session: OperatorSession, _ isWatched: Bool) async throws
    {
        let count = try await queueBatchCount(session)
        let display = ProgressDisplay("sending", total: count, isShown: isWatched && count > 0)
        let watching = Task {
            while display.isShown, let rest = try? await queueBatchCount(session) {
                display.show(max(0, count - rest))
                try await Task.sleep(for: lookPause)
            }
        }
        defer {
            watching.cancel()
            display.close()
        }
        repeat {
            try await withThrowingTaskGroup { group in
                for database in try await session.databases() {
                    group.addTask {
                        try await database.attended { try await database.waitUntilAnswered() }
                    }
                }
                try await group.waitForAll()
            }
        } while try await queueBatchCount(session) > 0
        display.show(count)
    }

    private static func queueBatchCount(_ session: OperatorSession) async throws -> Int {
        try queueBatchCount(of: try await session.statuses())
    }

    /// Batches that wait in all databases together.
    ///
    /// - Throws: `Failure` if a store cannot be read, so that nobody knows.
    static func queueBatchCount(of statuses: [DaemonStatus]) throws(Failure) -> Int {
        for status in statuses where status.hasUnknownCounts {
            let reasons = status.degradedReasons.joined(separator: " ")
            throw Failure(
                .failed, "Nobody knows how many batches wait in \(status.name): \(reasons)".oneLine)
        }
        return statuses.reduce(0) { $0 + $1.queueBatchCount }
    }

    private static func waitUntilLive(_ session: OperatorSession) async throws {
        let databases = try await session.databases()
        let cure =
            databases.count > 1 ? " --database or --instance names one to wait for alone." : ""
        try await withThrowingTaskGroup { group in
            for database in databases {
                group.addTask {
                    try await database.listening { try await waitUntilLive(database, cure) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// - Parameter cure: The advice if the database is degraded, behind a space; empty for none.
    private static func waitUntilLive(
        _ database: any OperatedDatabase, _ cure: String
    ) async throws {
        let name = try await database.daemonStatus().name
        for await news in database.daemonChanges() {
            let told: DaemonStatus?
            switch news {
            case .success(let all): told = all.first { $0.name == name }
            // A daemon that starts anew may take its time: the question waits as long as any question.
            case .failure: told = try await database.daemonStatus()
            }
            guard let status = told else { continue }
            switch StatusText(status: status, now: Timestamp()).state {
            case .live: return
            case .degraded:
                let reasons = status.degradedReasons.joined(separator: " ")
                throw Failure(.failed, "\(name) is degraded: \(reasons)\(cure)".oneLine)
            case .idle, .connecting, .offline, .networkOff: break
            }
        }
        try Task.checkCancellation()
    }
}
