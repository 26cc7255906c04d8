import CSystemd
import Glibc

/// Tells systemd the daemon's state; nobody listens if systemd did not start the daemon.
package enum ServiceNotifier {
    /// Whether a service manager listens.
    package static var isHeard: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// The daemon takes clients. `status` is one line for `systemctl status`.
    package static func ready(status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// The configuration is being read again; `ready` follows.
    package static func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=reloading")
    }

    /// How the daemon is, in one line.
    package static func status(_ status: String) { send("STATUS=\(oneLine(status))") }

    /// The start takes longer: it may go on for `time` from now before it counts as failed.
    package static func extendStart(by time: Duration, status: String) {
        let microseconds = time.components.seconds * 1_000_000
        send("EXTEND_TIMEOUT_USEC=\(microseconds)\nSTATUS=\(oneLine(status))")
    }

    /// The daemon is going down.
    package static func stopping() { send("STOPPING=1\nSTATUS=stopping") }

    /// The daemon has just been found alive. Call more often than `watchdogPeriod`.
    package static func alive() { send("WATCHDOG=1") }

    /// Within which time systemd wants to hear that the daemon is alive; `nil` if it does not.
    package static var watchdogPeriod: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(microseconds))
    }

    private static func send(_ text: String) { _ = sd_notify(0, text) }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
