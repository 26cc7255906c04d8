/// Feeds any bytes to the readers of tokens that clients give back: they must not crash, and what they
/// take must be what somebody here has made.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGatewayTokens(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = TokenReading.complaint(about: input) { preconditionFailure(complaint) }
    return 0
}
