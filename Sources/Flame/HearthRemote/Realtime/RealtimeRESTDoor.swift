package import HearthModel
package import HearthRealtime

/// Asks a Realtime Database by REST for keys alone, which the protocol of the WebSocket cannot.
///
/// A question has a connection of its own, as a question for a token has.
///
/// - Source: firebase-tools `database/listRemote.ts`, which asks for `shallow` with a limit and a start.
package struct RealtimeRESTDoor: RealtimeDoor {
    /// How long the backend may look for keys.
    private static let timeout = "10s"
    /// How often one list of children asks the backend: each part but the last has a key that no
    /// path can hold.
    private static let questionCountMax = 10
    /// How much of the backend's own words is told.
    private static let wordCountMax = 200

    private let address: RealtimeAddress
    private let http: HTTPClient
    private let identity: @Sendable () -> LinkIdentity

    /// A door to a database.
    ///
    /// - Parameters:
    ///   - address: Where the database listens.
    ///   - trust: Who vouches for the service.
    ///   - identity: Who we are, asked at each question, so that the door alone keeps no
    ///     credentials.
    package init(
        _ address: RealtimeAddress, trusting trust: TrustedCertificates = .system,
        identity: @escaping @Sendable () -> LinkIdentity
    ) {
        self.address = address
        http = HTTPClient(trusting: trust)
        self.identity = identity
    }

    package func children(
        of path: RealtimePath, after: ChildKey?, countMax: Int
    ) async throws(HearthError) -> [ListedChild] {
        let identity = identity()
        var found: [ListedChild] = []
        var last = after?.text
        for _ in 0..<Self.questionCountMax {
            let part = try await part(try place(of: path, last, countMax), as: identity)
            found += part.children
            // The backend also counts keys that no path can hold, and more keys may lie behind.
            guard found.count < countMax, part.keyCount >= countMax, let end = part.lastKey else {
                return Array(found.prefix(countMax))
            }
            last = end
        }
        throw HearthError(
            code: .failedPrecondition,
            message: "Too many keys below \(path) are such that no path can hold them. Delete "
                + "them at the backend to list the others.")
    }

    /// Asks again with the next token if the backend refuses the first.
    private func part(
        _ place: WebAddress, as identity: LinkIdentity
    ) async throws(HearthError) -> KeyPart {
        do throws(HearthError) {
            return try await ask(place, as: identity)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            // The token was refused, and the credentials know; the next token is a new one.
            return try await ask(place, as: identity)
        }
    }

    /// The address of a list of keys.
    private func place(
        of path: RealtimePath, _ after: String?, _ countMax: Int
    ) throws(HearthError) -> WebAddress {
        let keys = path.keys.map { FormEncoding.escaped($0.text) }.joined(separator: "/")
        guard let root = WebAddress("\(address.webOrigin)/\(keys).json") else {
            throw HearthError(
                code: .invalidArgument, message: "\(address) is no address that REST can ask.")
        }
        var place = root.adding("shallow", "true").adding("limitToFirst", "\(countMax)")
            .adding("timeout", Self.timeout)
        if let after { place = place.adding("startAfter", after) }
        return address.isNamedByHost ? place : place.adding("ns", address.instance.name)
    }

    private func ask(
        _ place: WebAddress, as identity: LinkIdentity
    ) async throws(HearthError) -> KeyPart {
        let credential = try await identity.credential(as: nil)?.shown
        let answer = try await http.send(request(place, showing: credential))
        let json = try? JSONReader.read(answer.body)
        let shown: [Header] = credential.map { [.bearer($0.token)] } ?? []
        guard answer.isSuccess else {
            let error = Self.refusal(answer, json, at: place, credential)
            if error.code == .unauthenticated { await identity.credentials.refused(shown) }
            throw error
        }
        await identity.credentials.believed(shown)
        guard let json else {
            throw HearthError(code: .dataLoss, message: "The answer of \(place) cannot be read.")
        }
        return KeyPart(json)
    }

    private func request(
        _ place: WebAddress, showing credential: RealtimeCredential?
    ) -> HTTPRequest {
        var place = place
        var headers: [(name: String, value: String)] = []
        switch credential?.override {
        case .variable(let auth)?:
            let text = String(decoding: JSONWriter.bytes(of: auth), as: UTF8.self)
            place = place.adding("auth_variable_override", text)
        case .nobody?: place = place.adding("auth_variable_override", "null")
        case nil: break
        }
        if let credential {
            switch credential.kind {
            case .user: place = place.adding("auth", credential.token.revealed)
            case .service:
                let shown = "Bearer \(credential.token.revealed)"
                headers.append((name: "authorization", value: shown))
            }
        }
        return .get(place, headers: headers, socketPath: address.socketPath)
    }

    private static func refusal(
        _ answer: HTTPAnswer, _ json: JSONValue?, at place: WebAddress,
        _ credential: RealtimeCredential?
    ) -> HearthError {
        let words = json?["error"]?.string ?? ""
        let told = (credential?.token.removed(from: words) ?? words).prefix(wordCountMax)
        let code: StatusCode =
            switch answer.status {
            case 401 where words.lowercased().hasPrefix("permission denied"): .permissionDenied
            case 401: .unauthenticated
            case 403: .permissionDenied
            case 404: .notFound
            case 400..<500: .failedPrecondition
            default: .unavailable
            }
        let reason = told.isEmpty ? "" : ": \(told)"
        return HearthError(
            code: code, message: "\(place) answered \(answer.status)\(reason).")
    }
}

/// A backend's answer to one question for keys.
private struct KeyPart {
    /// The children whose keys a path can hold, in the order of keys.
    let children: [ListedChild]
    /// How many keys the answer has, whatever their form.
    let keyCount: Int
    /// The last of all keys.
    let lastKey: String?

    /// Reads an object or an array. Each member or element stands for a child. A leaf has no
    /// children.
    init(_ json: JSONValue) {
        let named: [(name: String, value: JSONValue)] =
            switch json {
            case .object(let members): members.map { ($0.name, $0.value) }
            case .array(let elements):
                elements.enumerated().map { ("\($0.offset)", $0.element) }
            case .null, .boolean, .integer, .double, .string: []
            }
        let there = named.filter { $0.value != .null }
        children = there.compactMap { name, value -> ListedChild? in
            // A key that no path of ours can hold cannot be asked for either.
            guard let key = ChildKey(name) else { return nil }
            // The service says true of everything that it does not show.
            return ListedChild(key: key, mayHaveChildren: value == .boolean(true))
        }.sorted { $0.key < $1.key }
        keyCount = there.count
        lastKey = there.map { ChildKey(unchecked: $0.name) }.max()?.text
    }
}
