import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// Opens a store; a damaged one is set aside, and what only it knows is carried over into a new one.
///
/// The cache can be fetched again; queued writes, dead letters and what resends are recognised by cannot. They
/// come into the new store as they were, under their numbers and with their states: what was held is held,
/// what was sent counts as sent, and no limit refuses what was accepted once. Effects are computed anew.
struct StoreRescue {
    /// A store that was rebuilt is not rebuilt again within this time because of what is read in it:
    /// the fault is then not in the file, and each rebuilding would leave another one behind.
    static let pauseMin = Duration.seconds(3_600)

    private let configuration: StoreConfiguration

    init(_ configuration: StoreConfiguration) {
        self.configuration = configuration
    }

    /// Opens the store, or a new one in the place of a damaged one.
    func open(at now: Timestamp) throws(StoreError) -> OpenedStore<SQLiteStore> {
        if let mark = DamageMark.read(besides: configuration.path) {
            return try rescue(mark, at: now)
        }
        let survey = try SQLiteStore.survey(configuration)
        if let damage = survey.damage { return try rescue(DamageMark(reason: damage), at: now) }
        var news: [StoreNews] = []
        if let problem = survey.intakeProblem { news.append(try logLost(problem, at: now)) }
        do throws(StoreError) {
            let store = try SQLiteStore(configuration)
            if let damage = try store.queueContradiction() { throw .damaged(damage) }
            if let version = store.migratedFrom { news.append(.migrated(from: version)) }
            return OpenedStore(store, news: news)
        } catch {
            guard case .damaged(let reason) = error else { throw error }
            return try rescue(DamageMark(reason: reason), at: now)
        }
    }

    /// Has the store rescued when it is opened next, because of what was read in it.
    ///
    /// - Returns: False if it was rebuilt a short while ago.
    func condemn(_ reason: String, at now: Timestamp) throws(StoreError) -> Bool {
        let earliest = now.advanced(by: .zero - Self.pauseMin).seconds
        let times = StoreFolder.setAsideTimes(of: configuration.path)
        guard !times.contains(where: { $0 > earliest && $0 <= now.seconds }) else { return false }
        try DamageMark(reason: reason).write(besides: configuration.path)
        return true
    }

    /// Puts a log of another database where a person finds it, and says what is wrong with it.
    private func logLost(_ problem: StoreSurvey.IntakeProblem, at now: Timestamp) throws(StoreError)
        -> StoreNews
    {
        var report =
            "Writes that were accepted last may be missing: of the intake log of "
            + "\(configuration.path), \(problem)."
        if problem == .foreign {
            let path = try configuration.files.setAsideIntake(at: now)
            report += " It was put aside as \(path)."
        }
        return .logLost(report)
    }

    /// Every step may be the last one before a power cut, and is found by the next opening as it was left: the
    /// mark stands until the new store has all, and the old file tells by its place whether it was moved.
    private func rescue(_ mark: DamageMark, at now: Timestamp) throws(StoreError)
        -> OpenedStore<SQLiteStore>
    {
        let place = configuration.path
        let path = mark.setAsidePath ?? configuration.files.setAsidePath(at: now)
        if mark.setAsidePath == nil {
            try DamageMark(reason: mark.reason, setAsidePath: path).write(besides: place)
        }
        let salvage = try SQLiteStore.setAside(configuration, to: path)
        let store = try SQLiteStore(configuration)
        try store.restore(salvage)
        let loss = salvage.loss.map { " Lost: \($0)." } ?? ""
        return OpenedStore(
            store,
            news: [
                .rebuilt(
                    "The database was damaged (\(mark.reason)) and is set aside as \(path). "
                        + "\(salvage.batches.count) queued batches and "
                        + "\(salvage.deadLetters.count) dead letters were saved.\(loss)")
            ],
            finish: { () throws(StoreError) in try DamageMark.remove(besides: place) })
    }
}
