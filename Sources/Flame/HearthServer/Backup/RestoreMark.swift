import CLinux
import Glibc
import HearthEngine
import HearthSQLite

/// The file in a store folder that tells of a restore that is decided and perhaps not finished.
///
/// A restore first puts every new file beside its place, then writes the mark, and then moves the
/// files. So a restore that a power cut or a kill ends has either not happened, or is finished by
/// whoever comes next: another restore, or the daemon before it opens a store.
///
/// Shape: lines `HEARTH RESTORE 1`, the note, `PLACE TAB ASIDE` for each file, `END`. Places are
/// relative to the folder; ASIDE is empty for a store that is replaced without a trace.
struct RestoreMark: Hashable, Sendable {
    /// A file that comes to its place.
    struct Move: Hashable, Sendable {
        /// Where it comes to, from `PLACE.restoring`.
        let place: String
        /// Where the store goes that lies there; empty if it is removed.
        let aside: String
    }

    /// What is restored, in a sentence for the journal.
    let note: String
    /// What comes to its place.
    let moves: [Move]

    private static let first = "HEARTH RESTORE 1"
    private static let last = "END"
    private static let byteCountMax = 64 << 20

    /// Where the file for a place is made ready.
    static func newPath(for path: String) -> String { path + ".restoring" }

    /// Where the mark lies.
    static func path(in folder: String) -> String { folder + "/restore-mark" }
    private static func notePath(in folder: String) -> String { folder + "/restore-note" }

    // MARK: The mark

    /// Puts the mark on the disk. From then on the restore has happened.
    func write(in folder: String) throws(BackupError) {
        var lines = [Self.first, note.split(whereSeparator: \.isNewline).joined(separator: " ")]
        lines += moves.map { "\($0.place)\t\($0.aside)" }
        lines.append(Self.last)
        let path = Self.path(in: folder)
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        try RestoredFile.write(bytes, to: path + ".new")
        guard rename(path + ".new", path) == 0 else {
            throw RestoredFile.error("renaming \(path).new")
        }
        try RestoredFile.syncFolder(of: path)
    }

    /// The mark of a folder, if there is one.
    ///
    /// - Throws: `BackupError.damaged` for a mark that no restore has written.
    static func read(in folder: String) throws(BackupError) -> RestoreMark? {
        guard let bytes = try RestoredFile.read(path(in: folder), byteCountMax: byteCountMax) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 4, lines[0] == first, lines[lines.count - 2] == last else {
            throw .damaged("\(path(in: folder)) is no mark of a restore")
        }
        var moves: [Move] = []
        for line in lines[2..<(lines.count - 2)] {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 2, parts.allSatisfy(isPlace), !parts[0].isEmpty else {
                throw .damaged("\(path(in: folder)) names \(line.prefix(200)), which is no place")
            }
            moves.append(Move(place: parts[0], aside: parts[1]))
        }
        return RestoreMark(note: lines[1], moves: moves)
    }

    /// Whether a relative path stays in the folder.
    private static func isPlace(_ path: String) -> Bool {
        !path.utf8.starts(with: "/".utf8)
            && path.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy { $0 != ".." && $0 != "." }
    }

    // MARK: Finishing

    /// Finishes the restore that a folder's mark tells of, if there is one.
    ///
    /// May end at any point; the next call goes on. Nobody may have a store of the folder open.
    ///
    /// - Throws: `BackupError` if a file cannot be moved. The mark stays then.
    static func finish(in folder: String) throws(BackupError) {
        guard let mark = try read(in: folder) else { return }
        // First: no restored store may pass for an older one.
        try StoreGeneration.renew(in: folder)
        for move in mark.moves { try move.carryOut(in: folder) }
        try RestoredFile.write(Array(mark.note.utf8), to: notePath(in: folder))
        guard unlink(path(in: folder)) == 0 else {
            throw RestoredFile.error("removing \(path(in: folder))")
        }
        try RestoredFile.syncFolder(of: path(in: folder))
    }

    /// Whether there was a restore that no start of the daemon has reported yet.
    static func isUntold(in folder: String) -> Bool {
        access(path(in: folder), F_OK) == 0 || access(notePath(in: folder), F_OK) == 0
    }

    /// What was restored since the last call, for the journal.
    static func takeNote(in folder: String) -> String? {
        let path = notePath(in: folder)
        guard let bytes = try? RestoredFile.read(path, byteCountMax: 65_536) else { return nil }
        unlink(path)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RestoreMark.Move {
    /// Brings the new file to its place, unless that is done.
    fileprivate func carryOut(in folder: String) throws(BackupError) {
        let path = folder + "/" + place
        let new = RestoreMark.newPath(for: path)
        guard access(new, F_OK) == 0 else { return }
        // The database goes last, because the files beside a database mean nothing without the
        // database.
        for suffix in StoreFiles.suffixes {
            if aside.isEmpty {
                guard unlink(path + suffix) == 0 || errno == ENOENT else {
                    throw RestoredFile.error("removing \(path)\(suffix)")
                }
            } else {
                guard rename(path + suffix, "\(folder)/\(aside)\(suffix)") == 0 || errno == ENOENT
                else { throw RestoredFile.error("moving \(path)\(suffix)") }
            }
        }
        unlink(path + "-damaged")  // The mark of a damaged store is of the store that is gone.
        moveReports(of: path, in: folder)
        guard rename(new, path) == 0 else { throw RestoredFile.error("renaming \(new)") }
        try RestoredFile.syncFolder(of: path)
    }

    /// Has the reports of the engine's losses go with the replaced store. The restored store notes its own losses, and
    /// its engine tells them at the start.
    ///
    /// The reports of rescues stay: no restore gives back what was accepted and lost, the files that were set aside are
    /// still there, and whoever restores may restore because of them.
    private func moveReports(of path: String, in folder: String) {
        if aside.isEmpty {
            LossReports.removeTold(besides: path)
        } else {
            LossReports.moveTold(from: path, to: "\(folder)/\(aside)")
        }
    }
}
