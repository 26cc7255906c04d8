import HearthModel
import HearthWire

/// The memory files of hot documents that programs have mapped.
extension HearthServer {
    /// Gives every session other settings. When this returns, nobody reads in a memory file what the
    /// settings do not allow.
    func reconfigure(_ values: LiveSettings.Values) {
        registry.reconfigure(values)
        let byteCount = values.limits.sharedReadByteCount
        for (key, engine) in engines.all {
            engine.cachedReads?.endSharing(unlessConfigured: byteCount) { peer in
                AccessGrant(values.access, to: peer, in: key).holdsEverywhere(.read)
            }
        }
    }

    /// Lets programs believe their memory files for a while.
    func renewSharedReads() {
        for engine in engines.all.values { engine.cachedReads?.renewSharing() }
    }

    /// Whether any program has a memory file, which must be renewed by `pulse`.
    package var hasSharedReads: Bool {
        engines.all.values.contains { $0.cachedReads?.isShared ?? false }
    }
}
