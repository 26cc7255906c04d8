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
    /// How much of the backend's own words is told.
    private static let wordCountMax = 200

    private let address: RealtimeAddress
    private let http: HTTPClient
    private let identity: @Sendable () -> LinkIdentity

    /// A door to a database.
    ///
    /// - Parameters:
    ///   - trust: Who vouches for the service.
    ///   - identity: Who we are, asked at each question, so that the door alone keeps no credentials.
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
        let place = try place(of: path, after, countMax)
        let identity = identity()
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
        of path: RealtimePath, _ after: ChildKey?, _ countMax: Int
    ) throws(HearthError) -> WebAddress {
        let keys = path.keys.map { FormEncoding.escaped($0.text) }.joined(separator: "/")
        guard let root = WebAddress("\(address.webOrigin)/\(keys).json") else {
            throw HearthError(
                code: .invalidArgument, message: "\(address) is no address that REST can ask.")
        }
        var place = root.adding("shallow", "true").adding("limitToFirst", "\(countMax)")
            .adding("timeout", Self.timeout)
        if let after { place = place.adding("startAfter", after.text) }
        return address.isNamedByHost ? place : place.adding("ns", address.instance.name)
    }

    private func ask(
        _ place: WebAddress, as identity: LinkIdentity
    ) async throws(HearthError) -> [ListedChild] {
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
        return Self.children(json)
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

    /// The children of an answer: an object or an array of what stands for each child. A leaf has none.
    private static func children(_ json: JSONValue) -> [ListedChild] {
        let named: [(name: String, value: JSONValue)] =
            switch json {
            case .object(let members): members.map { ($0.name, $0.value) }
            case .array(let elements):
                elements.enumerated().map { ("\($0.offset)", $0.element) }
            case .null, .boolean, .integer, .double, .string: []
            }
        return named.compactMap { name, value -> ListedChild? in
            // A key that no path of ours can hold cannot be asked for either.
            guard value != .null, let key = ChildKey(name) else { return nil }
            // The service says true of everything that it does not show.
            return ListedChild(key: key, mayHaveChildren: value == .boolean(true))
        }.sorted { $0.key < $1.key }
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
