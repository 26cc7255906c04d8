import HearthModel
import HearthRPC
import HearthServer

/// Where a call's reads are answered from, and when its writes are answered.
///
/// The call's metadata counts before its listener, and the listener before the configuration.
struct GatewayMode: Hashable, Sendable {
    /// Where reads are answered from.
    var reads: GatewayConfiguration.Reads
    /// When writes are answered.
    var writes: GatewayConfiguration.Writes
    /// How long a write waits for the backend before it is answered as accepted.
    var patience: Duration
    /// The status of a call that needs a backend which cannot be reached.
    var offlineStatus: StatusCode

    /// The mode of the calls of a listener that say nothing.
    init(_ configuration: GatewayConfiguration, by listener: GatewayListener) {
        switch listener {
        case .standard: (reads, writes) = (configuration.reads, configuration.writes)
        case .local: (reads, writes) = (.cacheFirst, .accepted)
        }
        patience = .milliseconds(configuration.patienceMilliseconds)
        offlineStatus =
            switch configuration.offlineStatus {
            case .failedPrecondition: .failedPrecondition
            case .unavailable: .unavailable
            }
    }

    /// The same, with what a call's metadata asks for.
    ///
    /// - Throws: `invalidArgument` for a word that is no mode.
    func asked(by head: CallHead) throws(HearthError) -> GatewayMode {
        var mode = self
        if let reads = try Self.word(GatewayConfiguration.Reads.self, "hearth-reads", of: head) {
            mode.reads = reads
        }
        if let writes = try Self.word(GatewayConfiguration.Writes.self, "hearth-writes", of: head) {
            mode.writes = writes
        }
        return mode
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ type: Word.Type, _ name: String, of head: CallHead
    ) throws(HearthError) -> Word? {
        guard let text = head.metadata(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw HearthError(
            code: .invalidArgument,
            message: "The metadata \(name) is \"\(text)\", and there are only \(words).")
    }
}
