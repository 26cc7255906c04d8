import Glibc
import HearthModel
import NIOCore

extension EmulatorAddress {
    /// The address as the transport takes it.
    ///
    /// - Throws: `HearthError` `unavailable` if the host is no address of this machine.
    func socketAddress() throws(HearthError) -> SocketAddress {
        do {
            switch self {
            case .unix(let path):
                return try SocketAddress(unixDomainSocketPath: path)
            case .tcp(let host, let port):
                let host = host == "localhost" ? "127.0.0.1" : host
                return try SocketAddress(ipAddress: host, port: port)
            }
        } catch {
            throw HearthError(code: .unavailable, message: "Cannot serve at \(self): \(error)")
        }
    }

    /// The same address with the port that the system chose.
    func with(port: Int?) -> EmulatorAddress {
        guard case .tcp(let host, _) = self, let port else { return self }
        return .tcp(host: host, port: port)
    }

    /// Removes the socket file of a Unix domain socket.
    func removeSocketFile() {
        if case .unix(let path) = self { unlink(path) }
    }

    /// Removes a socket file on which nobody listens any more.
    func removeStaleSocketFile() {
        guard case .unix(let path) = self else { return }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in path.utf8.prefix(bytes.count - 1).enumerated() {
                bytes[index] = byte
            }
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status != 0, errno == ECONNREFUSED { unlink(path) }
    }
}
