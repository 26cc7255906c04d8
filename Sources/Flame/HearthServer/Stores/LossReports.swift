import CLinux
import Glibc
import HearthEngine
import HearthModel
import HearthSQLite

/// The files beside a store that tell what the store has lost.
///
/// A report has the name of the damaged file that was set aside, so whoever clears the damaged file away takes
/// note of the loss. A report stays until then, whatever becomes of the daemon.
///
/// Shape: `STORE.damaged-SECONDS-report`, which holds the account as text.
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
    static func write(_ account: String, besides path: String) {
        let path = path + suffix
        let bytes = Array((account + "\n").utf8)
        _ = clinux_replace_file(path, bytes, bytes.count, 0o600)
    }

    /// What the reports beside a store tell, the earliest first. Blocks on the disk.
    static func read(besides store: String) -> [StoreLoss] {
        StoreFolder.setAsideTimes(of: store, suffix: suffix).sorted().suffix(countMax)
            .compactMap { seconds in
                let path = "\(store).damaged-\(seconds)\(suffix)"
                guard let file = RawFile(path),
                    let bytes = file.bytes(min(file.byteCount, byteCountMax), at: 0)
                else { return nil }
                let text = String(decoding: bytes, as: UTF8.self)
                return StoreLoss(
                    noticedAt: Timestamp(seconds: seconds, nanoseconds: 0),
                    account: text.split(whereSeparator: \.isNewline).joined(separator: " "),
                    path: path)
            }
    }

    /// The losses of which nobody has taken note yet. Blocks on the disk.
    static func standing(_ losses: [StoreLoss]) -> [StoreLoss] {
        losses.filter { access($0.path, F_OK) == 0 }
    }
}
