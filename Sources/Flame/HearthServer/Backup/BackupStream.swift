import Glibc
package import HearthEngine
package import HearthModel
package import HearthSQLite

/// Makes a backup, one block at a time, in the order of the file.
///
/// The stream copies one store after the other to a file, and removes the file's name before it
/// hands out the bytes. So a process that ends at any time leaves no file behind. Blocks on the
/// disk; used by one thread at a time.
package final class BackupStream: @unchecked Sendable {  // On one queue.
    /// Copies the store of a database to a path.
    package typealias CopyStore =
        @Sendable (EngineKey, _ path: String) throws(HearthError) -> StoreCopy

    /// How many bytes were handed out.
    private(set) var position = 0
    /// What is being handed out, for people.
    private(set) var subject: BackupEntry.Subject?
    /// How many stores and files were handed out whole.
    private(set) var entryCount = 0
    /// How many bytes the backup will have, as far as is known.
    private(set) var byteCountExpected: Int

    private let header: BackupHeader
    private let folder: String
    private let copy: CopyStore
    private var waiting: [BackupEntry.Subject]
    private var number: UInt64 = 0
    private var file: OpenFile?
    private var isAtEnd = false

    /// An entry whose bytes are being handed out.
    private final class OpenFile {
        let descriptor: Int32
        var rest: Int

        init(_ descriptor: Int32, rest: Int) {
            self.descriptor = descriptor
            self.rest = rest
        }

        deinit { close(descriptor) }
    }

    /// A backup of some stores of a folder.
    ///
    /// - Parameters:
    ///   - header: What the backup says of itself.
    ///   - subjects: The stores and files, in the order in which the backup has them.
    ///   - folder: The folder of the daemon's stores.
    ///   - copy: Copies the store of a database to a path. Blocks on the disk.
    package init(
        _ header: BackupHeader, of subjects: [BackupEntry.Subject], in folder: String,
        copy: @escaping CopyStore
    ) {
        self.header = header
        self.folder = folder
        self.copy = copy
        waiting = subjects.reversed()
        byteCountExpected = subjects.reduce(0) { $0 + Self.byteCount(of: $1, in: folder) }
    }

    /// Removes a copy that a killed daemon has left; returns the path if there was one.
    static func removeLeftover(in folder: String) -> String? {
        let path = copyPath(in: folder)
        unlink(path + "-journal")
        return unlink(path) == 0 ? path : nil
    }

    /// The next bytes, never none; `nil` behind the end.
    ///
    /// - Throws: `HearthError` if a store cannot be copied. The backup has ended then.
    package func next() throws(HearthError) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        let bytes = try nextBytes()
        position += bytes.count
        byteCountExpected = max(byteCountExpected, position)
        return bytes
    }

    private func nextBytes() throws(HearthError) -> [UInt8] {
        if number == 0 {
            return BackupHeader.magic + block(.header, header.fields, salt: 0)
        }
        if let rest = file?.rest {
            return rest > 0 ? try data(of: rest) : endEntry()
        }
        if let subject = waiting.popLast() { return try begin(subject) }
        isAtEnd = true
        var fields = BackupFields()
        fields.append(Int64(entryCount))
        return block(.end, fields.bytes, salt: header.salt)
    }

    private func block(_ kind: BackupBlock.Kind, _ bytes: [UInt8], salt: UInt64) -> [UInt8] {
        defer { number += 1 }
        return BackupBlock(kind: kind, bytes: bytes).encoded(number: number, salt: salt)
    }

    // MARK: Entries

    private func begin(_ subject: BackupEntry.Subject) throws(HearthError) -> [UInt8] {
        self.subject = subject
        let path: String
        var version: Int64 = 0
        switch subject {
        case .store(let key):
            path = Self.copyPath(in: folder)
            version = try copy(key, path).version.rawValue
        case .keptPlaces: path = KeptOrderFile(folder: folder).path
        }
        let descriptor = try PlainFile.open(path, O_RDONLY, refuse: Self.failure)
        guard descriptor >= 0 else { throw Self.error("opening \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw Self.error("looking at \(path)")
        }
        if case .store = subject { unlink(path) }
        let byteCount = Int(status.st_size)
        file = OpenFile(descriptor, rest: byteCount)
        let entry = BackupEntry(subject, version: version, byteCount: byteCount)
        return block(.entry, entry.fields, salt: header.salt)
    }

    private func data(of rest: Int) throws(HearthError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(rest, BackupBlock.byteCountMax))
        let descriptor = file?.descriptor ?? -1
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Self.error("reading \(subject?.description ?? "a copy")") }
        file?.rest -= count
        return block(.data, Array(bytes.prefix(count)), salt: header.salt)
    }

    private func endEntry() -> [UInt8] {
        file = nil
        entryCount += 1
        return block(.entryEnd, [], salt: header.salt)
    }

    // MARK: Places

    private static func copyPath(in folder: String) -> String { folder + "/backup-copy" }

    private static func byteCount(of subject: BackupEntry.Subject, in folder: String) -> Int {
        let path =
            switch subject {
            case .store(let key): StoreFolder.path(of: key, in: folder)
            case .keptPlaces: KeptOrderFile(folder: folder).path
            }
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func error(_ what: String) -> HearthError {
        failure("\(String(cString: strerror(errno))) when \(what)")
    }

    private static func failure(_ reason: String) -> HearthError {
        HearthError(code: .unavailable, message: "The backup cannot go on: \(reason).")
    }
}
