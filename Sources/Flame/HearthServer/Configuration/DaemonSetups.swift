package import HearthEngine
import HearthFirestore
import HearthModel
package import HearthWire

/// The set-up for each kind of database, which the daemon tells every session at the start for programs to
/// rely on.
package struct DaemonSetups: Hashable, Sendable {
    private let firestore: DaemonSetup
    private let realtime: DaemonSetup

    /// The set-up of a configuration.
    package init(_ configuration: ServerConfiguration) {
        let isPersistent = configuration.storeFolder != nil
        let kept: DaemonSetup.Collection =
            switch configuration.collection {
            case .eager: .eager
            case .leastUsed(cacheByteCountMax: let byteCountMax?):
                .leastUsed(cacheByteCountMax: byteCountMax)
            case .leastUsed(cacheByteCountMax: nil): .never
            }
        firestore = DaemonSetup(
            upstream: configuration.emulator ?? configuration.upstreamAddress,
            isEmulator: configuration.emulator != nil, isPersistent: isPersistent,
            collection: kept)
        let emulator = configuration.realtime.emulator
        realtime = DaemonSetup(
            upstream: emulator ?? configuration.instance?.host ?? "", isEmulator: emulator != nil,
            isPersistent: isPersistent,
            collection: .leastUsed(cacheByteCountMax: configuration.realtime.cacheByteCountMax))
    }

    /// The set-up for the kind of an engine's database.
    package subscript(key: EngineKey) -> DaemonSetup {
        switch key {
        case .firestore: return firestore
        case .realtime(let instance):
            var setup = realtime
            if !setup.isEmulator { setup.upstream = instance.host }
            return setup
        }
    }
}
