import CLinux
import Glibc
import HearthModel
import HearthWire

/// The words of a mapped file that another process writes.
private struct MappedWords: ReadableWords, @unchecked Sendable {  // Atomic reads alone.
    let base: UnsafePointer<UInt64>

    func load(_ index: Int) -> UInt64 { clinux_load(base + index) }
    func loadAcquiring(_ index: Int) -> UInt64 { clinux_load_acquire(base + index) }
    func fenceAcquiring() { clinux_fence_acquire() }
}

/// The daemon's memory file of hot documents, mapped to be read.
final class SharedReadMap: Sendable {
    private let words: MappedWords
    private let byteCount: Int
    private let table: SharedReadTable<MappedWords>
    /// Reads the answers.
    let decoder: AnswerDecoder

    /// Maps the file of a descriptor; `nil` if the file is no memory file of this size and layout.
    ///
    /// - Parameter descriptor: Stays the caller's.
    init?(descriptor: Int32, byteCount: Int, _ codec: WireCodec) {
        guard (SharedReadLayout.byteCountMin...SharedReadLayout.byteCountMax).contains(byteCount),
            clinux_is_memory_file(descriptor, byteCount) == 1,
            let mapped = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
            mapped != MAP_FAILED
        else { return nil }
        let words = MappedWords(base: UnsafePointer(mapped.assumingMemoryBound(to: UInt64.self)))
        guard let table = SharedReadTable(words, byteCount: byteCount) else {
            munmap(mapped, byteCount)
            return nil
        }
        self.words = words
        self.byteCount = byteCount
        self.table = table
        decoder = AnswerDecoder(codec)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: words.base), byteCount) }

    /// The answer to a get of one document from the cache alone; `nil` if the daemon must be asked.
    func answer(_ key: DocumentKey) -> EncodedAnswer? {
        let body = SharedReadName.with(key.path.string) { table.body(of: $0, at: Self.now) }
        return body.flatMap { EncodedAnswer($0) }
    }

    /// The number of the last change of the cache's documents; `nil` if only the daemon can say.
    var changeNumber: UInt64? { table.changeNumber(at: Self.now) }

    /// Nanoseconds of CLOCK_MONOTONIC, the clock of the daemon's lease.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Reads documents in the answers of one session, for as long as a snapshot needs it.
final class AnswerDecoder: Sendable {
    /// The codec of the session's database.
    let codec: WireCodec

    /// Reads with a session's codec.
    init(_ codec: WireCodec) { self.codec = codec }
}
