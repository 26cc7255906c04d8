import Glibc
import HearthModel
package import Logging

/// Writes log messages as lines to standard error, for people at a terminal.
///
/// Shape: `time level message key=value ...`. Under systemd `JournalHandler` is used instead.
package struct LogLines: LogHandler {
    private let label: String
    private let threshold: LogThreshold
    /// A level that one logger was given for itself.
    private var ownLevel: Logger.Level?

    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    package var metadata: Logger.Metadata = [:]

    /// Makes a handler for one logger.
    package init(label: String, threshold: LogThreshold) {
        self.label = label
        self.threshold = threshold
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = Self.time() + " " + "\(event.level) ".padded(to: 8)
        var particulars = metadata.merging(event.metadata ?? [:]) { $1 }
        particulars[JournalEvent.metadataKey] = nil
        line += Self.text(event.message, particulars)
        line += "\n"
        line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    /// A message and the particulars, sorted by name, in one line.
    static func text(_ message: Logger.Message, _ particulars: Logger.Metadata) -> String {
        var text = "\(message)"
        for (key, value) in particulars.sorted(by: { $0.key < $1.key }) {
            text += " \(key)=\(quoted("\(value)"))"
        }
        return text
    }

    /// Whether standard error is the journal: systemd names its device and inode.
    package static func standardErrorIsJournal(_ journalStream: String?) -> Bool {
        guard let journalStream else { return false }
        var status = stat()
        guard fstat(2, &status) == 0 else { return false }
        return journalStream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The journal's number of a level.
    static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// One line, whatever the value: spaces are quoted, quotes and all that a terminal would take for
    /// an order escaped.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 != " " && $0 != "\"" && !ControlCharacters.contains($0)
        }
        guard text.isEmpty || !isPlain else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case let scalar where ControlCharacters.contains(scalar):
                quoted += ControlCharacters.escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        var seconds = now.tv_sec
        localtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let milliseconds = String(1_000 + now.tv_nsec / 1_000_000).dropFirst()
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)"
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - utf8.count))
    }
}
