import CSystemd
import Glibc

/// Listening sockets that systemd made before the daemon started, by the names of their units.
///
/// Names count, not order: different versions of systemd pass them differently.
package enum SocketActivation {
    /// Takes the descriptors, once: a second call finds none.
    package static func takeDescriptors() -> [String: [Int32]] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        defer { free(names) }
        guard count > 0, let names else { return [:] }
        var descriptors: [String: [Int32]] = [:]
        for index in 0..<Int(count) {
            guard let name = names[index] else { continue }
            descriptors[String(cString: name), default: []].append(
                SD_LISTEN_FDS_START + Int32(index))
            free(name)
        }
        return descriptors
    }
}
