import HearthModel
import HearthWire

/// Feeds any bytes to the codec as the body of a frame: it must not crash, and what it reads it must
/// be able to write, and read again as the same.
///
/// The first byte is the kind of the frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let frame = Frame(kind: input[0], request: 1, body: Array(input.dropFirst()))
    let codec = WireCodec(database: DatabaseID(project: "demo"))
    if let request = try? codec.request(frame), let again = try? codec.frame(of: request, number: 1)
    {
        precondition((try? codec.request(again)) == request, "A request is not what was written")
    }
    if let event = try? codec.event(frame), let again = try? codec.frame(of: event, number: 1) {
        precondition((try? codec.event(again)) == event, "An event is not what was written")
    }
    // The handshake is read before there is a database, and by a reader of its own for cached gets.
    _ = try? WireCodec().request(frame)
    _ = try? WireCodec().event(frame)
    return 0
}
