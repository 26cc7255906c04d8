import Glibc
import HearthModel

/// An open backup file. Who opened it may give up the right to its folder then.
package final class BackupFile: Sendable {
    let descriptor: Int32
    /// The size of the file.
    package let byteCount: Int

    /// Opens a file.
    ///
    /// - Throws: `BackupError`.
    package init(path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw RestoredFile.error("opening \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .foreign("it is no plain file")
        }
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
    }

    deinit { close(descriptor) }
}

/// Reads a backup file, one block at a time, and believes nothing.
///
/// A caller that has read `nil` has read a whole and unchanged file.
package final class BackupReader {
    /// What the file consists of.
    package enum Item: Hashable, Sendable {
        /// An entry begins.
        case entry(BackupEntry)
        /// Bytes of the entry.
        case data([UInt8])
        /// The entry is whole.
        case entryEnd
    }

    /// What the file says of itself.
    package let header: BackupHeader
    /// How many bytes were read.
    package private(set) var position = 0
    private let file: BackupFile
    private var number: UInt64 = 0
    private var entry: BackupEntry?
    private var entryCount = 0
    private var dataByteCount = 0
    private var isAtEnd = false

    /// Reads what a file says of itself.
    ///
    /// - Throws: `BackupError`.
    package init(_ file: BackupFile) throws(BackupError) {
        self.file = file
        header = try Self.header(of: file.descriptor)
        position = BackupHeader.magic.count
        _ = try block(salt: 0)
    }

    private static func header(of descriptor: Int32) throws(BackupError) -> BackupHeader {
        let magic = try read(BackupHeader.magic.count, from: descriptor, at: 0)
        guard magic == BackupHeader.magic else {
            throw .foreign("it does not begin as a backup does")
        }
        let block = try block(of: descriptor, at: magic.count, number: 0, salt: 0)
        guard block.kind == .header else { throw .damaged("it has no header") }
        return try BackupHeader(block.bytes)
    }

    /// The next item; `nil` behind the last, when all was there.
    ///
    /// - Throws: `BackupError` for anything that no backup has.
    package func next() throws(BackupError) -> Item? {
        guard !isAtEnd else { return nil }
        let block = try block(salt: header.salt)
        switch (block.kind, entry) {
        case (.entry, nil):
            entryCount += 1
            guard entryCount <= BackupLimits.entryCountMax else {
                throw .damaged("it has more entries than any backup")
            }
            let begun = try BackupEntry(block.bytes)
            entry = begun
            dataByteCount = 0
            return .entry(begun)
        case (.data, let entry?):
            dataByteCount += block.bytes.count
            guard dataByteCount <= entry.byteCount else {
                throw .damaged("\(entry.subject) has more bytes than it says")
            }
            return .data(block.bytes)
        case (.entryEnd, let ended?):
            guard dataByteCount == ended.byteCount else {
                throw .damaged("\(ended.subject) has fewer bytes than it says")
            }
            entry = nil
            return .entryEnd
        case (.end, nil):
            var fields = BackupFields(block.bytes)
            guard fields.number() == Int64(entryCount), fields.isAtEnd, position == file.byteCount
            else {
                throw .damaged("its end does not fit it")
            }
            isAtEnd = true
            return nil
        case (.header, _), (.entry, _), (.data, _), (.entryEnd, _), (.end, _):
            throw .damaged("a block stands in the wrong place")
        }
    }

    private func block(salt: UInt64) throws(BackupError) -> BackupBlock {
        let block = try Self.block(
            of: file.descriptor, at: position, number: number, salt: salt)
        number += 1
        position += BackupBlock.headByteCount + block.bytes.count + BackupBlock.tailByteCount
        return block
    }

    private static func block(
        of descriptor: Int32, at place: Int, number: UInt64, salt: UInt64
    ) throws(BackupError) -> BackupBlock {
        let head = try read(BackupBlock.headByteCount, from: descriptor, at: place)
        let count = (1...4).reversed().reduce(0) { $0 << 8 | Int(head[$1]) }
        guard let kind = BackupBlock.Kind(rawValue: head[0]), count <= BackupBlock.byteCountMax
        else { throw .damaged("no block begins at byte \(place)") }
        let rest = try read(
            count + BackupBlock.tailByteCount, from: descriptor,
            at: place + BackupBlock.headByteCount)
        let block = BackupBlock(kind: kind, bytes: Array(rest[..<count]))
        var told: [UInt8] = []
        BackupBlock.append(
            BackupBlock.checksum(kind, block.bytes, number: number, salt: salt), to: &told)
        guard rest[count...].elementsEqual(told) else {
            throw .damaged("the block at byte \(place) is not as it was written")
        }
        return block
    }

    private static func read(
        _ count: Int, from descriptor: Int32, at place: Int
    ) throws(BackupError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let step = bytes.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled,
                    off_t(place + filled))
            }
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw RestoredFile.error("reading the backup") }
            guard step > 0 else { throw .damaged("it ends at byte \(place + filled), too soon") }
            filled += step
        }
        return bytes
    }
}
