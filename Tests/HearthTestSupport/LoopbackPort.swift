import Glibc

/// TCP ports of the loopback interface.
package enum LoopbackPort {
    /// The system has no port.
    package struct NoneIsFree: Error {}

    /// A port that nobody listens at, as the system hands them out.
    ///
    /// Another program may take the port before whoever asked does.
    ///
    /// - Throws: `NoneIsFree` if the system has none.
    package static func free() throws(NoneIsFree) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoneIsFree() }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw NoneIsFree() }
        return UInt16(bigEndian: address.sin_port)
    }
}
