/// The streams of a connection that are over, as far as frames may still come for them.
///
/// A client that has ended or reset a stream knows of the end. A client whose stream the server
/// ended may not have heard of the end yet, and goes on. Each of the two kinds has room of its own,
/// so ordinary calls displace no stream that the server ended.
///
/// Source: RFC 9113, 5.1.
struct EndedStreams {
    /// Who ended a stream.
    enum Ending {
        /// The client, which sends nothing more.
        case byClient
        /// The server alone, so frames of the client may be on the way.
        case byServer
    }

    private var unheard: [StreamID] = []
    private var known: [StreamID] = []

    /// Remembers a stream that is over.
    ///
    /// - Parameter isClientDone: Whether the client has ended its side.
    mutating func add(_ id: StreamID, isClientDone: Bool) {
        if isClientDone {
            Self.add(id, to: &known, countMax: ConnectionLimits.knownEndCountMax)
        } else {
            Self.add(id, to: &unheard, countMax: ConnectionLimits.unheardEndCountMax)
        }
    }

    /// The client has ended its side of a stream that was over.
    mutating func clientEnded(_ id: StreamID) {
        guard let index = unheard.firstIndex(of: id) else { return }
        unheard.remove(at: index)
        add(id, isClientDone: true)
    }

    /// Who ended a stream; `nil` if the stream never began, or its end was long ago.
    func ending(of id: StreamID) -> Ending? {
        if known.contains(id) { return .byClient }
        return unheard.contains(id) ? .byServer : nil
    }

    private static func add(_ id: StreamID, to ids: inout [StreamID], countMax: Int) {
        if ids.count == countMax { ids.removeFirst() }
        ids.append(id)
    }
}
