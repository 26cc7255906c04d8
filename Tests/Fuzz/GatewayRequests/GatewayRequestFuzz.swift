/// Feeds any bytes to the readers of Firestore's requests: they must not crash, and whoever reads a part
/// of a request must find what the generated messages find.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGatewayRequests(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = RequestReading.complaint(about: input) { preconditionFailure(complaint) }
    return 0
}
