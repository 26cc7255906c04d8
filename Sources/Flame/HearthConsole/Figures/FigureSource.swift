import Hearth
import HearthModel

/// Has the daemon tell its state, and asks for its figures once a second, while a page shows them; for all
/// pages together, and not at all while none does.
actor FigureSource {
    /// What all pages are told, after one second or when the daemon's state has changed.
    private struct Tick: Sendable {
        let overview: [UInt8]
        /// Grows when something in the overview has changed.
        let revision: Int
        let sample: [UInt8]?
    }

    private let daemon: ConsoleDaemon
    private var histories = FigureHistory()
    private var watchers: [Int: AsyncStream<Tick>.Continuation] = [:]
    private var nextWatcher = 0
    private var asking: Task<Void, Never>?
    private var following: Task<Void, Never>?
    /// What the daemon told last while a page shows it.
    private var told: (news: Result<[DaemonStatus], HearthError>, at: ContinuousClock.Instant)?
    private var last: (stable: Overview, revision: Int)?
    private var causes = CauseCounts()
    private var identity: (told: DaemonIdentity, at: ContinuousClock.Instant)?

    /// How often the daemon is asked who it is at the backend, which changes when somebody signs in.
    private static let identityInterval = Duration.seconds(10)

    /// Asks nothing yet.
    init(_ daemon: ConsoleDaemon) {
        self.daemon = daemon
    }

    /// The overview of this moment.
    func overview() async throws -> JSONValue {
        await read().json(at: Hearth.Timestamp(), told: age)
    }

    /// The samples of the last hour; the daemon's steps where no page showed anything.
    func history() async -> JSONValue {
        if let steps = try? await daemon.general({ try await $0.daemonHour() }) {
            histories.fill(with: steps)
        }
        return .members([
            "stepSeconds": .integer(1), "samples": .array(histories.samples.map(\.json)),
        ])
    }

    /// Tells a page the figures until its stream ends.
    func run(_ outlet: EventOutlet) async {
        var told = -1
        for await tick in watch() {
            if tick.revision != told {
                guard await outlet.send("overview", tick.overview) else { return }
                told = tick.revision
            }
            if let sample = tick.sample {
                guard await outlet.send("sample", sample) else { return }
            }
        }
    }

    private func watch() -> AsyncStream<Tick> {
        let (ticks, continuation) = AsyncStream.makeStream(
            of: Tick.self, bufferingPolicy: .bufferingNewest(2))
        let number = nextWatcher
        nextWatcher += 1
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unwatch(number) }
        }
        if asking == nil {
            asking = Task { await self.ask() }
            following = Task { await self.follow() }
        }
        return ticks
    }

    private func unwatch(_ number: Int) {
        watchers[number] = nil
        guard watchers.isEmpty else { return }
        asking?.cancel()
        following?.cancel()
        (asking, following, told) = (nil, nil, nil)
    }

    private func ask() async {
        while !Task.isCancelled {
            await tick(sample: await sample(at: Hearth.Timestamp()))
            try? await Task.sleep(for: ConsoleLimits.overviewInterval)
        }
    }

    /// Shows what the daemon tells, at once.
    private func follow() async {
        while !Task.isCancelled {
            do {
                let database = try await daemon.general { database in
                    _ = try await database.daemonStatus()
                    return database
                }
                for await news in database.daemonChanges(every: ConsoleLimits.overviewRest) {
                    await take(news.mapError { DaemonSource.told($0) })
                }
            } catch {
                await take(.failure(DaemonSource.told(error)))
            }
            try? await Task.sleep(for: ConsoleLimits.overviewInterval)
        }
    }

    private func take(_ news: Result<[DaemonStatus], HearthError>) async {
        guard !Task.isCancelled else { return }  // No page shows it any more.
        told = (news, .now)
        await tick(sample: nil)
    }

    private func tick(sample: [UInt8]?) async {
        let toldAt = told?.at
        let overview = await read()
        // The daemon may have told more meanwhile.
        guard told?.at == toldAt else { return await tick(sample: sample) }
        let revision = last.map { $0.stable == overview ? $0.revision : $0.revision + 1 } ?? 0
        last = (overview, revision)
        let bytes = JSONWriter.bytes(of: overview.json(at: Hearth.Timestamp(), told: age))
        let tick = Tick(overview: bytes, revision: revision, sample: sample)
        for watcher in watchers.values { watcher.yield(tick) }
    }

    /// How long ago the daemon told its state.
    private var age: Duration { told.map { .now - $0.at } ?? .zero }

    private func sample(at now: Hearth.Timestamp) async -> [UInt8]? {
        guard let text = try? await daemon.general({ try await $0.daemonMetrics() }) else {
            return nil
        }
        let moment = HearthModel.Timestamp(seconds: now.seconds, nanoseconds: now.nanoseconds)
        return JSONWriter.bytes(of: histories.take(MetricReading(text), at: moment).json)
    }

    private func read() async -> Overview {
        do {
            let statuses =
                if let told { try told.news.get() } else {
                    try await daemon.general { try await $0.daemonDatabases() }
                }
            return Overview(
                statuses: statuses, identity: await identityNow(),
                causes: await counts(of: statuses))
        } catch {
            return Overview(failure: DaemonSource.told(error))
        }
    }

    private func identityNow() async -> DaemonIdentity? {
        let now = ContinuousClock.now
        if let identity, now - identity.at < Self.identityInterval { return identity.told }
        let told = try? await daemon.general { try await $0.daemonIdentity() }
        identity = told.map { ($0, now) }
        return told
    }

    /// The dead letters by cause, asked again only where their number has changed.
    private func counts(of statuses: [DaemonStatus]) async -> [String: [String: Int]] {
        var counts: [String: [String: Int]] = [:]
        for status in statuses {
            let name = Overview.name(of: status)
            if status.hasUnknownCounts { continue }  // So are the causes.
            if status.deadLetterCount == 0 {
                counts[name] = [:]
            } else if let known = causes.counts(of: name, total: status.deadLetterCount) {
                counts[name] = known
            } else if let database = try? daemon.database(name),
                let letters = try? await DaemonSource.letters(of: database).letters
            {
                let found = Dictionary(grouping: letters, by: DaemonSource.cause(of:))
                    .mapValues(\.count)
                causes.note(found, of: name, total: status.deadLetterCount)
                counts[name] = found
            }
        }
        return counts
    }
}

/// The dead letters of each database by cause, counted when the number of letters last changed.
private struct CauseCounts {
    private var known: [String: (total: Int, counts: [String: Int])] = [:]

    /// The counts; `nil` if they were never asked for, or the number has changed since.
    func counts(of database: String, total: Int) -> [String: Int]? {
        known[database].flatMap { $0.total == total ? $0.counts : nil }
    }

    /// Remembers the counts of a moment.
    mutating func note(_ counts: [String: Int], of database: String, total: Int) {
        known[database] = (total, counts)
    }
}
