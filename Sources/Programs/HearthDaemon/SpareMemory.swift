import CLinux
import Dispatch
import Glibc

/// Decides when memory that was freed goes back to the system.
///
/// The C library keeps freed memory that lies between pieces in use. After a thousand clients have gone,
/// the library keeps all that was held for them, and other processes of the machine lack the memory.
///
///     every half minute: reading --quiet, and much more spare than giving back has left--> give back
struct SpareMemory: Sendable {
    /// What the process has and does, at one moment.
    struct Reading: Sendable {
        /// Bytes in memory that nothing uses.
        let byteCount: Int
        /// The processor time that the process has used so far.
        let processorTime: Duration
    }

    /// The least spare memory above `floor` that is worth giving back: giving back costs time.
    static let byteCountMin = 32 << 20
    /// The time between two readings.
    static let pause = Duration.seconds(30)
    /// A process that takes no more processor time than this between two readings counts as quiet:
    /// a fifth of the pause.
    static let quietTimeMax = pause / 5

    /// The least spare memory since memory was last given back: pieces of pages, stacks and variables.
    private var floor = 0
    /// The processor time at the last reading; `nil` before the first.
    private var lastProcessorTime: Duration?

    /// Takes a reading, one pause after the last.
    ///
    /// - Returns: Whether memory should be given back now; `gaveBack` must tell of it then.
    mutating func isReturnDue(at reading: Reading) -> Bool {
        let used = lastProcessorTime.map { reading.processorTime - $0 }
        lastProcessorTime = reading.processorTime
        floor = min(floor, reading.byteCount)
        guard let used, used <= Self.quietTimeMax else { return false }
        return reading.byteCount - floor >= Self.byteCountMin
    }

    /// Memory was given back.
    ///
    /// - Parameter byteCount: The spare bytes that are left. Nobody tries again to give these back.
    mutating func gaveBack(leaving byteCount: Int) { floor = byteCount }
}

/// The process's own memory.
extension SpareMemory {
    /// Gives memory back for as long as the process lasts, on a thread of its own.
    ///
    /// Giving back takes about a tenth of a second for a gigabyte. An event loop that allocates meanwhile may
    /// wait for as long.
    static func beginReturning() {
        let queue = DispatchQueue(label: "hearth.memory", qos: .utility)
        lookLater(SpareMemory(), on: queue)
    }

    /// Gives back each page that holds only freed memory.
    static func giveBack() { clinux_return_spare_memory() }

    private static func lookLater(_ memory: SpareMemory, on queue: DispatchQueue) {
        queue.asyncAfter(deadline: .now() + .seconds(Int(pause.components.seconds))) {
            var memory = memory
            if let reading = Reading.now, memory.isReturnDue(at: reading) {
                giveBack()
                memory.gaveBack(leaving: Reading.now?.byteCount ?? reading.byteCount)
            }
            lookLater(memory, on: queue)
        }
    }
}

extension SpareMemory.Reading {
    /// The process as it is now; `nil` if the kernel does not say.
    static var now: SpareMemory.Reading? {
        var byteCount: UInt64 = 0
        var time = timespec()
        guard clinux_spare_memory(&byteCount) == 0,
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        else { return nil }
        return SpareMemory.Reading(
            byteCount: Int(clamping: byteCount),
            processorTime: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }
}
