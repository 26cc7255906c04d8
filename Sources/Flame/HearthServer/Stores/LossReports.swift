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
/// Shape: `STORE.damaged-SECONDS-report` of a rescue, `STORE.lost-SECONDS-DIGEST-report` of an engine's loss, by the
/// digest of the loss's name. Each holds the account as text.
enum LossReports {
    /// How many reports of a store are told, the latest ones.
    static let countMax = 16
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

    /// Puts the report of a loss that an engine has told on the disk, in the place of earlier ones of the loss.
    /// Earlier reports stay if the disk refuses the new one. Blocks on the disk.
    static func write(
        _ account: String, of loss: String, besides store: String, at now: Timestamp
    ) {
        let digest = digest(of: loss)
        let earlier = toldReports(besides: store).filter {
            $0.seconds != now.seconds && utf8Equals($0.digest, digest)
        }
        guard write(account, besides: "\(store)\(lost)\(now.seconds)-\(digest)") else { return }
        for report in earlier { unlink(report.path) }
    }

    /// Takes the reports of a loss back, because the loss is made good. Blocks on the disk.
    static func remove(_ loss: String, besides store: String) {
        let digest = digest(of: loss)
        for report in toldReports(besides: store) where utf8Equals(report.digest, digest) {
            unlink(report.path)
        }
    }

    /// What the reports beside a store tell, the earliest first. Blocks on the disk.
    static func read(besides store: String) -> [StoreLoss] {
        let rescues = StoreFolder.setAsideTimes(of: store, suffix: suffix).map { seconds in
            (seconds: seconds, path: "\(store).damaged-\(seconds)\(suffix)")
        }
        let told = toldReports(besides: store).map { (seconds: $0.seconds, path: $0.path) }
        return (rescues + told).sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }
            .suffix(countMax).compactMap { read($0.path, of: $0.seconds) }
    }

    private static func read(_ path: String, of seconds: Int64) -> StoreLoss? {
        guard let file = RawFile(path),
            let bytes = file.bytes(min(file.byteCount, byteCountMax), at: 0)
        else { return nil }
        return StoreLoss(
            noticedAt: Timestamp(seconds: seconds, nanoseconds: 0), account: account(in: bytes),
            path: path)
    }

    private static let lost = ".lost-"

    private static func toldReports(
        besides store: String
    ) -> [(seconds: Int64, digest: String, path: String)] {
        StoreFolder.namesBesides(store, behind: lost, before: suffix).compactMap { name in
            guard let dash = name.firstIndex(of: "-"), let seconds = Int64(name[..<dash]) else {
                return nil
            }
            let digest = String(name[name.index(after: dash)...])
            return (seconds, digest, "\(store)\(lost)\(name)\(suffix)")
        }
    }

    private static func digest(of loss: String) -> String {
        let (first, second) = MD5.words(of: loss.utf8)
        return String(first, radix: 16) + "_" + String(second, radix: 16)
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
