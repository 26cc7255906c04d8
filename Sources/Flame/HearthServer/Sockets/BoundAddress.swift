import Glibc

/// Where a socket is bound, as the kernel tells.
///
/// Shape: the family, in two bytes; then the port, u16 BE, of IPv4 and of IPv6, or the path of a Unix
/// socket, up to the first zero.
struct BoundAddress {
    private let address: sockaddr_storage

    /// Asks the kernel; `nil` for what is no socket.
    init?(of descriptor: Int32) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isKnown else { return nil }
        self.address = address
    }

    /// The port of TCP; `nil` for another family of sockets.
    var port: Int? {
        guard [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        let port = withUnsafeBytes(of: address) {
            $0.loadUnaligned(fromByteOffset: MemoryLayout<sa_family_t>.size, as: UInt16.self)
        }
        return Int(UInt16(bigEndian: port))
    }

    /// The path of a Unix socket; `nil` if the socket has no file.
    var path: String? {
        guard Int32(address.ss_family) == AF_UNIX else { return nil }
        let path = withUnsafeBytes(of: address) { bytes in
            let name = bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            return String(decoding: name, as: UTF8.self)
        }
        return path.isEmpty ? nil : path
    }
}
