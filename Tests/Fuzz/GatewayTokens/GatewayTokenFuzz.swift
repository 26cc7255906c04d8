/// Feeds any bytes to the readers of tokens that clients give back: the readers must not crash, and
/// every token that they take must be a token made here.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGatewayTokens(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = TokenReading.complaint(about: input) { preconditionFailure(complaint) }
    return 0
}
