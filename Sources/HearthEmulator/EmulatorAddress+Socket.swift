import GRPCNIOTransportHTTP2Posix
import Glibc

extension EmulatorAddress {
    /// The address as the transport takes it.
    var socketAddress: SocketAddress {
        switch self {
        case .unix(let path): .unixDomainSocket(path: path)
        case .tcp("localhost", let port): .ipv4(host: "127.0.0.1", port: port)
        case .tcp(let host, let port):
            host.contains(":") ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
        }
    }

    /// The same address with the port that the system chose.
    func with(port: Int?) -> EmulatorAddress {
        guard case .tcp(let host, _) = self, let port else { return self }
        return .tcp(host: host, port: port)
    }

    /// Leaves no socket file behind.
    func removeSocketFile() {
        if case .unix(let path) = self { unlink(path) }
    }
}
