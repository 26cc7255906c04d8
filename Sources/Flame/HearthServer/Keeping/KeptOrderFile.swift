import Glibc
import HearthModel

/// The file of the orders to keep places, beside the databases. Blocks on the disk.
struct KeptOrderFile: Sendable {
    /// Where it lies.
    let path: String

    /// The file in the folder of the databases.
    init(folder: String) {
        path = folder + "/kept-places.json"
    }

    /// The orders; none if there is no file.
    ///
    /// - Throws: `dataLoss` for a file that cannot be read.
    func read() throws(HearthError) -> KeptOrders {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        // A folder that is none is the stores' matter, and told by them.
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return KeptOrders() }
        guard descriptor >= 0 else { throw Self.error("reading \(path)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 { throw Self.error("reading \(path)") }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard let orders = KeptOrders(bytes) else {
            throw HearthError(
                code: .dataLoss,
                message:
                    "\(path) holds no list of places, so only those of realtime.keep are kept. "
                    + "Mend or remove it; then the orders that it holds count again.")
        }
        return orders
    }

    /// Replaces the orders: after a power cut the file holds the old or the new orders, whole.
    ///
    /// - Throws: `unavailable` if the disk refuses; the old orders then stay.
    func write(_ orders: KeptOrders) throws(HearthError) {
        let new = path + ".new"
        try Self.store(orders.bytes, in: new)
        guard rename(new, path) == 0 else { throw Self.error("renaming \(new)") }
        try syncFolder()
    }

    private static func store(_ bytes: [UInt8], in file: String) throws(HearthError) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error("making \(file)") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw error("writing \(file)") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw error("syncing \(file)") }
    }

    private func syncFolder() throws(HearthError) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.error("opening \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.error("syncing \(folder)") }
    }

    private static func error(_ what: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message:
                "The places to keep cannot be stored: \(String(cString: strerror(errno))) when "
                + "\(what).")
    }
}
