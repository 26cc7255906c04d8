import Glibc
import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore

/// Opens a store, or sets a damaged store aside and saves the irreplaceable data in a new store.
///
/// The cache can be fetched again, but queued writes, dead letters and the records that recognise
/// resent writes cannot. The rescue copies all three kinds into the new store under their numbers
/// and with their states. A held batch stays held, a sent batch counts as sent, and no limit
/// refuses an accepted batch. The rescue computes the effects of the batches anew.
struct StoreRescue<Content: SalvagedContent> {
    /// The least time between two rebuildings of a store because of damage found while reading.
    ///
    /// A rebuilt store that shows damage sooner has a fault outside the file, and each rebuilding
    /// would leave another damaged file behind.
    static var pauseMin: Duration { .seconds(3_600) }

    private let configuration: GroupStoreConfiguration<Content>
    /// Whether the store notes what becomes of its documents.
    private let keepsHistory: Bool

    init(_ configuration: GroupStoreConfiguration<Content>, keepsHistory: Bool = false) {
        self.configuration = configuration
        self.keepsHistory = keepsHistory
    }

    /// Opens the store, or a new one in the place of a damaged one.
    func open(at now: Timestamp) throws(StoreError) -> OpenedStore<GroupStore<Content>> {
        if let mark = try DamageMark.read(besides: configuration.path) {
            return try rescue(mark, at: now)
        }
        let survey = try GroupStore.survey(configuration)
        if let damage = damage(seenBy: survey) {
            return try rescue(DamageMark(reason: damage), at: now)
        }
        var news: [StoreNews] = []
        if let problem = survey.intakeProblem { news.append(try logLost(problem, at: now)) }
        do throws(StoreError) {
            let store = try GroupStore(configuration)
            if let damage = try store.queueContradiction() { throw .damaged(damage) }
            if let version = store.migratedFrom { news.append(.migrated(from: version)) }
            return OpenedStore(
                store, news: news, losses: LossReports.read(besides: configuration.path))
        } catch {
            guard let reason = error.damage else { throw error }
            return try rescue(DamageMark(reason: reason), at: now)
        }
    }

    /// What the next opening would save, if the files show damage for which the opening would set
    /// the store aside; otherwise `nil`. Changes no byte. Blocks on the disk.
    func outlook() -> StoreOutlook? {
        // A mark that cannot be read keeps the store closed, and nothing is saved.
        let mark = try? DamageMark.read(besides: configuration.path)
        guard let reason = mark?.reason ?? damage(seenBy: StoreSurvey(configuration)) else {
            return nil
        }
        let moved = mark?.setAsidePath.flatMap { access($0, F_OK) == 0 ? $0 : nil }
        let salvage = Salvage(moved ?? configuration.path, of: configuration.content)
        return StoreOutlook(
            reason: reason, waitingCount: salvage.batches.count,
            rejectedCount: salvage.deadLetters.count)
    }

    /// Why the files need a rescue; `nil` if they need none.
    ///
    /// An open store keeps a reserve. A reserve beside no database is of a store whose files somebody has
    /// removed.
    private func damage(seenBy survey: StoreSurvey) -> String? {
        if let damage = survey.damage { return damage }
        guard survey.isBlank, StoreReserve(besides: configuration.path).isThere else { return nil }
        return "its files are gone or blank, but the reserve of an open store is there"
    }

    /// Marks the store for a rescue at the next opening, because of damage found while reading.
    ///
    /// - Returns: `false` if the store was rebuilt within `pauseMin`.
    func condemn(_ reason: String, at now: Timestamp) throws(StoreError) -> Bool {
        let earliest = now.advanced(by: .zero - Self.pauseMin).seconds
        let times = StoreFolder.setAsideTimes(of: configuration.path)
        guard !times.contains(where: { $0 > earliest && $0 <= now.seconds }) else { return false }
        try DamageMark(reason: reason).write(besides: configuration.path)
        return true
    }

    /// Reports a problem of the intake log, and sets a log of another database aside.
    ///
    /// A log that nobody has made anew is reported once, however often the store is opened.
    private func logLost(_ problem: StoreSurvey.IntakeProblem, at now: Timestamp) throws(StoreError)
        -> StoreNews
    {
        var report =
            "Writes that were accepted last may be missing: the intake log "
            + "\(IntakeLog.path(besides: configuration.path)) \(problem)."
        let aside = configuration.files.setAsidePath(at: now)
        if problem == .foreign {
            let path = try configuration.files.setAsideIntake(at: now)
            report += " It was put aside as \(path)."
        }
        if !LossReports.tell(report, besides: configuration.path) {
            LossReports.write(report, besides: aside)
        }
        return .logLost(report)
    }

    /// Every step may be the last one before a power cut, and is found by the next opening as it was left: the
    /// mark stands until the new store has all, and the old file tells by its place whether it was moved.
    private func rescue(_ mark: DamageMark, at now: Timestamp) throws(StoreError)
        -> OpenedStore<GroupStore<Content>>
    {
        let place = configuration.path
        let path = mark.setAsidePath ?? configuration.files.setAsidePath(at: now)
        if mark.setAsidePath == nil {
            try DamageMark(reason: mark.reason, setAsidePath: path).write(besides: place)
        }
        let salvage = try GroupStore.setAside(configuration, to: path)
        let store = try GroupStore(configuration)
        try store.restore(salvage)
        let documents = salvage.documentCount.map { " of \($0) documents" } ?? ""
        let loss = salvage.loss.map { " Lost: \($0)." } ?? ""
        var account =
            "The database was damaged (\(mark.reason)) and is set aside as \(path). "
            + "\(salvage.batches.count) queued batches and "
            + "\(salvage.deadLetters.count) dead letters were saved. The cache\(documents) is "
            + "fetched again.\(loss)"
        let toldCount = LossReports.removeTold(besides: place)
        if toldCount > 0 {
            account +=
                " What was told of the old cache before (\(toldCount) reports) is told no more, since "
                + "the new cache has no part of it."
        }
        var news = [StoreNews.rebuilt(account)]
        if keepsHistory {
            let history = "What was noted of documents before is in \(path) alone."
            account += " " + history
            news.append(.historyLost(history))
        }
        LossReports.write(account, besides: path)
        return OpenedStore(
            store, news: news, losses: LossReports.read(besides: place),
            finish: { () throws(StoreError) in try DamageMark.remove(besides: place) })
    }
}
