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
/// as text.
enum LossReports {
    /// How many reports of a store are told, the latest ones.
    static let countMax = 16
    /// How many reports of an engine's losses are kept. Programs can cause such losses, and must neither fill the
    /// folder nor crowd out the reports of rescues.
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
    /// If there are `toldCountMax` others, the journal alone tells of the loss, as the last of them says.
    static func write(
        _ account: String, of loss: LossName, besides store: String, at now: Timestamp
    ) {
        let report = ToldReport(of: loss, besides: store, at: now)
        let others = toldReports(besides: store).filter { !utf8Equals($0.place, report.place) }
        let superseded = others.filter { $0.isMadeGood(by: loss) }
        let leftCount = toldCountMax - (others.count - superseded.count)
        guard leftCount > 0 else { return }
        let end = leftCount == 1 ? " Of further losses the journal alone tells." : ""
        guard write(account + end, besides: report.place) else { return }
        for report in superseded { unlink(report.place + suffix) }
    }

    /// Takes the reports of a loss back, and of the losses of older editions, because they are made good. Blocks on
    /// the disk.
    static func remove(_ loss: LossName, besides store: String) {
        for report in toldReports(besides: store) where report.isMadeGood(by: loss) {
            unlink(report.place + suffix)
        }
    }

    /// What the reports beside a store tell, the earliest first. Blocks on the disk.
    static func read(besides store: String) -> [StoreLoss] {
        let told = toldReports(besides: store).suffix(toldCountMax).map { report in
            (seconds: report.seconds, path: report.place + suffix)
        }
        let rescues = StoreFolder.setAsideTimes(of: store, suffix: suffix).sorted()
            .suffix(countMax - told.count).map { seconds in
                (seconds: seconds, path: "\(store).damaged-\(seconds)\(suffix)")
            }
        return (rescues + told).sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }
            .compactMap { read($0.path, of: $0.seconds) }
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
        StoreFolder.namesBesides(store, behind: ToldReport.mark, before: suffix)
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

    /// The losses of which nobody has taken note yet. Blocks on the disk.
    static func standing(_ losses: [StoreLoss]) -> [StoreLoss] {
        losses.filter { access($0.path, F_OK) == 0 }
    }
}
