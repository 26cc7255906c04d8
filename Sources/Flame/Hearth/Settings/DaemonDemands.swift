import HearthWire

/// A program's conditions on settings that the daemon decides for all programs; `nil` for no
/// condition.
struct DaemonDemands: Hashable, Sendable {
    /// The program's service, which decides the names of the configuration's keys in an error.
    enum Service: Hashable, Sendable {
        case firestore, realtime
    }

    /// The service that the program uses.
    var service = Service.firestore
    /// How the cache is kept.
    var cache: CacheKind?
    /// Whether the cache outlives the daemon.
    var isPersistent: Bool?
    /// The size in bytes above which documents leave the cache; -1 for no limit.
    var cacheByteCountMax: Int64?
    /// The backend, as `host` or `host:port`.
    var host: String?
    /// Whether the daemon reaches the backend over TLS.
    var isEncrypted: Bool?

    /// Why the daemon's setup does not fulfil the conditions; `nil` if it does.
    func contradiction(by setup: DaemonSetup?) -> FirestoreError? {
        if self == DaemonDemands(service: service) { return nil }
        guard let setup else {
            return Self.error(
                "The program's settings speak of cache or backend, but this daemon does not tell "
                    + "how it is set up. Update it, or leave them out.")
        }
        return backendContradiction(by: setup)
            ?? persistenceContradiction(by: setup) ?? sizeContradiction(by: setup)
    }

    private static func error(_ message: String) -> FirestoreError {
        FirestoreError(.failedPrecondition, message)
    }

    private func backendContradiction(by setup: DaemonSetup) -> FirestoreError? {
        if let host, BackendAddress(host) != BackendAddress(setup.upstream) {
            return Self.error(
                "The program wants the backend \(host), but the daemon's is \(setup.upstream). Set "
                    + "\(isEncrypted == false ? emulatorKey : addressKey) in hearthd.toml, or leave "
                    + "the host out of the program.")
        }
        if let isEncrypted, isEncrypted == setup.isEmulator {
            return Self.error(
                setup.isEmulator
                    ? "The program wants TLS, but the daemon's backend \(setup.upstream) is an "
                        + "emulator."
                    : "The program wants an emulator, but the daemon's backend is "
                        + "\(setup.upstream). Set \(emulatorKey) in hearthd.toml.")
        }
        return nil
    }

    private func persistenceContradiction(by setup: DaemonSetup) -> FirestoreError? {
        let fromCache: Bool? =
            switch cache {
            case .persistent: true
            case .memoryEager, .memoryLeastUsed: false
            case nil: nil
            }
        for wanted in [fromCache, isPersistent].compactMap(\.self)
        where wanted != setup.isPersistent {
            return Self.error(
                "The program wants a cache \(wanted ? "on disk" : "in memory"), but the daemon "
                    + "keeps one \(setup.isPersistent ? "on disk" : "in memory") for all programs. "
                    + "Set store.isPersistent in hearthd.toml, or leave the cache settings out.")
        }
        return nil
    }

    private func sizeContradiction(by setup: DaemonSetup) -> FirestoreError? {
        if cache == .memoryEager, setup.collection != .eager {
            return Self.error(
                "The program wants documents to leave as soon as nobody needs them, but the daemon "
                    + "keeps them. Set cache.collection in hearthd.toml, or leave the cache "
                    + "settings out.")
        }
        var wanted = [cacheByteCountMax]
        var isEagerRefused = false
        switch cache {
        case .persistent(let byteCountMax): wanted.append(byteCountMax)
        case .memoryLeastUsed(let byteCountMax):
            wanted.append(byteCountMax)
            isEagerRefused = true
        case .memoryEager, nil: break
        }
        let actual: Int64?
        switch setup.collection {
        case .leastUsed(let byteCountMax): actual = Int64(byteCountMax)
        case .never: actual = FirestoreCacheSizeUnlimited
        case .eager: actual = nil
        }
        let isRefused =
            wanted.contains { $0 != nil && $0 != actual } || isEagerRefused && actual == nil
        guard isRefused else { return nil }
        let size = wanted.compactMap(\.self).first.map(Self.text) ?? "the least used leave"
        return Self.error(
            "The program wants a cache where \(size), but in the daemon's, for all programs, "
                + "\(actual.map(Self.text) ?? "documents leave as soon as nobody needs them"). Set "
                + "\(cacheKeys) in hearthd.toml, or leave the size out.")
    }

    private var addressKey: String {
        switch service {
        case .firestore: "upstream.address"
        case .realtime: "realtime.instance"
        }
    }

    private var emulatorKey: String {
        switch service {
        case .firestore: "upstream.emulator"
        case .realtime: "realtime.emulator"
        }
    }

    private var cacheKeys: String {
        switch service {
        case .firestore: "cache.byteCountMax and cache.collection"
        case .realtime: "realtime.cacheByteCountMax"
        }
    }

    private static func text(_ byteCountMax: Int64) -> String {
        byteCountMax == FirestoreCacheSizeUnlimited
            ? "nothing leaves" : "documents leave above \(byteCountMax) bytes"
    }
}

/// A backend's address, in one spelling for all spellings of the same address.
private struct BackendAddress: Equatable {
    private static let loopbacks = ["localhost", "127.0.0.1", "[::1]", "::1", "0.0.0.0"]

    let host: String
    /// The port; 443 if the text names none.
    let port: String

    init(_ text: String) {
        var host = text
        var port = "443"
        if !text.hasPrefix("unix:"), let colon = text.lastIndex(of: ":") {
            let rest = text[text.index(after: colon)...]
            let before = text[..<colon]
            let isPort = !rest.isEmpty && rest.allSatisfy(\.isNumber)
            if isPort, !before.contains(":") || before.hasSuffix("]") {
                (host, port) = (String(before), String(rest))
            }
        }
        if !text.hasPrefix("unix:") { host = host.lowercased() }
        self.host = Self.loopbacks.contains(host) ? "localhost" : host
        self.port = port
    }
}
