import CLinux
import Glibc

/// The process at the other end of a socket, told apart from a later process of the same number.
///
/// The kernel's own handle (Linux 6.5) tells whether the process still runs; on older kernels the
/// time of the process's start tells.
package struct PeerProcess: ~Copyable {
    private let pid: Int32
    /// The kernel's handle; -1 if the kernel has none.
    private let handle: Int32

    /// Finds the process; `nil` if it is gone.
    ///
    /// - Parameters:
    ///   - socket: The descriptor of the connection, on which the kernel's handle is asked for.
    ///   - pid: The process, as the kernel named it when the client connected.
    ///   - usesHandle: Whether the kernel's handle is asked for.
    package init?(_ socket: Int32, pid: Int32, usesHandle: Bool = true) {
        handle = usesHandle ? clinux_peer_pidfd(socket) : -1
        self.pid = pid
        if usesHandle, handle < 0, errno != ENOPROTOOPT { return nil }
    }

    deinit {
        if handle >= 0 { close(handle) }
    }

    /// The process's units; `nil` if the process ended too early, or the units are hidden.
    package var place: ControlGroup.Place? {
        if handle >= 0 {
            // A process that runs after the reading had its number during the reading.
            let place = groups
            return isRunning ? place : nil
        }
        guard let begin = startTime, let place = groups, startTime == begin else { return nil }
        return place
    }

    private var groups: ControlGroup.Place? {
        Self.read("/proc/\(pid)/cgroup").flatMap(ControlGroup.place(inGroups:))
    }

    private var isRunning: Bool {
        var entry = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// The start of the process in the kernel's ticks; `nil` after its end, even for a zombie.
    private var startTime: String? { Self.read("/proc/\(pid)/stat").flatMap(Self.startTime) }

    /// The time of the start in the text of `/proc/PID/stat`; `nil` if the process has ended.
    ///
    /// Shape: `PID (NAME) STATE ...`, the time being the 22nd word. The name may hold anything.
    package static func startTime(in text: String) -> String? {
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = text.utf8[end...].dropFirst().split(separator: UInt8(ascii: " "))
        guard words.count > 19, let state = words[0].first, words[0].count == 1,
            state != UInt8(ascii: "Z"), state != UInt8(ascii: "X")
        else { return nil }
        return String(decoding: words[19], as: UTF8.self)
    }

    /// The text of a small file of the kernel's; `nil` if it cannot be read whole.
    package static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: partByteCount)
        while bytes.count < byteCountMax {
            let count = fread(&part, 1, part.count, file)
            bytes += part[..<count]
            guard ferror(file) == 0 else { return nil }
            if count < part.count { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    /// Far above what the kernel tells of a process.
    private static let byteCountMax = 65_536
    /// What the kernel tells of most processes. Every connection reads some; memory that is written
    /// and given back for each is found again in what connections leave unwritten.
    private static let partByteCount = 1_024
}
