import Glibc

/// A thread of the process, as others may look at the thread.
package struct WatchedThread: Sendable {
    private let path: String

    /// The calling thread; `nil` without the kernel's view of processes.
    package init?() {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let place = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "/proc/\(place)/stat"
    }

    /// Whether the thread waits in the kernel; not so of a thread that has ended.
    package var isWaiting: Bool {
        guard let file = fopen(path, "r") else { return false }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1_024)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return false }
        let text = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The name may hold spaces; the state's letter follows the name.
        guard let name = text.lastIndex(of: ")") else { return false }
        return text[text.index(after: name)...].split(separator: " ").first == "S"
    }
}
