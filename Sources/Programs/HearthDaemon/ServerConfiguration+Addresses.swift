import HearthEmulator
import HearthModel
import HearthRemote
import HearthServer

/// Where the configured backends listen.
extension ServerConfiguration {
    /// Where Firestore's backend, or the emulator instead, listens.
    var firestoreAddress: BackendAddress {
        get throws(HearthError) {
            try Self.address(emulator ?? upstreamAddress, of: upstreamOrigin)
        }
    }

    /// Where the emulator of the Realtime Database listens; `nil` if there is none.
    var instanceAddress: BackendAddress? {
        get throws(HearthError) {
            guard let emulator = realtime.emulator else { return nil }
            return try Self.address(emulator, of: realtime.upstreamOrigin)
        }
    }

    /// Reads an address.
    ///
    /// - Parameter key: The key or the environment variable that has the address.
    private static func address(
        _ text: String, of key: String
    ) throws(HearthError) -> BackendAddress {
        guard let address = BackendAddress(parsing: text) else {
            throw HearthError(
                code: .invalidArgument,
                message: "\(key) is \"\(text)\", which is no address; write HOST:PORT or "
                    + "unix:PATH.")
        }
        let byteCountMax = EmulatorAddress.pathByteCountMax
        if case .unix(let path) = address, path.utf8.count > byteCountMax {
            throw HearthError(
                code: .invalidArgument,
                message: "\(key) is \"\(text)\"; the path of a socket has at most \(byteCountMax) "
                    + "bytes.")
        }
        return address
    }
}
