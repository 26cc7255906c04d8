import HearthFirestore
import HearthModel
package import HearthWire

/// What the access rules say to a session's requests.
extension SessionMachine {
    /// A refusal as the journal counts it: once for each rule and right, however often it comes.
    struct NotedRefusal: Hashable, Sendable {
        let right: AccessPolicy.Right
        let rule: String?
    }

    /// Why the rules do not let a request enter; `nil` if they do.
    func accessRefusal(of request: Request) -> AccessRefusal? {
        guard let grant else { return nil }
        return RequestAccess.refusal(of: request, by: grant)
    }

    /// Whether the rules let the session read the document that a get from the cache alone names.
    /// What they do not, and whatever is spelled otherwise, is for `received`.
    package func mayRead(documentIn body: RawSpan) -> Bool {
        guard let grant else { return false }
        if grant.holdsEverywhere(.read) { return true }
        guard let bytes = CachedGet.documentName(in: body),
            let name = DocumentName(String(decoding: bytes, as: UTF8.self)),
            name.database == database, let key = DocumentKey(name.path)
        else { return false }
        return grant.refusal(of: .read, to: .document(key.path)) == nil
    }

    /// Refuses a request, and tells the journal if that is news.
    mutating func refuse(_ number: UInt64, _ refusal: AccessRefusal) -> [Action] {
        if case .bundle? = owed[number] {
            owed[number] = nil
            begunBundles[number] = nil
        }
        let noted = NotedRefusal(right: refusal.right, rule: refusal.rule)
        let isNews = notedRefusals.insert(noted).inserted
        return (isNews ? [.noteRefusal(refusal)] : []) + [.reply(.failed(refusal.error), number)]
    }

    /// Other rules and limits count from now on. Listeners that the rules do not allow end.
    package mutating func reconfigure(
        access: AccessPolicy, limits: Welcome.Limits, uidListenerCountMax: Int = 100_000,
        uidRequestCountMax: Int = 65_536, memory: ClientMemory = ClientMemory()
    ) -> [Action] {
        configuration.memory = memory
        configuration.uidListenerCountMax = uidListenerCountMax
        configuration.uidRequestCountMax = uidRequestCountMax
        configuration.access = access
        configuration.limits = limits
        notedRefusals = []
        guard let database else { return [] }
        let grant = AccessGrant(access, to: configuration.peer, in: database)
        self.grant = grant
        var actions: [Action] = []
        for (number, scope) in owed.listeners {
            guard let refusal = grant.refusal(of: .read, to: scope) else { continue }
            owed[number] = nil
            queries[number] = nil
            listenerCount -= 1
            actions += [
                .submit(.unlisten(listener(number))), .forgetSnapshots(number),
                .reply(.listenFailed(refusal.error), number),
            ]
        }
        return actions
    }
}

extension HearthError {
    /// What a program is told that names a database which cannot be.
    static let noDatabaseID = HearthError(
        code: .invalidArgument,
        message: "The ids of project and database have 1 to \(StoreFolder.idByteCountMax) letters, "
            + "digits and -_.:(), and no other characters.")

    /// What a program is told that may do nothing in a database, so that none is opened for it.
    static func noRights(in database: DatabaseID, of uid: UInt32) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "uid \(uid) may do nothing in \(database), so it is not opened. Rules are in "
                + "[access] of hearthd.toml.")
    }
}
