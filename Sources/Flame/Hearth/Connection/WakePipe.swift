import Glibc

/// Wakes a thread that waits now, or that begins to wait only later.
final class WakePipe: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// A pipe that nobody has signalled.
    init() {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "No file descriptor is left for a pipe")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the wait that is under way, or the next one.
    func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)  // If the pipe is full, a signal is waiting already.
    }

    /// Waits for a signal, for a socket, or for a time; without a time, waits for ever.
    func wait(
        for socket: (descriptor: Int32, toWrite: Bool)? = nil, atMost timeout: Duration? = nil
    ) {
        var polled = (
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: -1, events: 0, revents: 0)  // Ignored, unless there is a socket.
        )
        if let socket {
            let events = POLLIN | (socket.toWrite ? POLLOUT : 0)
            polled.1 = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
        }
        withUnsafeMutableBytes(of: &polled) { bytes in
            let entries = bytes.bindMemory(to: pollfd.self)
            _ = poll(entries.baseAddress, nfds_t(entries.count), Self.milliseconds(timeout))
        }
        if polled.0.revents != 0 { drain() }
    }

    private func drain() {
        var bytes: UInt64 = 0
        while read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
    }

    /// A duration for `poll`, rounded up, so that a wait never ends early; -1 for `nil`.
    private static func milliseconds(_ duration: Duration?) -> Int32 {
        guard let duration else { return -1 }
        let parts = duration.components
        let rest = (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: max(0, parts.seconds * 1_000 + rest))
    }
}
