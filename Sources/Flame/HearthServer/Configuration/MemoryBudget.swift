import Glibc
import HearthEngine
import HearthSQLite
import HearthStore

/// How much memory the daemon takes if every limit and every cache is full.
///
/// The budget leaves out the documents that listeners see, because the queries decide how many documents
/// these are. For the same reason the budget leaves out what a turn holds that finds a result by itself
/// which is larger than a survey may hold (`SurveyMemoryLimits`); an engine has one turn at a time. The
/// remaining memory of the control group is for such documents, and for waiting writes that were accepted
/// under a greater limit.
package struct MemoryBudget: Hashable, Sendable {
    /// A part of the budget, by the part's name in a message.
    package struct Part: Hashable, Sendable {
        /// The name of the part, with the key that bounds the part.
        package let name: String
        /// Bytes at most.
        package let byteCount: Int
    }

    /// The program with the threads, the connections to the backend and one turn.
    ///
    /// An idle daemon has 30 MB, a busy daemon 60.
    static let programByteCount = 96 << 20
    /// An engine without the store: the thread, the tables and the running group.
    static let engineByteCount = 1 << 20

    /// The parts of the budget.
    package let parts: [Part]

    /// The budget of a configuration.
    package init(_ configuration: ServerConfiguration) {
        let defaults = configuration.database == nil ? 0 : 1
        let others = max(configuration.databaseCountMax - defaults, 0)
        let shared = configuration.limits.sharedReadByteCount
        let large =
            StoreMemory.large.byteCountMax + CachedReads.Size.large.byteCountMax(sharing: shared)
        let small =
            StoreMemory.small.byteCountMax + CachedReads.Size.small.byteCountMax(sharing: shared)
        parts = [
            Part(name: "the program", byteCount: Self.programByteCount),
            Part(
                name: "the default database",
                byteCount: defaults * (large + Self.engineByteCount)),
            Part(
                name: "other databases (database.countMax)",
                byteCount: others * (small + Self.engineByteCount)),
            Part(
                name: "clients (limits.heldByteCountMax)",
                byteCount: configuration.limits.memory.byteCountMax),
            Part(
                name: "waiting writes of the Realtime Database (realtime.queueByteCountMax)",
                byteCount: configuration.realtime.memory.byteCountMax),
            Part(name: "long looks at the cache", byteCount: SurveyMemoryLimits.byteCountMax),
        ]
    }

    /// The whole budget in bytes.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// The complaint if the control group's limit is not above the budget; otherwise `nil`.
    package func complaint(below limit: Int?) -> String? {
        guard let limit, byteCount >= limit else { return nil }
        let parts = parts.map { "\($0.byteCount >> 20) MiB for \($0.name)" }
        return "With every limit full the daemon takes \(byteCount >> 20) MiB, "
            + "\(parts.joined(separator: ", ")), and its control group allows \(limit >> 20) MiB. "
            + "Lower these limits, or raise MemoryHigh and MemoryMax of the unit."
    }

    /// The memory at which the kernel slows this process down or ends the process.
    ///
    /// The limit is the lowest of the process's control group and the groups above; `nil` if there
    /// is no limit, or no limit can be read.
    package static var controlGroupLimit: Int? {
        guard let path = text("/proc/self/cgroup").flatMap(ControlGroup.unifiedPath) else {
            return nil
        }
        var limits: [Int] = []
        var place = path
        while place.utf8.count > 1 {
            for name in ["memory.high", "memory.max"] {
                // Without a limit the text is "max".
                let limit = text("/sys/fs/cgroup\(place)/\(name)").flatMap {
                    Int($0.filter { $0 != "\n" })
                }
                if let limit { limits.append(limit) }
            }
            place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        }
        return limits.min()
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
