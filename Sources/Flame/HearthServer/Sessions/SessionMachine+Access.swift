package import HearthEngine
package import HearthModel
import HearthWire

/// Checks a session's requests against the access rules.
extension SessionMachine {
    /// A refusal as the journal counts it: once for each rule and right, however often it comes.
    struct NotedRefusal: Hashable, Sendable {
        let right: AccessPolicy.Right
        let rule: String?
    }

    /// Why the rules do not let a request enter; `nil` if they do.
    func accessRefusal(of traits: RequestTraits) -> AccessRefusal? {
        guard let grant else { return nil }
        return RequestAccess.refusal(of: traits, by: grant)
    }

    /// Sets the rights that count from now on.
    mutating func setGrant(_ grant: AccessGrant) {
        self.grant = grant
        grantNumber += 1
        dialogue?.administers(grant.holdsEverywhere(.administer))
    }

    /// Refuses a request, and tells the journal if that is news.
    mutating func refuse(_ number: UInt64, _ refusal: AccessRefusal) -> [Action] {
        dialogue?.refused(number, &owed)
        let noted = NotedRefusal(right: refusal.right, rule: refusal.rule)
        let isNews = notedRefusals.insert(noted).inserted
        return (isNews ? [.noteRefusal(refusal)] : []) + [.reply(.failed(refusal.error), number)]
    }

    /// Other rules and limits count from now on. Listeners that the rules do not allow end.
    package mutating func reconfigure(
        access: AccessPolicy, limits: SessionLimits
    ) -> [Action] {
        dialogue?.limit(limits.memory)
        configuration.access = access
        configuration.limits = limits
        notedRefusals = []
        guard let key else { return [] }
        let grant = AccessGrant(access, to: configuration.peer, in: key)
        setGrant(grant)
        return dialogue?.reviewed(grant, &owed) ?? []
    }

    /// The client is gone, and its orders for its end are carried out as far as the rules allow
    /// now.
    ///
    /// - Parameter access: The rules, perhaps newer than the session has heard.
    mutating func left(under access: AccessPolicy) -> [Action] {
        guard access != configuration.access else { return [] }
        return reconfigure(access: access, limits: configuration.limits)
    }
}

extension HearthError {
    /// The error for a program without any right in a database.
    ///
    /// The daemon does not open the database for such a program.
    package static func noRights(in key: EngineKey, of uid: UInt32) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "uid \(uid) may do nothing in \(key), so it is not opened. Rules are in "
                + "[access] of hearthd.toml.")
    }
}
