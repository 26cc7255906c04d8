import HearthFirestore
import HearthWire

extension ServerConfiguration {
    /// What every session is told at its start, for programs that count on it.
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
