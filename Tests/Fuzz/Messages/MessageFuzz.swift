import HearthEngine
import HearthModel
import HearthWire

/// Codecs for a session with either kind of database.
private let codecs: [WireCodec] =
    [WireCodec(database: DatabaseID(project: "demo"))]
    + [InstanceID(project: "demo")].compactMap { $0.map { WireCodec(.realtime($0)) } }

/// Feeds any bytes to the codecs as the body of a frame: the codecs must not crash. A codec must be
/// able to write every value that it reads, and to read the value again as the same. Nodes are read
/// when all of them have come.
///
/// The first byte is the kind of the frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let frame = Frame(kind: input[0], request: 1, body: Array(input.dropFirst()))
    for codec in codecs { check(frame, codec) }
    // The handshake is read before there is a database, and by a reader of its own for cached gets.
    _ = try? WireCodec().request(frame)
    _ = try? WireCodec().event(frame)
    return 0
}

private func check(_ frame: Frame, _ codec: WireCodec) {
    if let request = try? codec.request(frame), let again = try? codec.frame(of: request, number: 1)
    {
        precondition((try? codec.request(again)) == request, "A request is not what was written")
    }
    if let event = try? codec.event(frame), let again = try? codec.frame(of: event, number: 1) {
        precondition((try? codec.event(again)) == event, "An event is not what was written")
    }
    switch try? codec.event(frame) {
    case .viewNews(let part)?: _ = try? part.news(of: ListenTarget(.root, .all))
    case .node(let part)?: _ = try? part.nodes.node()
    case .transaction(let part)?: _ = try? part.step()
    default: break
    }
}
