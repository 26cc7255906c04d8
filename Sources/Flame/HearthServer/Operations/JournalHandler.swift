import CSystemd
import Glibc
package import Logging

/// Writes log messages into systemd's journal, with each particular as a field of its own.
///
/// A message reads like a line of `LogLines`, so that a plain `journalctl` tells all; its fields are
/// for filters, `journalctl HEARTH_SYNC_STATE=offline`.
package struct JournalHandler: LogHandler {
    /// Takes the fields of one message, `NAME=value` each, any bytes.
    package typealias Send = @Sendable ([[UInt8]]) -> Void

    private let send: Send
    private let threshold: LogThreshold
    /// A level that one logger was given for itself.
    private var ownLevel: Logger.Level?

    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    package var metadata: Logger.Metadata = [:]

    /// Makes a handler.
    ///
    /// - Parameter send: To whom messages go: the journal of this machine.
    package init(
        threshold: LogThreshold, send: @escaping Send = JournalHandler.sendToJournal
    ) {
        self.threshold = threshold
        self.send = send
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var particulars = metadata.merging(event.metadata ?? [:]) { $1 }
        let messageID = particulars.removeValue(forKey: JournalEvent.metadataKey)
        var fields = [
            "MESSAGE=" + LogLines.text(event.message, particulars),
            "PRIORITY=\(LogLines.priority(of: event.level))",
            "SYSLOG_IDENTIFIER=hearthd",
            "CODE_FILE=\(event.file)",
            "CODE_LINE=\(event.line)",
            "CODE_FUNC=\(event.function)",
        ]
        if let messageID { fields.append("MESSAGE_ID=\(messageID)") }
        for (key, value) in particulars {
            fields.append("\(JournalField.journalName(of: key))=\(value)")
        }
        send(fields.map { Array($0.utf8) })
    }

    /// Hands a message to journald; without one, nothing happens.
    @Sendable package static func sendToJournal(_ fields: [[UInt8]]) {
        var vectors: [iovec] = []
        vectors.reserveCapacity(fields.count)
        var bytes = fields.flatMap { $0 }
        bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            for field in fields {
                guard let base = buffer.baseAddress else { return }
                vectors.append(iovec(iov_base: base + offset, iov_len: field.count))
                offset += field.count
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }
}
