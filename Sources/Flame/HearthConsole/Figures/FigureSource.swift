import Hearth
import HearthModel

/// Asks the daemon for its figures once a second while a page shows them, for all pages together; and not
/// at all while none does.
actor FigureSource {
    /// What all pages are told after one second.
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
    func overview() async throws -> JSONValue { await read().json(at: Hearth.Timestamp()) }

    /// The samples of the last hour.
    func history() -> JSONValue {
        .members([
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
            of: Tick.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextWatcher
        nextWatcher += 1
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unwatch(number) }
        }
        if asking == nil { asking = Task { await self.ask() } }
        return ticks
    }

    private func unwatch(_ number: Int) {
        watchers[number] = nil
        guard watchers.isEmpty else { return }
        asking?.cancel()
        asking = nil
    }

    private func ask() async {
        while !Task.isCancelled {
            let tick = await tick()
            for watcher in watchers.values { watcher.yield(tick) }
            try? await Task.sleep(for: ConsoleLimits.overviewInterval)
        }
    }

    private func tick() async -> Tick {
        let overview = await read()
        let now = Hearth.Timestamp()
        let revision = last.map { $0.stable == overview ? $0.revision : $0.revision + 1 } ?? 0
        last = (overview, revision)
        return Tick(
            overview: JSONWriter.bytes(of: overview.json(at: now)), revision: revision,
            sample: await sample(at: now))
    }

    private func sample(at now: Hearth.Timestamp) async -> [UInt8]? {
        guard let text = try? await daemon.general({ try await $0.daemonMetrics() }) else {
            return nil
        }
        let moment = HearthModel.Timestamp(seconds: now.seconds, nanoseconds: now.nanoseconds)
        return JSONWriter.bytes(of: histories.take(MetricReading(text), at: moment).json)
    }

    private func read() async -> Overview {
        do {
            let statuses = try await daemon.general { try await $0.daemonDatabases() }
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

/// The dead letters of each database by cause, as they were when they were so many.
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
