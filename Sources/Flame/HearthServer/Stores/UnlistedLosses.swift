import CLinux
import Glibc
import HearthEngine
import HearthModel
import HearthSQLite

/// The losses that an engine has told and that have no report of their own, because a store has as many reports as it
/// may have (`LossReports.toldCountMax`).
///
/// Operators are told the number of these losses. The file names each loss as a report's name would, so the number
/// goes down when a loss is made good.
///
/// Shape: a file `STORE.lost-unlisted-report` with a line `SECONDS-DIGEST-EDITION` for each loss (`ToldReport`), the
/// earliest first. A line `more` says that the file has forgotten earlier losses.
struct UnlistedLosses {
    /// How many losses are known one by one: 80 kB of a file. An earlier one is forgotten for a later one.
    static let countMax = 1_000

    private static let file = "unlisted-report"
    private static let forgotten = "more"
    /// The longest line, with its end.
    private static let lineByteCountMax = 96

    private let store: String
    private var losses: [ToldReport] = []
    private var hasForgotten = false

    /// Reads what is unlisted of a store. Blocks on the disk.
    init(besides store: String) {
        self.store = store
        guard let file = RawFile(path),
            let bytes = file.bytes(
                min(file.byteCount, (Self.countMax + 1) * Self.lineByteCountMax), at: 0)
        else { return }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.utf8.elementsEqual(Self.forgotten.utf8) {
                hasForgotten = true
            } else if let loss = ToldReport(named: String(line), besides: store) {
                append(loss)
            }
        }
    }

    /// Where the file lies. Who removes the file has taken note.
    var path: String { ToldReport.base(of: store) + ToldReport.mark + Self.file }

    /// How many losses are known one by one.
    var count: Int { losses.count }

    /// What operators are told; `nil` if nothing is unlisted.
    var told: StoreLoss? {
        guard let last = losses.last else { return nil }
        let number = hasForgotten ? "at least \(count)" : "\(count)"
        let noun = count == 1 ? "loss is" : "losses are"
        return StoreLoss(
            noticedAt: Timestamp(seconds: last.seconds, nanoseconds: 0),
            account: "And \(number) more \(noun) not listed, because a store has "
                + "\(LossReports.toldCountMax) reports at most of losses that programs can cause. "
                + "The journal tells of each.",
            path: path, count: count)
    }

    /// Notes a loss, in the place of those that the loss supersedes. Blocks on the disk.
    mutating func add(_ report: ToldReport, of loss: LossName) {
        losses.removeAll { $0.isMadeGood(by: loss) }
        append(report)
        write()
    }

    private mutating func append(_ report: ToldReport) {
        if losses.count == Self.countMax {
            losses.removeFirst()
            hasForgotten = true
        }
        losses.append(report)
    }

    /// Takes a loss out, and the losses of older editions, because they are listed or made good. Blocks on the disk.
    mutating func remove(_ loss: LossName) {
        let before = count
        losses.removeAll { $0.isMadeGood(by: loss) }
        if count != before { write() }
    }

    private func write() {
        if losses.isEmpty {
            unlink(path)
            return
        }
        let lines = (hasForgotten ? [Self.forgotten] : []) + losses.map(\.name)
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        // Without room the journal alone tells, as of a report.
        _ = clinux_replace_file(path, bytes, bytes.count, 0o600)
    }
}
