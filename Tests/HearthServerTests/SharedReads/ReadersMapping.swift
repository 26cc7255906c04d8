import CLinux
import Glibc
import HearthWire

@testable import HearthServer

/// A memory file as a reader has it mapped, at a place of its own.
final class ReadersMapping: Sendable {
    private let words: MappedWords
    private let isOwn: Bool
    /// How many bytes the file has.
    let byteCount: Int
    private let table: SharedReadTable<MappedWords>

    /// Maps the file of a descriptor; `nil` if that is no such file.
    init?(_ descriptor: Int32, byteCount: Int) {
        guard clinux_is_memory_file(descriptor, byteCount) == 1,
            let mapped = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
            mapped != MAP_FAILED
        else { return nil }
        words = MappedWords(base: mapped.assumingMemoryBound(to: UInt64.self))
        isOwn = true
        self.byteCount = byteCount
        guard let table = SharedReadTable(words, byteCount: byteCount) else { return nil }
        self.table = table
    }

    /// Reads where the writer writes.
    ///
    /// The thread sanitizer takes two mappings of one file for two memories, so it sees a race only
    /// where reader and writer have one mapping.
    init?(writersOf file: SharedReadFile) {
        words = file.words
        isOwn = false
        byteCount = file.byteCount
        guard let table = SharedReadTable(words, byteCount: byteCount) else { return nil }
        self.table = table
    }

    deinit { if isOwn { munmap(words.base, byteCount) } }

    /// Whether no byte of an answer is left.
    var isBlank: Bool {
        let first = SharedReadLayout(byteCount: byteCount).firstEntry
        return (first..<byteCount / 8).allSatisfy { words.load($0) == 0 }
    }

    /// Whether the file has ended.
    var hasEnded: Bool { table.hasEnded }

    /// The number of the last change; `nil` if nobody can say.
    var changeNumber: UInt64? { table.changeNumber(at: LeaseClock.now) }

    /// The body of an answer, as a program would find it now.
    func body(_ path: String, at now: UInt64 = LeaseClock.now) -> [UInt8]? {
        SharedReadName.with(path) { table.body(of: $0, at: now) }
    }
}
