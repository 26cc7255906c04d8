import CLinux
import Glibc
import HearthEngine
import HearthModel
import HearthSQLite

/// The files beside a store that tell what the store has lost.
///
/// The report of a rescue has the name of the damaged file that was set aside, so whoever clears the damaged file
/// away takes note of the loss. A report stays until then, whatever becomes of the daemon. The report of a loss that
/// an engine has told goes too when the engine has made the loss good.
///
/// Shape: `STORE.damaged-SECONDS-report` of a rescue, `STORE.lost-SECONDS-DIGEST-EDITION-report` of an engine's loss,
/// by the digest of the lost thing's name and the time of the thing's edition (`ToldReport`). Each holds the account
/// as text. `STORE.lost-unlisted-report` has the engine's losses that have no report (`UnlistedLosses`).
enum LossReports {
    /// How many reports of a store the daemon tells one by one, the latest first. The daemon tells
    /// only the number of the others.
    static let countMax = 16
    /// How many reports of an engine's losses are kept. Programs can cause such losses, and must neither fill the
    /// folder nor crowd out the reports of rescues. Of further losses the number is kept.
    static let toldCountMax = 8
    /// The longest account that is told.
    private static let byteCountMax = 8_192

    private static let suffix = "-report"

    /// Puts a report on the disk, in the place of an earlier one of the same rescue. Blocks on the disk.
    ///
    /// If the disk refuses the report, an earlier one stays; without an earlier one, the journal alone tells of the
    /// loss: a store is not kept closed for want of a report.
    ///
    /// - Parameter path: Where the damaged file is set aside, or would be.
    /// - Returns: Whether the disk has taken the report.
    @discardableResult
    static func write(_ account: String, besides path: String) -> Bool {
        let path = path + suffix
        let bytes = Array((account + "\n").utf8)
        return clinux_replace_file(path, bytes, bytes.count, 0o600) == 0
    }

    /// Puts the report of a loss that an engine has told on the disk, in the place of earlier reports that the loss
    /// supersedes. Earlier reports stay if the disk refuses the new one. Blocks on the disk.
    ///
    /// If there are `toldCountMax` others, the loss counts among the unlisted ones, and the journal alone has the
    /// account.
    static func write(
        _ account: String, of loss: LossName, besides store: String, at now: Timestamp
    ) {
        let report = ToldReport(of: loss, besides: store, at: now)
        let others = toldReports(besides: store).filter { !utf8Equals($0.place, report.place) }
        let superseded = others.filter { $0.isMadeGood(by: loss) }
        var unlisted = UnlistedLosses(besides: store)
        guard others.count - superseded.count < toldCountMax else {
            return unlisted.add(report, of: loss)
        }
        guard write(account, besides: report.place) else { return }
        for report in superseded { unlink(report.place + suffix) }
        unlisted.remove(loss)
    }

    /// Takes the reports of a loss back, and of the losses of older editions, because they are made good. Blocks on
    /// the disk.
    static func remove(_ loss: LossName, besides store: String) {
        for report in toldReports(besides: store) where report.isMadeGood(by: loss) {
            unlink(report.place + suffix)
        }
        var unlisted = UnlistedLosses(besides: store)
        unlisted.remove(loss)
    }

    /// Takes the reports of all losses that an engine has told back, because what the store lacked is gone with all that
    /// the store had. The reports of rescues stay: they tell of the files that are set aside. Blocks on the disk.
    ///
    /// - Returns: How many losses the reports told of.
    @discardableResult
    static func removeTold(besides store: String) -> Int {
        let count = toldCount(besides: store)
        for report in toldReports(besides: store) { unlink(report.place + suffix) }
        unlink(UnlistedLosses(besides: store).path)
        return count
    }

    /// How many losses an engine has told beside a store. Blocks on the disk.
    static func toldCount(besides store: String) -> Int {
        toldReports(besides: store).count + UnlistedLosses(besides: store).count
    }

    /// Moves the reports of an engine's losses beside the moved store. Blocks on the disk.
    static func moveTold(from store: String, to other: String) {
        for report in toldReports(besides: store) {
            guard let moved = ToldReport(named: report.name, besides: other) else { continue }
            rename(report.place + suffix, moved.place + suffix)
        }
        rename(UnlistedLosses(besides: store).path, UnlistedLosses(besides: other).path)
    }

    /// What the reports beside a store tell, the earliest first, and how many losses are not listed. Blocks on the
    /// disk.
    static func read(besides store: String) -> [StoreLoss] {
        let told = toldReports(besides: store).suffix(toldCountMax).map { report in
            (seconds: report.seconds, path: report.place + suffix)
        }
        let times = StoreFolder.setAsideTimes(of: store, suffix: suffix).sorted()
        let rescues = times.suffix(countMax - told.count).map { seconds in
            (seconds: seconds, path: path(ofRescueAt: seconds, of: store))
        }
        let listed = (rescues + told).sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }
            .compactMap { read($0.path, of: $0.seconds) }
        let others = [
            unlistedRescues(times.dropLast(rescues.count), of: store),
            UnlistedLosses(besides: store).told,
        ]
        return listed + others.compactMap(\.self)
    }

    /// What is told of the rescues that are not listed; `nil` if there are none.
    private static func unlistedRescues(
        _ times: ArraySlice<Int64>, of store: String
    ) -> StoreLoss? {
        guard let last = times.last else { return nil }
        let path = path(ofRescueAt: last, of: store)
        let noun = times.count == 1 ? "loss is" : "losses are"
        return StoreLoss(
            noticedAt: Timestamp(seconds: last, nanoseconds: 0),
            account: "And \(times.count) earlier \(noun) not listed. The last of their reports is "
                + "\(path); the others lie beside that one.",
            path: path, count: times.count)
    }

    private static func path(ofRescueAt seconds: Int64, of store: String) -> String {
        "\(store).damaged-\(seconds)\(suffix)"
    }

    private static func read(_ path: String, of seconds: Int64) -> StoreLoss? {
        guard let file = RawFile(path),
            let bytes = file.bytes(min(file.byteCount, byteCountMax), at: 0)
        else { return nil }
        return StoreLoss(
            noticedAt: Timestamp(seconds: seconds, nanoseconds: 0), account: account(in: bytes),
            path: path)
    }

    /// The reports of an engine's losses, the earliest first.
    private static func toldReports(besides store: String) -> [ToldReport] {
        let base = ToldReport.base(of: store)
        return StoreFolder.namesBesides(base, behind: ToldReport.mark, before: suffix)
            .compactMap { ToldReport(named: $0, besides: store) }
            .sorted { ($0.seconds, $0.place) < ($1.seconds, $1.place) }
    }

    /// Whether a report beside a store has an account, as far as reports have it. Blocks on the disk.
    static func tell(_ account: String, besides store: String) -> Bool {
        let told = self.account(in: account.utf8.prefix(byteCountMax))
        return read(besides: store).contains { utf8Equals($0.account, told) }
    }

    /// The account that a file's bytes are, on one line.
    private static func account(in bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
    }

    /// The losses that no operator has taken note of yet. Blocks on the disk.
    static func standing(_ losses: [StoreLoss]) -> [StoreLoss] {
        losses.filter { access($0.path, F_OK) == 0 }
    }
}
