import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC

/// Reads the body of one write of REST, on any thread.
struct RealtimeBodyReader: Sendable {
    /// The writes that have a body.
    enum Method: Sendable {
        case put
        case push
        case merge
    }

    /// Why a body is no write.
    enum Fault: Error {
        /// The body has too many bytes; the text says how many are allowed.
        case tooLarge(String)
        /// The body cannot be read.
        case refused(HearthError)

        /// The answer for the client.
        var reply: HTTPReply {
            switch self {
            case .tooLarge(let text): .realtimeError(.argument(text), status: 413)
            case .refused(let error): .realtimeError(error)
            }
        }
    }

    /// What the body is for.
    let method: Method
    /// The place that the request names.
    let path: RealtimePath

    /// Reads a body, or tells why it cannot be read.
    func read(_ body: HTTPBody) -> Result<RealtimeCall.Verb, Fault> {
        Result { () throws(Fault) in try verb(of: body) }
    }

    /// Reads a body.
    ///
    /// - Throws: The fault for the client.
    /// - Complexity: O(n) in the unpacked bytes, and O(n log n) for members that are not sorted.
    func verb(of body: HTTPBody) throws(Fault) -> RealtimeCall.Verb {
        let bytes = try Self.bytes(of: body)
        switch method {
        case .put: return .put(try Self.node(bytes, below: path.depth))
        case .push: return .push(try Self.node(bytes, below: path.depth + 1))
        case .merge: return .merge(try Self.children(bytes, below: path))
        }
    }

    private static func node(
        _ bytes: [UInt8], below depth: Int
    ) throws(Fault) -> UnresolvedNode {
        do throws(NodeError) {
            return try NodeReader.read(bytes, depthMax: RealtimePath.depthMax - depth)
        } catch {
            throw invalid(error, unreadable: "couldn't parse JSON object, array, or value.")
        }
    }

    /// A multi-path update: an object whose names are paths.
    private static func children(
        _ bytes: [UInt8], below path: RealtimePath
    ) throws(Fault) -> [RealtimeChange.Part] {
        do throws(NodeError) {
            return try RealtimeUpdate.read(bytes, below: path)
        } catch {
            throw invalid(
                error,
                unreadable: "couldn't parse JSON object. Are you sending a JSON object with "
                    + "valid key names?")
        }
    }

    private static func bytes(of body: HTTPBody) throws(Fault) -> [UInt8] {
        do throws(HTTPExchange.BodyFault) {
            return try body.unpacked()
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge(body.sizeRefusal)
            case .unknownCoding:
                throw .refused(.argument("Bodies may be packed by \(ContentCoding.names) only"))
            case .broken: throw .refused(.argument("The body is not packed as it says."))
            }
        }
    }

    /// Tells what is wrong with a body.
    ///
    /// - Parameter unreadable: The service's words for a body that is not the JSON that was expected.
    private static func invalid(_ error: NodeError, unreadable: String) -> Fault {
        if case .notJSON = error { return .refused(.argument("Invalid data; \(unreadable)")) }
        return .refused(.argument("Invalid data; \(error)"))
    }
}
