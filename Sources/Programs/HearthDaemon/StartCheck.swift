import CLinux
import Glibc
import HearthModel
import HearthRemote
import HearthServer

/// Finds what would fail at the start for the configuration alone, beyond keys and the form of values: for
/// `hearthd --check`, and before a reload.
///
/// Reads the files that the configuration names, asks no server and writes nothing.
struct StartCheck {
    /// The longest path of a socket that the daemon makes. Beside the path stands the socket for a
    /// moment under a name that ends with the number of the process.
    private static let pathByteCountMax = 107 - ".4194304".utf8.count

    private let configuration: ServerConfiguration
    private let isReload: Bool

    /// Checks a configuration that was read.
    ///
    /// - Parameter isReload: Whether the daemon runs already, and must not wait for the writer of a pipe.
    init(_ configuration: ServerConfiguration, isReload: Bool = false) {
        self.configuration = configuration
        self.isReload = isReload
    }

    /// What would fail, each once; empty if nothing would.
    func problems() -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func add(_ section: String, _ message: String?) {
            guard let message else { return }
            let problem = ConfigurationProblem(origin: section, message: message)
            if !problems.contains(problem) { problems.append(problem) }
        }
        add(
            "upstream", failure { () throws(HearthError) in _ = try configuration.firestoreAddress }
        )
        add("upstream", failure { () throws(HearthError) in try trust.check() })
        add("upstream", loop)
        add("realtime", failure { () throws(HearthError) in _ = try configuration.instanceAddress })
        if configuration.isUpstreamEnabled {
            for plan in plans {
                add("credentials", failure { () throws(HearthError) in try check(plan) })
            }
        }
        add("database", missingProject)
        for message in socketProblems { add("sockets", message) }
        add("store", storeProblem)
        return problems
    }

    private func failure(_ work: () throws(HearthError) -> Void) -> String? {
        do throws(HearthError) { try work() } catch { return error.message }
        return nil
    }

    private var trust: TrustedCertificates {
        configuration.trustedCertificates.map { .file(path: $0) } ?? .system
    }

    /// Why the daemon would connect with no backend: the backend is the daemon.
    private var loop: String? {
        var configuration = configuration
        return configuration.refuseOwnGateway(GatewayPlaces(configuration.gateway))
    }

    // MARK: Credentials

    /// Where the credentials of both services are from.
    private var plans: [CredentialsPlan] {
        let firestore = CredentialsPlan(
            configuration, project: configuration.database?.project ?? "")
        guard configuration.realtime.isEnabled, let instance = configuration.instance else {
            return [firestore]
        }
        let realtime = CredentialsPlan(
            configuration, project: configuration.project(of: instance),
            isEmulator: configuration.realtime.emulator != nil)
        return [firestore, realtime]
    }

    private func check(_ plan: CredentialsPlan) throws(HearthError) {
        let credentials = configuration.credentials
        switch plan {
        case .none, .owner, .emulatorUser: break
        case .impossible(let error): throw error
        case .firebaseUser:
            for path in [credentials.passwordFile, credentials.customTokenFile] {
                if let path { try expectReadable(path) }
            }
            if case .account(let signIn) = FirebaseUser.Configured(credentials) {
                _ = try signIn()
            }
            try check(credentials.authEmulator, "FIREBASE_AUTH_EMULATOR_HOST")
        case .google(let places):
            switch try GoogleSource.first(of: places) {
            case .file(let path), .fileIfAny(let path):
                try expectReadable(path)
                _ = try KeyFile(path: path)
            case .metadataServer: try check(credentials.metadataHost, "GCE_METADATA_HOST")
            }
        }
    }

    /// Refuses a pipe that only a start can read.
    private func expectReadable(_ path: String) throws(HearthError) {
        guard isReload, KeyFile.isUnreadPipe(path) else { return }
        throw HearthError(
            code: .failedPrecondition,
            message: "\(path) is a pipe, which can be read only once, at a start. The credentials "
                + "that the daemon runs with are kept. Name a file, or start the daemon anew with "
                + "the pipe.")
    }

    private func check(_ host: String?, _ variable: String) throws(HearthError) {
        guard let host, WebAddress("http://\(host)/") == nil else { return }
        throw HearthError(
            code: .invalidArgument,
            message: "\(variable) is \"\(host)\", which is no host; write HOST or HOST:PORT.")
    }

    /// Why there is no default database; `nil` if there is one, or only the metadata server could tell.
    private var missingProject: String? {
        guard configuration.database == nil else { return nil }
        return failure { () throws(HearthError) in
            try ProjectSearch(configuration).check(expectReadable)
        }
    }

    // MARK: Places

    private var socketProblems: [String] {
        let gateway = configuration.gateway
        var sockets = [
            ("sockets.client", configuration.clientSocket.path),
            ("sockets.control", configuration.controlSocket.path),
        ]
        if gateway.isEnabled {
            sockets.append(("gateway.socket", gateway.socket))
            sockets.append(("gateway.localSocket", gateway.localSocket))
        }
        var problems: [String] = []
        var keys: [String: String] = [:]
        for case (let key, let path?) in sockets {
            if let other = keys.updateValue(key, forKey: path) {
                problems.append("\(other) and \(key) are both \(path). Name two places.")
            }
            guard path.utf8.count > Self.pathByteCountMax else { continue }
            problems.append(
                "\(key) is \(path), of \(path.utf8.count) bytes. Name a place of at most "
                    + "\(Self.pathByteCountMax) bytes.")
        }
        return problems
    }

    private var storeProblem: String? {
        guard let folder = configuration.storeFolder else { return nil }
        if folder.isEmpty {
            return "store.folder is empty. Name a folder, or set store.isPersistent to false."
        }
        var status = stat()
        if stat(folder, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { return nil }
            return "store.folder is \(folder), which is no folder. Name a folder."
        }
        guard errno == ENOENT || errno == ENOTDIR else {
            return "store.folder is \(folder), which cannot be used: \(Self.lastError). Name "
                + "another folder."
        }
        return Self.obstacle(toMaking: folder).map {
            "store.folder is \(folder), which cannot be made: \($0). Name another folder."
        }
    }

    /// Why a folder that is missing cannot be made, as a part of a sentence; `nil` if nothing is in the way.
    private static func obstacle(toMaking folder: String) -> String? {
        var place = Substring(folder)
        var status = stat()
        repeat {
            while place.utf8.count > 1, place.utf8.last == UInt8(ascii: "/") { place.removeLast() }
            guard let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")) else {
                place = "."
                continue
            }
            place = slash == place.startIndex ? "/" : place[..<slash]
        } while stat(String(place), &status) != 0 && errno == ENOENT && place != "/" && place != "."
        let path = String(place)
        guard stat(path, &status) == 0 else { return "\(path): \(lastError)" }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(path) is no folder" }
        guard faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 else {
            return "\(path): \(lastError)"
        }
        return clinux_is_kernels(path) == 0
            ? nil : "\(path) is the kernel's, which takes no folders"
    }

    private static var lastError: String { String(cString: strerror(errno)) }
}
