import HearthModel
import HearthProtocol
import HearthRPC

/// What a request's body says, unpacked and read as far as the request's target tells how.
///
/// Reading may take long for a large body, so it happens on any thread.
enum RESTBody: Sendable {
    /// The bytes, for a channel or for an endpoint of tests.
    case bytes([UInt8])
    /// A call, and its request as the bytes of its message.
    case call(RESTRoute, [UInt8])
    /// The target and the verb name no call.
    case nowhere
    /// The body cannot be unpacked.
    case unreadable(HTTPExchange.BodyFault)
    /// The body is no request of the call.
    case refused(HearthError)

    /// Reads a body.
    ///
    /// - Complexity: O(n) in the unpacked bytes.
    init(_ body: HTTPBody, verb: String, target: HTTPTarget) {
        let bytes: [UInt8]
        do throws(HTTPExchange.BodyFault) {
            bytes = try body.unpacked()
        } catch {
            self = .unreadable(error)
            return
        }
        if WebChannelRequest.method(target) != nil || HelperEndpoints.claims(target) {
            self = .bytes(bytes)
            return
        }
        do throws(HearthError) {
            guard let route = try RESTRoute(verb: verb, target: target, body: bytes) else {
                self = .nowhere
                return
            }
            self = .call(route, try JSONToProto.bytes(of: route.request, as: route.requestName))
        } catch {
            self = .refused(error)
        }
    }
}
