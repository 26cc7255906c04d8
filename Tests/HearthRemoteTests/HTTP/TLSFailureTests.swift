import NIOSSL
import Testing

@testable import HearthRemote

struct TLSFailureTests {
    @Test func `a connection that is cut is no failure of TLS`() {
        #expect(TLSFailure(NIOSSLError.uncleanShutdown) == nil)
        #expect(TLSFailure(NIOSSLError.shutdownFailed(.zeroReturn)) == nil)
        #expect(TLSFailure(NIOSSLError.handshakeFailed(.zeroReturn)) != nil)
        #expect(TLSFailure(NIOSSLExtraError.failedToValidateHostname) == .wrongName)
    }
}
