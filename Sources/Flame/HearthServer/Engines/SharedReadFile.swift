import CLinux
import Glibc
import HearthWire
import Synchronization

/// The words of a memory file that this process has mapped for writing.
///
/// Every access is atomic, and the lock of `CachedReads` lets one thread at a time write.
struct MappedWords: WritableWords, @unchecked Sendable {  // Atomic; one writes.
    let base: UnsafeMutablePointer<UInt64>

    func load(_ index: Int) -> UInt64 { clinux_load(base + index) }
    func loadAcquiring(_ index: Int) -> UInt64 { clinux_load_acquire(base + index) }
    func fenceAcquiring() { clinux_fence_acquire() }
    func store(_ value: UInt64, at index: Int) { clinux_store(base + index, value) }

    func storeReleasing(_ value: UInt64, at index: Int) {
        clinux_store_release(base + index, value)
    }

    func fenceReleasing() { clinux_fence_release() }
}

/// A memory file that this process alone can write, with a descriptor for readers.
package final class SharedReadFile: Sendable {
    /// A descriptor that reads and cannot write, to be handed to readers.
    package let descriptor: Int32
    /// Bytes of the file, all of them allocated.
    package let byteCount: Int
    let words: MappedWords
    /// Whether a process that is no administrator's was handed the descriptor.
    private let isWithStranger = Atomic(false)

    /// Bytes of dropped files that strangers were handed. A stranger that keeps its mapping keeps the
    /// memory, and nobody can tell.
    private static let strayByteCount = Atomic(0)
    /// How many such bytes there may be until no more files are made, in the daemon's life.
    static let strayByteCountMax = 256 << 20

    /// Makes a file of zeroes; `nil` if the kernel has no room, or no such files.
    init?(byteCount: Int) {
        let stray = Self.strayByteCount.load(ordering: .relaxed)
        guard stray + byteCount <= Self.strayByteCountMax else { return nil }
        var reader: Int32 = -1
        guard let base = clinux_make_shared_file("hearth-reads", byteCount, &reader) else {
            return nil
        }
        descriptor = reader
        self.byteCount = byteCount
        words = MappedWords(base: base.assumingMemoryBound(to: UInt64.self))
    }

    /// Notes that a process of somebody else's is handed the descriptor.
    func noteStranger() { isWithStranger.store(true, ordering: .relaxed) }

    deinit {
        if isWithStranger.load(ordering: .relaxed) {
            Self.strayByteCount.add(byteCount, ordering: .relaxed)
        }
        close(descriptor)
        clinux_drop_shared_file(words.base, byteCount)
    }
}

/// The clock of leases, which all processes of a machine share.
package enum LeaseClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
