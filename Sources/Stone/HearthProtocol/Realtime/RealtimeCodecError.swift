package import HearthModel

/// Why a message of the Realtime Database's protocol cannot be read.
package enum RealtimeCodecError: Error, Hashable, Sendable {
    /// The message is no JSON.
    case notJSON(JSONError)
    /// The data to write is no node.
    case node(NodeError)
    /// A member is missing, or is not what it should be.
    case malformed(String)
    /// The message is longer than the reader takes.
    case tooLong(byteCountMax: Int)
}

extension RealtimeCodecError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .node(let error): error.description
        case .malformed(let reason): "The message is not of the protocol: \(reason)."
        case .tooLong(let byteCountMax): "The message is longer than \(byteCountMax) bytes."
        }
    }
}
