import HearthModel
import HearthProtocol

/// Feeds any text to the readers of the Realtime Database's protocol: the readers must not crash,
/// and every message that is read, written and read again must be the same.
///
/// The first byte chooses the reader, and how frames are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRealtimeMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let text = Array(input.dropFirst())
    switch input[0] % 4 {
    case 0: checkNode(text)
    case 1: checkClientMessage(text)
    case 2: checkServerMessage(text)
    default: checkFrames(text, cutBy: input[0])
    }
    return 0
}

private func checkNode(_ text: [UInt8]) {
    if let read = try? NodeReader.read(text, from: .client) {
        precondition((try? NodeReader.read(read.exportJSON, from: .client)) == read)
        let resolved = read.resolved(over: .empty, at: 1)
        precondition(resolved.isEmpty == read.isEmpty)
    }
    guard let node = try? Node(json: text, from: .server) else { return }
    let again = try? Node(json: node.json(.export), from: .server)
    precondition(again == node, "A node is written otherwise than it was read")
    precondition(again.map(NodeHash.hash) == NodeHash.hash(of: node))
    precondition((try? Node(json: node.json(.plain), from: .server)) != nil)
    precondition(CompoundHash(of: node).differences(from: node).isEmpty)
}

private func checkClientMessage(_ text: [UInt8]) {
    guard case .request(let request) = try? RealtimeCodec.decodeClient(text) else { return }
    let again = try? RealtimeCodec.decodeClient(RealtimeCodec.encode(request))
    precondition(again == .request(request), "A request is written otherwise than it was read")
}

private func checkServerMessage(_ text: [UInt8]) {
    guard let message = try? RealtimeCodec.decodeServer(text) else { return }
    let written: [UInt8]
    switch message {
    case .hello(let hello): written = RealtimeCodec.encode(hello)
    case .shutdown(let reason): written = RealtimeCodec.shutdown(reason: reason)
    case .reset(let host): written = RealtimeCodec.reset(host: host)
    case .ping: written = RealtimeCodec.ping
    case .pong: written = RealtimeCodec.pong
    case .answer(let answer):
        _ = (answer.body.text, answer.body.warnings, try? answer.body.readNode())
        written = RealtimeCodec.encode(answer)
    case .push(let push): written = RealtimeCodec.encode(push)
    case .error, .unknown: return
    }
    let again = try? RealtimeCodec.decodeServer(written)
    precondition(again == message, "A message is written otherwise than it was read")
}

/// Cuts a text into frames, by chance and as the splitter does.
private func checkFrames(_ text: [UInt8], cutBy seed: UInt8) {
    var joiner = FrameJoiner(byteCountMax: 4_096)
    var state = UInt32(seed)
    var rest = text[...]
    while !rest.isEmpty {
        state = state &* 1_664_525 &+ 1_013_904_223
        let size = 1 + Int(state >> 16) % 40
        let taken = try? joiner.take(Array(rest.prefix(size)))
        precondition(joiner.heldByteCount <= 4_096)
        precondition((taken ?? nil)?.count ?? 0 <= 4_096)
        rest = rest.dropFirst(size)
    }
    // Only what is UTF-8 is sent, and no bare number is.
    guard String(validating: text, as: UTF8.self) != nil, text.first == UInt8(ascii: "{") else {
        return
    }
    let message = Array([[UInt8]](repeating: text, count: 40_000 / text.count + 1).joined())
    var other = FrameJoiner(byteCountMax: 1 << 20)
    var joined: [[UInt8]] = []
    for frame in FrameSplitter.frames(of: message) {
        if let whole = (try? other.take(Array(frame))) ?? nil { joined.append(whole) }
    }
    precondition(joined == [message], "A message is joined otherwise than it was cut")
}
