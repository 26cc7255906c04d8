import HearthBackend
import HearthModel

/// Feeds any text to the reader of REST's parameters: the reader must not crash. The backend must
/// answer every request that the reader takes, with no more than the request asked for.
///
/// The text is a query as in an address, already decoded: `NAME=VALUE&NAME=VALUE`. The first byte
/// chooses the place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRealtimeCalls(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let items = String(decoding: input.dropFirst(), as: UTF8.self)
        .split(separator: "&", omittingEmptySubsequences: false)
        .map { item -> (name: String, value: String) in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    guard let parameters = try? RealtimeCallParameters(items) else { return 0 }
    check(parameters, at: places[Int(input[0]) % places.count])
    return 0
}

private let places = ["/", "/a", "/c", "/none", "/a/.priority"].compactMap { WritePath($0) }

private let namespace: RealtimeNamespace = {
    guard let namespace = RealtimeNamespace("fuzz") else { preconditionFailure("no name") }
    return namespace
}()

/// A backend whose tree has every kind of child, and indexes for some orders.
private let backend: RealtimeBackend = {
    var backend = RealtimeBackend()
    do {
        let tree = try Node(
            json: Array(
                #"{"7":{"n":true},"a":{".priority":3,"n":1},"b":{"n":"x"},"c":5,"é":{"n":null,"m":2}}"#
                    .utf8))
        try backend.restore(
            tree, rules: #"{"rules":{".read":true,".indexOn":["n",".value"]}}"#, in: namespace)
    } catch {
        preconditionFailure("\(error)")
    }
    return backend
}()

private func check(_ parameters: RealtimeCallParameters, at place: WritePath) {
    var backend = backend
    var call = RealtimeCall(.read, at: place)
    call.parameters = parameters
    var random = SystemRandomNumberGenerator()
    let reply = backend.take(
        call, of: namespace, by: .nobody, at: Timestamp(seconds: 1, nanoseconds: 0),
        using: &random)
    switch reply.status {
    case .ok, .noContent, .badRequest: break
    case .notModified, .unauthorized, .preconditionFailed, .serviceUnavailable:
        preconditionFailure("A read of what everybody may read ended with \(reply.status)")
    }
    guard place.path.isRoot, let query = parameters.query, case .node(let found, _) = reply.body
    else { return }
    precondition(found.childCount <= query.limit?.count ?? .max, "More than the limit")
    precondition(found.children.allSatisfy { query.admits($0) }, "Something outside of the bounds")
}
