import HearthFirestore
import HearthWire

extension ServerConfiguration {
    /// The set-up, which the daemon tells every session at the start for programs to rely on.
    var setup: DaemonSetup {
        let kept: DaemonSetup.Collection =
            switch collection {
            case .eager: .eager
            case .leastUsed(cacheByteCountMax: let byteCountMax?):
                .leastUsed(cacheByteCountMax: byteCountMax)
            case .leastUsed(cacheByteCountMax: nil): .never
            }
        return DaemonSetup(
            upstream: emulator ?? upstreamAddress, isEmulator: emulator != nil,
            isPersistent: storeFolder != nil, collection: kept)
    }
}
