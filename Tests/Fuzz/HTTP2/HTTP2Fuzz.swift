/// Feeds any bytes to the server's end of an HTTP/2 connection: the machine must not crash, must
/// keep its limits, and must answer alike wherever the bytes are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP2(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = HTTP2Reading.complaint(about: input) { preconditionFailure(complaint) }
    return 0
}
